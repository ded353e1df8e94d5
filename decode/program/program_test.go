package program

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

func TestTry(t *testing.T) {
	for _, name := range []string{
		"../../../shared/captures/am243x-r5f-etmv3-freertos-002b37c/freertos.elf",
		"../../../shared/captures/am243x-r5f-etmv3-zephyr-e9185a9/zephyr.elf",
		"../../../shared/captures/am243x-r5f-etmv3-threadx-ce42d22/threadx.elf",
		"../../bench/sample/capture/sample.elf",
	} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		p, err := Read(image.File{Name: name, Data: bytes.NewReader(b), Size: int64(len(b))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		in, pad, cb, pred := 0, 0, 0, 0
		for _, c := range p.Code {
			if c.Function.OK {
				in++
			} else {
				pad++
				continue
			}
			if c.Conditional {
				if c.Target.OK || c.Kind == schema.KindBranch || c.Kind == schema.KindReturn || c.Kind == schema.KindIndirect {
					cb++
				} else {
					pred++
				}
			}
		}
		var origin [4]int
		names := map[string]bool{}
		for _, f := range p.Functions {
			origin[f.Origin]++
			names[f.Name] = true
		}
		t.Logf("%v in %d pad %d functions %d %v names %d condbranch %d predicated %d symbols %d notes %q", took, in, pad, len(p.Functions), origin, len(names), cb, pred, len(p.Symbols), p.Notes)
	}
}
