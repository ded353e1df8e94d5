package perfdata

import "testing"

// FuzzRead: what holds for any file holds for these, and for a second part without a header.
func FuzzRead(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, []byte(nil))
		f.Add(b, aux(1, 0, 16, 0, 0, 9))
	}
	f.Fuzz(func(t *testing.T, b, more []byte) {
		if Detect(b) {
			checkAny(t, part("data", b), part("data.0", more))
		}
	})
}
