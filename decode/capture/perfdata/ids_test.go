package perfdata

import (
	"slices"
	"testing"
)

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
