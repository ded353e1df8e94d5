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
	forms := []Form{{}, {Step: 4}, {Group: 15, Gap: 1}, {Group: 3, Gap: 1}, {Group: 2, Gap: 2},
		{Step: 2, Group: 4, Gap: 9}}
	for range 600 {
		form := forms[rng.IntN(len(forms))]
		o := CaptureOffsets{form: form}
		var want []CaptureOffset
		for range 1 + rng.IntN(30) {
			at, n := CaptureOffset(rng.Int64N(1<<40)), 1+rng.IntN(40)
			if k := o.Len(); k > 0 && rng.IntN(3) > 0 { // continues, with whole groups
				last := o.runs[len(o.runs)-1]
				at = last.at + form.after(k-last.unit)
				if form.Group > 0 && (k-last.unit)%form.Group > 0 {
					n = form.Group - (k-last.unit)%form.Group
				}
			}
			if x := OffsetsFrom(at, n, form); rng.IntN(2) == 0 {
				o.Append(at, n)
			} else {
				o.AppendAll(x)
			}
			start := at
			if k := o.to - n - o.runs[len(o.runs)-1].unit; form.Group > 0 && k%form.Group > 0 {
				start -= form.after(k % form.Group) // its group began before
				for i := range n {
					want = append(want, start+form.after(k%form.Group+i))
				}
				continue
			}
			for i := range n {
				want = append(want, start+form.after(i))
			}
		}
		i := rng.IntN(len(want))
		j := i + rng.IntN(len(want)-i+1)
		part := o.Slice(i, j)
		o.Append(0, 3) // does not show in the slice
		if got := plain(part); !slices.Equal(got, want[i:j]) {
			t.Fatalf("%+v: units %d to %d are at %v, want %v", form, i, j, got, want[i:j])
		}
		rest := OffsetsFrom(7, 2, form)
		rest.AppendAll(part)
		if got := plain(rest)[2:]; !slices.Equal(got, want[i:j]) {
			t.Fatalf("%+v: joined: %v, want %v", form, got, want[i:j])
		}
		c := NewOffsetCursor(part)
		for range 100 {
			k := rng.IntN(max(part.Len(), 1))
			if part.Len() > 0 && (c.At(k) != want[i+k] || part.At(k) != want[i+k]) {
				t.Fatalf("%+v: unit %d is at %d and at %d, want %d", form, k, c.At(k), part.At(k), want[i+k])
			}
		}
		for at := 0; at < part.Len(); {
			first, by, n := c.Adjacent(at)
			if last := first + CaptureOffset(n-1)*by; first != want[i+at] || last != want[i+at+n-1] {
				t.Fatalf("%+v: %d units from %d to %d, want %d to %d", form, n, first, last, want[i+at], want[i+at+n-1])
			}
			at += n
		}
	}
}

// Offsets of adjacent bytes, and of frames without an ID byte, take up one run, however
// they are appended.
func TestAdjacentOffsets(t *testing.T) {
	var o CaptureOffsets
	frames := CaptureOffsets{form: Form{Group: 15, Gap: 1}}
	for i := range CaptureOffset(1000) {
		o.Append(100+3*i, 3)
		frames.Append(16*i, 14)
		frames.Append(16*i+14, 1)
	}
	if len(o.runs) != 1 || o.Len() != 3000 || o.At(2999) != 3099 {
		t.Errorf("%d runs of %d units, the last at %d", len(o.runs), o.Len(), o.At(2999))
	}
	if len(frames.runs) != 1 || frames.Len() != 15000 || frames.At(14999) != 15998 {
		t.Errorf("%d runs of %d bytes of frames, the last at %d", len(frames.runs), frames.Len(), frames.At(14999))
	}
}

// Looking up a unit that is not there panics, as an index of a slice does.
func TestOffsetsOutOfRange(t *testing.T) {
	o := OffsetsFrom(5, 3, Form{})
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
