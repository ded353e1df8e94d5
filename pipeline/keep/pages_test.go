package keep

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// What a manifest says of pages is read as it was written; what it cannot say is refused.
func TestPages(t *testing.T) {
	texts := []string{"0x00000000-0x00000fff", "0x00008000-0x0000afff", "0xfffff000-0xffffffff", "0x0000007f00000000-0x0000007f00000fff", "0xfffffffffffff000-0xffffffffffffffff"}
	p, err := ParsePages(texts)
	if err != nil {
		t.Fatal(err)
	}
	if got := PagesText(p); !slices.Equal(got, texts) {
		t.Errorf("%q", got)
	}
	for _, bad := range [][]string{{""}, {"0x1000"}, {"0x00002000-0x00001000"}, {"-1-2"}, make([]string, maxPageRanges+1)} {
		if _, err := ParsePages(bad); err == nil {
			t.Errorf("%.40q is read", bad)
		}
	}
	var scattered image.Pages
	for i := range schema.Address(maxPageRanges + 1) {
		scattered.Add(i<<13, i<<13)
	}
	if got := PagesText(&scattered); got != nil {
		t.Errorf("%d ranges are named", len(got))
	}
}
