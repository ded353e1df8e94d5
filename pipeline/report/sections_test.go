package report_test

import (
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// The section of an address is that of its core, else one of every core.
func TestSection(t *testing.T) {
	all := merged(t, report.Options{}, `
source 0x10
file b.elf 0x2000 0x10 match=1
file a.elf 0x1000 0x20 match=1
file c.elf 0x1010 0x10 match=1 core=cpu_1
memory ram.bin 0x0 0x10000
`).Sections()
	for _, tt := range []struct {
		core    string
		address schema.Address
		want    string
	}{
		{"", 0xfff, ""},
		{"", 0x1000, "a.elf"},
		{"", 0x101f, "a.elf"},
		{"", 0x1020, ""},
		{"", 0x2000, "b.elf"},
		{"", 0xffffffff, ""},
		{"cpu_0", 0x1010, "a.elf"},
		{"cpu_1", 0x1010, "c.elf"},
		{"cpu_1", 0x100f, "a.elf"},
	} {
		got := ""
		if i := all.Find(tt.core, tt.address); i >= 0 {
			got = all[i].File
		}
		if got != tt.want {
			t.Errorf("%q 0x%x: %q, want %q", tt.core, tt.address, got, tt.want)
		}
	}
}
