//go:build unix

package page_test

import (
	_ "embed"
	"math"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
)

//go:embed testdata/minimap.js
var minimap string

// The minimap moves the window by drag, wheel, two fingers and keys, each from 40 to 60 % of the whole, and says where
// it is. Two fingers on the lanes zoom: what they are on stays under them.
func TestMinimap(t *testing.T) {
	type answer struct {
		Windows   map[string][2]float64
		Now, From float64
		Said      string
		Tab       int
	}
	got, visit := browsertest.Ask[answer](t, opened(t, "sample"), browsertest.View{Width: 1200, Height: 900}, minimap)
	keep(t, visit.Picture)
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.003 } // of a pixel or two
	for _, tt := range []struct {
		name     string
		from, to float64
	}{
		{"choose", 0.4, 0.6},
		{"move", 0.6, 0.8},
		{"edge", 0.4, 0.8},
		{"beside", 0.1, 0.3},
		{"wheel", 0.4, 0.528}, // 0.2 / 1.25²
		{"two fingers", 0.3, 0.9},
		{"D", 0.45, 0.65},
		{"left", 0.35, 0.55},
		{"W", 0.45, 0.55},
		{"Home", 0, 1},
		{"pinch", 0.3, 0.7}, // fingers on 0.5 and 0.6, which come half as near
	} {
		if w := got.Windows[tt.name]; !near(w[0], tt.from) || !near(w[1], tt.to) {
			t.Errorf("%s: the window is %.3f to %.3f, want %.3f to %.3f", tt.name, w[0], w[1], tt.from, tt.to)
		}
	}
	if !near(got.Now, got.From) || !strings.HasPrefix(got.Said, "cycles ") || got.Tab != 0 {
		t.Errorf("it says it is at %.3f, %q, want %.3f; its tabindex is %d", got.Now, got.Said, got.From, got.Tab)
	}
}
