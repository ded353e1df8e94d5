package perfdata

import (
	"fmt"
	"slices"
	"testing"
)

// Kind and registers are by the block, and the counts of its version.
func TestMetadata(t *testing.T) {
	etmv4 := []uint64{0x40, 0x10, 3, 4, 5, 6, 7}
	names := []string{"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS", "TRCDEVARCH"}
	regs := func(names []string, values ...uint64) (all []Register) {
		for i, v := range values {
			all = append(all, Register{names[i], v})
		}
		return all
	}
	etmv3 := []string{"ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR"}
	counted := func(kind uint64, values ...uint64) []byte {
		return u64(slices.Concat([]uint64{kind, 2, uint64(len(values))}, values)...)
	}
	const lost, version3 = "perf.data: CPU 2 has an unknown trace unit (0x6060606060606060): its trace has no registers", "perf.data: metadata have the unknown version 3: they are read by their counts"
	for _, tt := range []struct {
		name    string
		version uint64
		block   []byte
		kind    Kind
		regs    []Register
		source  TimestampSource
		note    string
	}{
		{"version 0, ETMv3", 0, u64(blockETMv3, 2, 1, 2, 3, 0x4110F240), ETMv3, regs(etmv3, 1, 2, 3, 0x4110F240), 0, ""},
		{"version 0, PTM", 0, u64(blockETMv3, 2, 1, 2, 3, 0x411CF310), PTM, regs(etmv3, 1, 2, 3, 0x411CF310), 0, ""},
		{"version 0, ETMv4", 0, u64(slices.Concat([]uint64{blockETMv4, 2}, etmv4)...), ETMv4, regs(names, etmv4...), 0, ""},
		{"PTM", 1, counted(blockETMv3, 1, 2, 3, 0x411CF310, 99), PTM, regs(etmv3, 1, 2, 3, 0x411CF310), 0, ""},
		{"ETMv4", 1, counted(blockETMv4, etmv4...), ETMv4, regs(names, etmv4...), 0, ""},
		{"virtual counter", 2, counted(blockETMv4, append(slices.Clone(etmv4), 0)...), ETMv4, regs(names, etmv4...), VirtualCounter, ""},
		{"physical counter", 2, counted(blockETMv4, append(slices.Clone(etmv4), 1, 99)...), ETMv4, regs(names, etmv4...), PhysicalCounter, ""},
		{"unknown counter", 2, counted(blockETMv4, append(slices.Clone(etmv4), 1<<64-1)...), ETMv4, regs(names, etmv4...), UnknownTimestamps, ""},
		{"fewer parameters", 1, counted(blockETMv4, 0x40, 0x10), ETMv4, regs(names, 0x40, 0x10), 0, ""},
		{"ETE", 1, counted(blockETE, append(slices.Clone(etmv4), 0x47705A13)...), ETE, regs(names, append(slices.Clone(etmv4), 0x47705A13)...), 0, ""},
		{"ETE, counter", 2, counted(blockETE, append(slices.Clone(etmv4), 0x47715A13, 1)...), ETE, regs(names, append(slices.Clone(etmv4), 0x47715A13)...), PhysicalCounter, ""},
		{"ETMv4 in a block of an ETE", 1, counted(blockETE, append(slices.Clone(etmv4), 0x47724A13)...), ETMv4, regs(names, append(slices.Clone(etmv4), 0x47724A13)...), 0, ""},
		{"another part", 1, counted(blockETE, append(slices.Clone(etmv4), 0x47705A14)...), ETMv4, regs(names, append(slices.Clone(etmv4), 0x47705A14)...), 0, ""},
		{"version 3", 3, counted(blockETMv4, etmv4...), ETMv4, regs(names, etmv4...), 0, version3},
		{"unknown unit", 2, join(counted(0x6060606060606060, 1, 2, 3), counted(blockETMv4, etmv4...)), ETMv4, regs(names, etmv4...), 0, lost},
		{"words behind", 1, join(counted(blockETMv4, etmv4...), u64(1)), ETMv4, regs(names, etmv4...), 0, "perf.data: 8 bytes follow the last CPU's registers, and are left out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blocks := [][]byte{tt.block}
			if tt.note == lost {
				blocks = append(blocks, nil)
			}
			r := simple()
			r.records = join(info(tt.version, blocks...), trace(0, 2, 0, 0, make([]byte, 8)))
			f := read(t, r)
			c := f.Metadata.CPUs[0]
			same(t, "kind", tt.kind, c.Kind)
			same(t, "registers", tt.regs, c.Registers)
			same(t, "source", tt.source, c.Timestamp)
			if !slices.Contains(append(f.Notes, ""), tt.note) {
				t.Errorf("notes %q, want %q", f.Notes, tt.note)
			}
		})
	}
	if kind := fmt.Sprint(ETMv3, PTM, ETMv4, ETE); kind != "ETMv3 PTM ETMv4 ETE" {
		t.Error(kind)
	}
}
