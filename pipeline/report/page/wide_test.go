//go:build unix

package page_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// searches returns which function an address that is searched for leads to.
const searches = `
const found = {};
const box = document.querySelector("#search input");
for (const typed of ["0xffffffc000081004", "0xffffffc000081204", "0xffffffc000081fff", "0x8004", "0x7fff", "0x40000000000000"]) {
  box.value = typed;
  box.dispatchEvent(new Event("input", {bubbles: true}));
  box.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  found[typed] = new URLSearchParams(location.hash.slice(1)).get("fn") ?? "";
}
return found;
`

// Addresses that JavaScript has no numbers for are exact: four functions of one name, of which two are at addresses
// from 2⁵³ on that differ in their last bits.
func TestWideAddresses(t *testing.T) {
	var d strings.Builder
	fmt.Fprintln(&d, "source 0x10 bytes=1000 checks=10")
	for i, address := range []uint64{0x8000, 0x40_0000_0000, 0xffff_ffc0_0008_1000, 0xffff_ffc0_0008_1200} {
		fmt.Fprintf(&d, "file a.elf %#x 16\nfunction %#x 16 f at=a.c:%d\n", address, address, i+1)
		for j := range uint64(4) {
			fmt.Fprintf(&d, "code %#x a64 other at=a.c:%d executed=1\n", address+4*j, i+1)
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := datasettest.Write(dir, d.String()); err != nil {
		t.Fatal(err)
	}
	got, visit := browsertest.Ask[map[string]string](t, written(t, dir, content.Options{Title: "wide"}), browsertest.View{Width: 1200, Height: 900}, searches)
	for _, message := range visit.Console {
		t.Errorf("the console: %s", message)
	}
	want := map[string]string{
		"0xffffffc000081004": "f@0xffffffc000081000", "0xffffffc000081204": "f@0xffffffc000081200", "0xffffffc000081fff": "f@0xffffffc000081200",
		"0x8004": "f@0x00008000", "0x7fff": "f@0x00008000", "0x40000000000000": "f@0x0000004000000000",
	}
	if !maps.Equal(got, want) {
		t.Errorf("addresses lead to %q, want %q", got, want)
	}
}
