//go:build unix

package page_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
)

// The module writes percentages as reports do, also where two results are equally near.
func TestPercent(t *testing.T) {
	type share struct {
		N, Of    int64
		Decimals int
	}
	var shares []share
	for _, of := range []int64{1, 2, 3, 7, 8, 16, 40, 80, 160, 200, 400, 790, 999, 1000, 1001, 1600, 2000, 34642, 438644,
		1e6, 1e9, 1e15} {
		for _, n := range []int64{0, 1, 2, 3, 5, of / 16, of / 8, of / 7, of / 3, of/2 - 1, of / 2, of / 2 * 3 / 4, of - 3,
			of - 2, of - 1, of} {
			for _, decimals := range []int{1, 2} {
				if 0 <= n && n <= of {
					shares = append(shares, share{n, of, decimals})
				}
			}
		}
	}
	for n := range int64(801) {
		shares = append(shares, share{n, 800, 1}, share{n, 800, 2})
	}
	list, err := json.Marshal(shares)
	if err != nil {
		t.Fatal(err)
	}
	open := browsertest.ChangeModule(t, pageOf(t, "sample"),
		func(module string) string { return module + "\nglobalThis.percent = percent;\n" })
	got, _ := browsertest.Ask[[]string](t, open, browsertest.View{Width: 390, Height: 844},
		fmt.Sprintf("return %s.map(s => percent(s.N, s.Of, s.Decimals));", list))
	for i, s := range shares {
		if want := figures.PercentTo(s.N, s.Of, s.Decimals); got[i] != want {
			t.Errorf("%d of %d with %d decimals: %s, want %s", s.N, s.Of, s.Decimals, got[i], want)
		}
	}
}
