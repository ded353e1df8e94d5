package main

import (
	"fmt"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{[]float64{3, 1, 2}, "2.0 [1.0 3.0]"}, {[]float64{4, 1}, "2.5 [1.0 4.0]"}, {[]float64{7}, "7.0 [7.0 7.0]"},
	} {
		if got := fmt.Sprintf("%.1f", newSpread(tt.values)); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.values, got, tt.want)
		}
	}
}
