package image

import "testing"

// The profile is that of the build attributes, which come after texts.
func TestArchProfile(t *testing.T) {
	file := func(attributes string) string { return "A\x30\x00\x00\x00aeabi\x00\x01\x20\x00\x00\x00" + attributes }
	for _, tt := range []struct {
		name, section string
		want          byte
	}{
		{"M", file("\x05Cortex-M33\x00\x06\x11\x07M\x09\x03"), 'M'},
		{"after the standard, a text", file("\x432.09\x00\x06\x11\x07M"), 'M'},
		{"A, no name", file("\x06\x0a\x07A"), 'A'},
		{"classic", file("\x06\x0a\x07S"), 0},
		{"not said", file("\x06\x0a\x09\x03"), 0},
		{"cut in a text", file("\x05Cortex"), 0},
		{"cut in a number", file("\x06\x0a\x07"), 0},
		{"of nobody", "A", 0},
		{"of sections alone", "A\x30\x00\x00\x00aeabi\x00\x02\x20\x00\x00\x00\x07M", 0},
		{"empty", "", 0},
	} {
		if got := archProfile([]byte(tt.section)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
