package etmv1

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/port"
)

// Addresses complete each other in the order in which they come out of the FIFO
// (docs/etmv2.md §4.4). One that is cut short leaves nothing of its last byte, and
// later ones are unknown up to the next full one.
func TestAddressesAfterEachOther(t *testing.T) {
	const full8, full4 = "IE:80* IE:80 IE:82 IE:80 IE:00 ", "IE:0* IE:8 IE:0 IE:8 IE:2 IE:8 IE:0 IE:8 IE:0 IE:0 "
	for _, tt := range []struct {
		name    string
		width   port.Width
		ids     int
		samples string
		want    []string
	}{
		{"bits that are not sent stay", 8, 0, full8 + "IE:c1* IE:01 IE:42*", []string{"8000", "80c1", "80c2"}},
		{
			"bits that are sent replace", 8, 0, "IE:ff* IE:ff IE:ff IE:ff IE:0f IE:80* IE:00 IE:01*",
			[]string{"ffffffff", "ffffc000", "ffffc001"},
		},
		{"nothing before", 8, 0, "IE:41* " + full8 + "IE:41*", []string{"41 unknown", "8000", "8041"}},
		{
			"cut short", 8, 0, full8 + "IE:c1* IE:80 IE:42* " + full8 + "IE:43*",
			[]string{"8000", "0 unknown", "8042 unknown", "8000", "8043"},
		},
		{"4 pins", 4, 0, full4 + "IE:1* IE:4", []string{"8000", "8041"}},
		{"4 pins, the others float", 4, 0, full4 + "IE:f1* IE:f4", []string{"8000", "8041"}},
		{
			"4 pins, cut short in a byte", 4, 0, full4 + "IE:1* " + full4 + "IE:2* IE:4",
			[]string{"8000", "0 unknown", "8000", "8042"},
		},
		{
			"16 pins, the upper half begins no address", 16, 0, "IE:8080* IE:8082 IE:5500 IE:0041*",
			[]string{"8000 half", "8041 half"},
		},
		{"16 pins, the upper half ends one", 16, 0, "IE:8080* IE:8082 IE:5500 IE:01c1*", []string{"8000 half", "80c1"}},
		{
			"Context ID, cut short", 8, 2,
			"IE:80* IE:80 IE:82 IE:80 IE:40 IE:34 IE:80* IE:80 IE:82 IE:80 IE:40 IE:34 IE:12",
			[]string{"8000 of 34 unknown", "8000 of 1234"},
		},
		{
			"no Context ID after a cut short one", 8, 2, "IE:80* IE:80 IE:82 IE:80 IE:40 IE:34 IE:41* IE:00",
			[]string{"8000 of 34 unknown", "8041 unknown"},
		},
		{
			"Jazelle up to the next full one", 8, 0, "IE:80* IE:80 IE:82 IE:80 IE:80 IE:41* " + full8 + "IE:42*",
			[]string{"8000 jazelle", "8041 jazelle", "8000", "8042"},
		},
	} {
		c := config(tt.width)
		c.ContextIDBytes = tt.ids
		a := newFramer(c).addresses
		for i, s := range port.Samples(records(t, tt.samples)) {
			a.take(s, int64(i))
		}
		var got []string
		for i := range a.came.all() {
			got = append(got, addressWords(a.find(int64(i))))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// addressWords says what an address is.
func addressWords(x *received) string {
	words := []string{fmt.Sprintf("%x", x.target)}
	if x.contextID != 0 {
		words = append(words, fmt.Sprintf("of %x", x.contextID))
	}
	for _, f := range []struct {
		set  bool
		word string
	}{{x.Jazelle, "jazelle"}, {x.half, "half"}, {x.unknown, "unknown"}} {
		if f.set {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, " ")
}
