package figures_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/figures"
)

// A loss of one byte in a gigabyte is no 0 %, and what is left no 100 %.
func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		n, total int64
		want     string
	}{
		{0, 10, "0 %"},
		{10, 10, "100 %"},
		{0, 0, "100 %"},
		{1, 3, "33.33 %"},
		{2, 3, "66.67 %"},
		{1, 1 << 30, "< 0.1 %"},
		{1, 1000, "0.10 %"},
		{27, 352_666, "< 0.1 %"},
		{1<<30 - 1, 1 << 30, "99.99 %"},
		{1<<62 - 1, 1 << 62, "99.99 %"},
	} {
		if got := figures.Percent(tt.n, tt.total); got != tt.want {
			t.Errorf("Percent(%d, %d) = %s, want %s", tt.n, tt.total, got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 gap": figures.Count(1, "gap"), "0 gaps": figures.Count(0, "gap"), "2,000 losses": figures.Count(2000, "loss"),
		"2 branches": figures.Count(2, "branch"), "1 entry": figures.Count(1, "entry"), "3 entries": figures.Count(3, "entry"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestPercentTo(t *testing.T) {
	for want, got := range map[string]string{
		"66.7": figures.PercentTo(2, 3, 1), "99.9": figures.PercentTo(1<<20-1, 1<<20, 1), "< 0.1": figures.PercentTo(1, 1<<20, 1), "0.1": figures.PercentTo(1, 1000, 1), "1": figures.PercentTo(1, 1<<20, 0),
		"100": figures.PercentTo(3, 3, 1), "0": figures.PercentTo(0, 3, 1),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestShare(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 1: "100 %", 0.125: "12.50 %", 1e-9: "< 0.1 %", 1 - 1e-9: "99.99 %"} {
		if got := figures.Share(share); got != want {
			t.Errorf("Share(%v) = %s, want %s", share, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1: "-1", -123: "-123", -1234: "-1,234",
	} {
		if got := figures.Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %s, want %s", n, got, want)
		}
	}
}
