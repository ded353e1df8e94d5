package page_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
)

// large returns the page of a large dataset.
func large(t *testing.T, l reporttest.Large) *page.Page {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := l.Write(dir); err != nil {
		t.Fatal(err)
	}
	p, err := page.Read([]string{dir}, page.Options{Title: "large"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fit returns a page of at most so many bytes.
func fit(t *testing.T, p *page.Page, most int64) []byte {
	t.Helper()
	text, err := p.Fit(most)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(text)) > most {
		t.Errorf("the page has %d bytes, more than %d", len(text), most)
	}
	return text
}

// A page of 10,000 functions and 40,000 paths of calls takes 800 KB at most, one of 100,000
// functions with 1.6 million lines 3 MB.
func TestSize(t *testing.T) {
	p := large(t, reporttest.Large{Functions: 10_000, Stacks: 40_000, Calls: 40_000})
	fit(t, p, 800_000)
	if len(p.Notes()) > 0 {
		t.Errorf("%q", p.Notes())
	}
	need.FullRun(t, "a hundred thousand functions take a gigabyte under the race detector")
	p = large(t, reporttest.Large{Functions: 100_000, Stacks: 40_000, Calls: 1_000_000})
	text := fit(t, p, 3_000_000)
	if len(p.Notes()) > 0 {
		t.Errorf("%q", p.Notes())
	}
	t.Logf("%d bytes", len(text))
}

// What is needed least goes first, and is named on the page.
func TestMaxSize(t *testing.T) {
	l := reporttest.Large{Functions: 2000, Stacks: 20_000, Calls: 20_000}
	whole := fit(t, large(t, l), 1<<30)
	p := large(t, l)
	drawn := len(p.Data.Times[0].Depth)
	text := fit(t, p, int64(len(whole)-1))
	if len(p.Notes()) != 1 || !strings.HasSuffix(p.Notes()[0], "28,000 lines that were not seen, of files without text") || !strings.Contains(string(text), p.Notes()[0]) {
		t.Errorf("%q", p.Notes())
	}
	if got := len(p.Data.Times[0].Depth); got != drawn {
		t.Errorf("%d spans are drawn, want %d", got, drawn)
	}
	p = large(t, l)
	text = fit(t, p, int64(len(text)-1))
	if len(p.Notes()) != 2 || !strings.Contains(string(text), p.Notes()[1]) || len(p.Data.Times[0].Depth) >= drawn {
		t.Errorf("%q, %d spans of %d", p.Notes(), len(p.Data.Times[0].Depth), drawn)
	}
	p = large(t, l)
	_, err := p.Fit(50_000)
	if e := (&page.SizeError{}); !errors.As(err, &e) || e.Most != 50_000 || e.Bytes <= e.Most {
		t.Errorf("%v", err)
	}
}
