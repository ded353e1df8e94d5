package decode

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// plain returns the offsets one by one.
func plain(o CaptureOffsets) (at []CaptureOffset) {
	c := NewOffsetCursor(o)
	for i := range o.Len() {
		at = append(at, c.At(i))
	}
	return at
}

// Runs give the offsets that a list of all of them has, however they were appended,
// sliced and joined, and in whatever order they are asked for.
func TestCaptureOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		step := 1 + rng.IntN(4)*rng.IntN(2)
		o := CaptureOffsets{step: CaptureOffset(step)}
		var want []CaptureOffset
		for range 1 + rng.IntN(30) {
			at, n := CaptureOffset(rng.Int64N(1<<40)), 1+rng.IntN(16)
			if len(want) > 0 && rng.IntN(3) == 0 {
				at = want[len(want)-1] + CaptureOffset(step) // continues
			}
			if rng.IntN(2) == 0 {
				o.Append(at, n)
			} else {
				o.AppendAll(OffsetsFrom(at, step, n))
			}
			for i := range n {
				want = append(want, at+CaptureOffset(i*step))
			}
		}
		i := rng.IntN(len(want))
		j := i + rng.IntN(len(want)-i+1)
		part := o.Slice(i, j)
		o.Append(0, 3) // does not show in the slice
		if got := plain(part); !slices.Equal(got, want[i:j]) {
			t.Fatalf("units %d to %d are at %v, want %v", i, j, got, want[i:j])
		}
		rest := OffsetsFrom(7, step, 2)
		rest.AppendAll(part)
		if got := plain(rest)[2:]; !slices.Equal(got, want[i:j]) {
			t.Fatalf("joined: %v, want %v", got, want[i:j])
		}
		c := NewOffsetCursor(part)
		for range 100 {
			k := rng.IntN(max(part.Len(), 1))
			if part.Len() > 0 && (c.At(k) != want[i+k] || part.At(k) != want[i+k]) {
				t.Fatalf("unit %d is at %d and at %d, want %d", k, c.At(k), part.At(k), want[i+k])
			}
		}
		for at := 0; at < part.Len(); {
			first, by, n := c.Adjacent(at)
			if last := first + CaptureOffset(n-1)*by; first != want[i+at] || last != want[i+at+n-1] {
				t.Fatalf("%d units from %d to %d, want %d to %d", n, first, last, want[i+at], want[i+at+n-1])
			}
			at += n
		}
	}
}

// Offsets of adjacent bytes take up one run, however they are appended.
func TestAdjacentOffsets(t *testing.T) {
	var o CaptureOffsets
	for i := range CaptureOffset(1000) {
		o.Append(100+3*i, 3)
	}
	if len(o.runs) != 1 || o.Len() != 3000 || o.At(2999) != 3099 {
		t.Errorf("%d runs of %d units, the last at %d", len(o.runs), o.Len(), o.At(2999))
	}
}

// Looking up a unit that is not there panics, as an index of a slice does.
func TestOffsetsOutOfRange(t *testing.T) {
	o := OffsetsFrom(5, 1, 3)
	c := NewOffsetCursor(o)
	for name, f := range map[string]func(){
		"after": func() { c.At(3) }, "before": func() { c.At(-1) }, "slice": func() { o.Slice(2, 4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
