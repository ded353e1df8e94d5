package page_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// large writes a large dataset and returns what reads its page.
func large(t *testing.T, l datasettest.Large) func() *page.Page {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := l.Write(dir); err != nil {
		t.Fatal(err)
	}
	return func() *page.Page {
		p, err := page.Read([]string{dir}, content.Options{Title: "large"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
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
	need.FullRun(t, "a hundred thousand functions take a gigabyte, and minutes under the race detector")
	for _, tt := range []struct {
		large datasettest.Large
		most  int64
	}{
		{datasettest.Large{Functions: 10_000, Stacks: 40_000, Calls: 40_000}, 800_000},
		{datasettest.Large{Functions: 100_000, Stacks: 40_000, Calls: 1_000_000}, 3_000_000},
	} {
		p := large(t, tt.large)()
		fit(t, p, tt.most)
		if len(p.Notes()) > 0 {
			t.Errorf("%q", p.Notes())
		}
	}
}

// What is needed least goes first, and is named on the page.
func TestMaxSize(t *testing.T) {
	read := large(t, datasettest.Large{Functions: 400, Stacks: 4000, Calls: 4000})
	whole := fit(t, read(), 1<<30)
	p := read()
	drawn := len(p.Data.Times[0].Depth)
	text := fit(t, p, int64(len(whole)-1))
	if len(p.Notes()) != 1 || !strings.HasSuffix(p.Notes()[0], "5,600 lines that were not seen, of files without text") || !strings.Contains(string(text), p.Notes()[0]) {
		t.Errorf("%q", p.Notes())
	}
	if got := len(p.Data.Times[0].Depth); got != drawn {
		t.Errorf("%d spans are drawn, want %d", got, drawn)
	}
	p = read()
	text = fit(t, p, int64(len(text)-1))
	if len(p.Notes()) != 2 || !strings.HasSuffix(p.Notes()[1], "800 instructions of source lines") || len(p.Data.Times[0].Depth) != drawn {
		t.Errorf("%q, %d spans of %d", p.Notes(), len(p.Data.Times[0].Depth), drawn)
	}
	p = read()
	text = fit(t, p, int64(len(text)-1))
	if len(p.Notes()) != 3 || !strings.Contains(string(text), p.Notes()[2]) || len(p.Data.Times[0].Depth) >= drawn {
		t.Errorf("%q, %d spans of %d", p.Notes(), len(p.Data.Times[0].Depth), drawn)
	}
	p = read()
	_, err := p.Fit(20_000)
	if e := (&page.SizeError{}); !errors.As(err, &e) || e.Most != 20_000 || e.Bytes <= e.Most {
		t.Errorf("%v", err)
	}
}
