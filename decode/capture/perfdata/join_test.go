package perfdata

import (
	"fmt"
	"slices"
	"testing"
)

// The trace of an AUX record is where its CPU's, or its thread's, AUXTRACE has it.
func TestJoin(t *testing.T) {
	const snapshot, raw, noCPU = 2, 0x100, 1<<32 - 1
	piece := func(text string, size, missing int) string { return fmt.Sprintf("%s %d-%d", text, size, missing) }
	of := func(b byte, n int) []byte { // trace whose first byte tells which it is
		return slices.Concat([]byte{b}, make([]byte, n-1))
	}
	for _, tt := range []struct {
		name    string
		records [][]byte
		want    []string // first byte of each piece, how many, how many are missing
		ring    Ring     // of the first AUXTRACE
	}{
		{
			"two in one",
			[][]byte{aux(1, 0, 16, 0, 0, 9), aux(2, 16, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 16)))},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"by time",
			[][]byte{aux(3, 0, 16, 0, 0, 9), aux(2, 16, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 16)))},
			[]string{"b 16-0", "a 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"rounded up",
			[][]byte{aux(1, 0, 9, raw, 0, 9), trace(0, 0, 0, 0, of('a', 16))},
			[]string{"a 9-0"},
			Ring{TID: -1, Bytes: 16, Padding: 7},
		},
		{
			"unclaimed before, between and behind",
			[][]byte{aux(1, 8, 8, 0, 0, 9), aux(2, 24, 8, 0, 0, 9), trace(0, 0, 0, 0, join(of('x', 8), of('a', 8), of('x', 8), of('b', 8), of('x', 8)))},
			[]string{"a 8-0", "b 8-0"},
			Ring{TID: -1, Bytes: 40, Unclaimed: 24},
		},
		{
			"another CPU's",
			[][]byte{aux(1, 0, 16, 0, 1, 9), trace(0, 0, 0, 0, of('a', 16)), trace(1, 1, 0, 0, of('b', 16)), aux(1, 0, 16, 0, 0, 9)},
			[]string{"b 16-0", "a 16-0"},
			Ring{TID: -1, Bytes: 16},
		},
		{
			"of threads",
			[][]byte{aux(1, 0, 16, 0, 3, 8), aux(2, 0, 16, 0, 3, 9), trace(0, noCPU, 9, 0, of('b', 16)), trace(1, noCPU, 8, 0, of('a', 16))},
			[]string{"a 16-0", "b 16-0"},
			Ring{CPU: -1, TID: 9, Bytes: 16},
		},
		{
			"outside",
			[][]byte{aux(1, 8, 16, 0, 0, 9), aux(2, 100, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('x', 8), of('a', 8)))},
			[]string{"a 8-8", "- 0-16"},
			Ring{TID: -1, Bytes: 16, Unclaimed: 8},
		},
		{
			"twice",
			[][]byte{aux(1, 0, 16, 0, 0, 9), aux(2, 0, 16, 0, 0, 9), aux(3, 8, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 8)))},
			[]string{"a 16-0", "b 8-0"},
			Ring{TID: -1, Bytes: 24},
		},
		{
			"empty but truncated",
			[][]byte{aux(1, 0, 16, 0, 0, 9), aux(2, 16, 0, 1, 0, 9), aux(3, 16, 0, 0, 0, 9), trace(0, 0, 0, 0, of('a', 16))},
			[]string{"a 16-0", "- 0-0"},
			Ring{TID: -1, Bytes: 16},
		},
		{
			"a ring anew",
			[][]byte{
				aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, of('a', 16)), aux(2, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, of('b', 16)),
			},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"a ring anew, AUX records behind",
			[][]byte{
				trace(0, 0, 0, 0, join(of('a', 16), of('b', 16))), aux(1, 0, 16, 0, 0, 9), aux(2, 16, 16, 0, 0, 9),
				trace(0, 0, 0, 0, join(of('c', 16), of('d', 16))), aux(3, 0, 16, 0, 0, 9), aux(4, 16, 16, 0, 0, 9),
			},
			[]string{"a 16-0", "b 16-0", "c 16-0", "d 16-0"},
			Ring{TID: -1, Bytes: 64},
		},
		{
			"late AUX record of a ring that goes on",
			[][]byte{
				aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('a', 16), of('b', 16))), aux(2, 16, 16, 0, 0, 9),
				aux(3, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, join(of('c', 16), of('d', 16))), aux(4, 16, 16, 0, 0, 9),
			},
			[]string{"a 16-0", "b 16-0", "c 16-0", "d 16-0"},
			Ring{TID: -1, Bytes: 64},
		},
		{
			"AUXTRACE records that go on",
			[][]byte{
				aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, of('a', 16)), aux(2, 16, 16, 0, 0, 9), trace(0, 0, 0, 16, of('b', 16)),
			},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"snapshot",
			[][]byte{aux(1, 64, 16, snapshot, 0, 9), aux(2, 80, 16, snapshot, 0, 9), trace(0, 0, 0, 48, join(of('a', 16), of('b', 16)))},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"snapshot of more than the ring",
			[][]byte{aux(2, 80, 4096, snapshot, 0, 9), trace(0, 0, 0, 48, of('a', 32))},
			[]string{"a 32-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"overwritten",
			[][]byte{aux(1, 16, 16, snapshot, 0, 9), aux(2, 80, 16, snapshot, 0, 9), trace(0, 0, 0, 64, of('a', 16))},
			[]string{"- 0-16", "a 16-0"},
			Ring{TID: -1, Bytes: 16},
		},
		{
			"two snapshots",
			[][]byte{
				aux(1, 16, 16, snapshot, 0, 9), trace(0, 0, 0, 0, of('a', 16)), aux(2, 16, 16, snapshot, 0, 9), trace(0, 0, 0, 0, of('b', 16)),
			},
			[]string{"a 16-0", "b 16-0"},
			Ring{TID: -1, Bytes: 32},
		},
		{
			"without AUX records",
			[][]byte{trace(0, 0, 0, 0, of('a', 16)), trace(0, 0, 0, 16, of('b', 8))},
			[]string{"a 16-0", "b 8-0"},
			Ring{TID: -1, Bytes: 24},
		},
		{
			"one ring without AUX records",
			[][]byte{trace(1, 1, 0, 0, of('a', 16)), aux(2, 0, 8, 0, 0, 9), trace(0, 0, 0, 0, of('b', 8))},
			[]string{"a 16-0", "b 8-0"},
			Ring{Index: 1, CPU: 1, TID: -1, Bytes: 16},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := simple(tt.records...).bytes()
			f := readBytes(t, b)
			var got []string
			for _, p := range f.Pieces {
				first := "-"
				if p.Size > 0 {
					first = string(b[p.Offset])
				}
				got = append(got, piece(first, int(p.Size), int(p.Missing)))
			}
			same(t, "pieces", tt.want, got)
			same(t, "ring", tt.ring, f.Rings[0])
			checkAccount(t, f)
		})
	}
}

// checkAccount checks that every byte of a ring is in one piece, or counted as in none.
func checkAccount(t testing.TB, f *File) {
	t.Helper()
	left := make([]int64, len(f.Rings))
	for i, r := range f.Rings {
		left[i] = r.Bytes - r.Padding - r.Unclaimed
	}
	for _, p := range f.Pieces {
		if p.Size > 0 {
			left[p.Ring] -= p.Size
		}
		if p.Size < 0 || p.Missing < 0 {
			t.Errorf("piece %+v", p)
		}
	}
	for i, n := range left {
		if n != 0 {
			t.Errorf("ring %+v: %d bytes are not accounted for", f.Rings[i], n)
		}
	}
}

func TestRingName(t *testing.T) {
	for want, r := range map[string]Ring{"cpu7": {Index: 3, CPU: 7, TID: -1}, "tid77": {CPU: -1, TID: 77}} {
		if got := r.Name(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A CPU's trace ID is what the kernel told last, else what the metadata have.
func TestTraceIDs(t *testing.T) {
	told := func(v uint64, cpu uint32) []byte { return rec(21, 0, u64(v), at(9, 9, 0, cpu)) }
	one := func(offset uint64) []byte { return aux(1+offset, offset, 8, 0, 0, 9) }
	bytes16 := trace(0, 0, 0, 0, make([]byte, 16))
	const unused = 1 << 31
	for _, tt := range []struct {
		name    string
		static  uint64
		records [][]byte
		ids     []TraceID // of the CPU
		pieces  []TraceID
		note    string
	}{
		{"static", 0x10, [][]byte{one(0)}, []TraceID{{0x10, 0}}, []TraceID{{0x10, 0}}, ""},
		{"unused, of an old kernel", unused | 0x10, [][]byte{one(0)}, []TraceID{{0x10, 0}}, []TraceID{{0x10, 0}}, ""},
		{"unused, another CPU is told", unused | 0x10, [][]byte{told(0x12, 1), one(0)}, nil, []TraceID{{}}, "CPU 0 has no trace ID: its trace in CoreSight frames is nobody's"},
		{"none", 0x7F, [][]byte{one(0)}, nil, []TraceID{{}}, "CPU 0 has no trace ID: its trace in CoreSight frames is nobody's"},
		{"zero", 0, [][]byte{one(0)}, nil, []TraceID{{}}, "CPU 0 has no trace ID: its trace in CoreSight frames is nobody's"},
		{"told", 0, [][]byte{told(0x33, 0), one(0)}, []TraceID{{0x33, 0}}, []TraceID{{0x33, 0}}, ""},
		{"told, sink of minor version 0", 0, [][]byte{told(0x12345678_33, 0), one(0)}, []TraceID{{0x33, 0}}, []TraceID{{0x33, 0}}, ""},
		{"told, sink", 0, [][]byte{told(1<<56|0xFEDCBA98_33, 0), one(0)}, []TraceID{{0x33, 0xFEDCBA98}}, []TraceID{{0x33, 0xFEDCBA98}}, ""},
		{"told otherwise", 0x10, [][]byte{told(0x33, 0), one(0)}, []TraceID{{0x33, 0}}, []TraceID{{0x33, 0}}, "CPU 0 has trace ID 0x10 in the metadata and 0x33 by the kernel, which holds"},
		{"told the same", 0x10, [][]byte{told(0x10, 0), one(0)}, []TraceID{{0x10, 0}}, []TraceID{{0x10, 0}}, ""},
		{"told anew", 0, [][]byte{told(0x33, 0), one(0), told(0x34, 0), told(0x34, 0), one(8)}, []TraceID{{0x33, 0}, {0x34, 0}}, []TraceID{{0x33, 0}, {0x34, 0}}, ""},
		{"told late", 0, [][]byte{one(0), told(0x33, 0)}, []TraceID{{0x33, 0}}, []TraceID{{0x33, 0}}, ""},
		{"major version", 0x10, [][]byte{told(1<<60|0x33, 0), one(0)}, []TraceID{{0x10, 0}}, []TraceID{{0x10, 0}}, "perf.data: 1 record of a trace ID in an unknown version: left out; the first at offset 0x160"},
		{"reserved", 0x10, [][]byte{told(0x70, 0), one(0)}, []TraceID{{0x10, 0}}, []TraceID{{0x10, 0}}, "perf.data: 1 record of a trace ID that cannot be: left out; the first at offset 0x160"},
		{"of no CPU", 0x10, [][]byte{told(0x33, 1<<32-1), one(0)}, []TraceID{{0x10, 0}}, []TraceID{{0x10, 0}}, "perf.data: 1 record of a trace ID that cannot be: left out; the first at offset 0x160"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := simple()
			r.records = join(info(2, block(0, tt.static)), join(tt.records...), bytes16)
			f := read(t, r)
			var got []TraceID
			for _, p := range f.Pieces {
				got = append(got, TraceID{p.TraceID, p.Sink})
			}
			same(t, "IDs", tt.ids, f.Metadata.CPUs[0].TraceIDs)
			same(t, "pieces", tt.pieces, got)
			if !slices.Contains(append(f.Notes, ""), tt.note) {
				t.Errorf("notes %q, want %q", f.Notes, tt.note)
			}
		})
	}
}

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
