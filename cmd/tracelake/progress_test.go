package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tracelake/tracelake/pipeline"
)

// The bar shows bytes, rates and the time left; it is drawn at most ten times a
// second, and cleared in the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, "decoding")
	p.clear() // nothing to clear yet
	p.show(pipeline.Progress{})
	if out.Len() > 0 {
		t.Errorf("%q before the first byte", &out)
	}
	begin := time.Now()
	for i := range 1000 {
		p.show(pipeline.Progress{Bytes: int64(i), Total: 100e6, Instructions: int64(i)})
	}
	elapsed := time.Since(begin)
	if n := strings.Count(out.String(), "% |"); n > 1+int(elapsed/progressInterval) {
		t.Errorf("drawn %d times in %v", n, elapsed)
	}
	time.Sleep(2 * progressInterval)
	p.show(pipeline.Progress{Bytes: 25e6, Total: 100e6, Instructions: 50e6})
	time.Sleep(2 * progressInterval)
	out.Reset()
	p.show(pipeline.Progress{Bytes: 50e6, Total: 100e6, Instructions: 100e6})
	for _, want := range []string{"M instr/s", " 50% |", "(50/100 MB, ", "MB/s)", "s]"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, &out)
		}
	}
	p.clear()
	if !strings.HasSuffix(out.String(), "\x1b[2K\r") {
		t.Errorf("not cleared: %q", &out)
	}
}
