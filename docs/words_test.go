package docs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The pages but those of single protocols can be read in an afternoon.
func TestPagesAreShort(t *testing.T) {
	const most = 42_000
	words := 0
	for _, pattern := range []string{"*.md", "guide/*.md", "queries/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatal(pattern, err)
		}
		for _, page := range pages {
			if !slices.Contains([]string{"etmv2.md", "etmv3.md", "etmv4.md", "perfdata.md", "trace-port.md"}, filepath.Base(page)) {
				words += len(strings.Fields(read(t, filepath.Join("docs", page))))
			}
		}
	}
	if words > most {
		t.Errorf("%d words, at most %d", words, most)
	}
}
