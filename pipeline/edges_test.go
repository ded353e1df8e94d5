package pipeline

import (
	"cmp"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file counts edges a second time, plainly, and asks opcodes where they lead.

// An edgeRow is the key of a row of `edges` in its source.
type edgeRow struct {
	from, to      int64
	kind, outcome string
}

// An edgeCount is the rest of it.
type edgeCount struct {
	n      int64
	cycles schema.Null[int64]
}

// between is something between two instructions.
type between struct {
	offset, ordinal int64
	what            string // entry, gap, debug_exit
	returnAddress   schema.Null[int64]
}

// betweens returns what there is before an instruction, by its seq, in order.
func (d *decodedTables) betweens() map[int64][]between {
	all := map[int64][]between{}
	seq, offset := d.integers(&schema.Exceptions, "seq"), d.integers(&schema.Exceptions, "byte_offset")
	event, back := d.column(&schema.Exceptions, "event"), d.column(&schema.Exceptions, "return_address")
	for i, s := range seq {
		if schema.ExceptionEvent(event.U8[i]) == schema.ExceptionEntry {
			address := schema.Null[int64]{V: integer(back, i), OK: !null(back, i)}
			all[s] = append(all[s], between{offset[i], int64(i), "entry", address})
		}
	}
	seq, offset = d.integers(&schema.Events, "seq"), d.integers(&schema.Events, "byte_offset")
	for i, s := range seq {
		switch name := schema.EventKind(d.column(&schema.Events, "event").U8[i]).String(); name {
		case "debug_exit":
			all[s] = append(all[s], between{offset: offset[i], what: name})
		case "trace_on", "overflow", "unmapped", "no_address", "jazelle", "discontinuity":
			all[s] = append(all[s], between{offset: offset[i], what: "gap"})
		}
	}
	seq, offset = d.integers(&schema.Losses, "seq"), d.integers(&schema.Losses, "byte_offset")
	for i, s := range seq {
		all[s] = append(all[s], between{offset: offset[i], what: "gap"})
	}
	for _, b := range all {
		slices.SortFunc(b, func(x, y between) int {
			return cmp.Or(cmp.Compare(x.offset, y.offset), cmp.Compare(x.ordinal, y.ordinal))
		})
	}
	return all
}

// goesTo is where control goes, given what comes next and the address after all of
// it.
func goesTo(b []between, next int64) schema.Null[int64] {
	switch {
	case len(b) == 0:
		return schema.Of(next)
	case b[0].what == "entry":
		return b[0].returnAddress
	}
	return schema.Null[int64]{}
}

// plainEdges counts the edges between rows of `instructions`.
func (d *decodedTables) plainEdges() map[edgeRow]edgeCount {
	table := &schema.Instructions
	address, seq := d.integers(table, "address"), d.integers(table, "seq")
	kind, executed, cycles := d.column(table, "kind"), d.column(table, "executed"), d.column(table, "cycles")
	betweens := d.betweens()
	edges := map[edgeRow]edgeCount{}
	add := func(i int, to schema.Null[int64], kind, outcome string) {
		if !to.OK {
			return
		}
		key := edgeRow{address[i], to.V, kind, outcome}
		e := edges[key]
		e.n++
		if !null(cycles, i) {
			e.cycles = schema.Of(e.cycles.V + integer(cycles, i))
		}
		edges[key] = e
	}
	for i := range max(0, len(address)-1) {
		b, next := betweens[seq[i+1]], address[i+1]
		if slices.ContainsFunc(b, func(x between) bool { return x.what == "debug_exit" }) {
			continue
		}
		if k := schema.Kind(kind.U8[i]); k != schema.KindOther && k != schema.KindBarrier {
			outcome := "unknown"
			if !null(executed, i) {
				outcome = []string{"not_taken", "taken"}[integer(executed, i)]
			}
			add(i, goesTo(b, next), k.String(), outcome)
		}
		for k := range b {
			if b[k].what != "entry" {
				break
			}
			add(i, goesTo(b[k+1:], next), "exception", "taken")
		}
	}
	return edges
}

// edges returns the rows of `edges`, which must be in order.
func (d *decodedTables) edges(t testing.TB) map[edgeRow]edgeCount {
	t.Helper()
	table := &schema.Edges
	from, to, n := d.integers(table, "from_address"), d.integers(table, "to_address"), d.integers(table, "n")
	kind, outcome, cycles := d.integers(table, "kind"), d.integers(table, "outcome"), d.column(table, "cycles")
	edges := map[edgeRow]edgeCount{}
	for i := range from {
		if i > 0 && cmp.Or(cmp.Compare(from[i-1], from[i]), cmp.Compare(to[i-1], to[i]), cmp.Compare(kind[i-1], kind[i]), cmp.Compare(outcome[i-1], outcome[i])) >= 0 {
			t.Errorf("edges: row %d is not in order", i)
		}
		key := edgeRow{from[i], to[i], schema.EdgeKind(kind[i]).String(), schema.EdgeOutcome(outcome[i]).String()}
		edges[key] = edgeCount{n[i], schema.Null[int64]{V: integer(cycles, i), OK: !null(cycles, i)}}
	}
	return edges
}

// rewritten are branches that the program overwrites as it starts: its vector of SVC.
var rewritten = map[place]bool{{"am243x-r5f-etmv3-zephyr-e9185a9/10", 8}: true}

// A place is an address in a capture.
type place struct {
	capture string
	address int64
}

// Where the kind of an instruction has one target, its edges lead there if it is taken
// and to the next address if it is not: nothing that came between is skipped. In TC2
// program memory is missing, so that eight steps of 0x13 would lead past it.
func TestEdgesOfDirectBranches(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, tr := range pftTraces(t) {
		t.Run(tr.name, func(t *testing.T) {
			d, wrong := tr.decode(t), 0
			direct := d.directBranches()
			for e := range d.edges(t) {
				b, ok := direct[e.from]
				if !ok || e.kind == "exception" || rewritten[place{tr.name, e.from}] {
					continue
				}
				if taken, not := int64(b.Target), e.from+int64(b.Size); e.outcome == "taken" && e.to != taken || e.outcome == "not_taken" && e.to != not {
					if wrong++; wrong < 4 {
						t.Errorf("%s at 0x%x, %s, leads to 0x%x", e.kind, e.from, e.outcome, e.to)
					}
				}
			}
		})
	}
}

// directBranches returns the branches with one target that were executed, by address.
func (d *decodedTables) directBranches() map[int64]isa.Instruction {
	table := &schema.Instructions
	address, opcode, set := d.integers(table, "address"), d.integers(table, "opcode"), d.integers(table, "isa")
	size := d.integers(table, "size")
	branches := map[int64]isa.Instruction{}
	for i := range address {
		var x isa.Instruction
		switch {
		case schema.ISA(set[i]) == schema.A32:
			x = isa.PFT.A32(uint32(opcode[i]), schema.Address(address[i]))
		case size[i] == 2:
			x = isa.PFT.T32(uint16(opcode[i]), 0, schema.Address(address[i]), schema.ISA(set[i]) == schema.T32EE)
		default:
			x = isa.PFT.T32(uint16(opcode[i]>>16), uint16(opcode[i]), schema.Address(address[i]), schema.ISA(set[i]) == schema.T32EE)
		}
		if x.Flow == isa.Direct {
			branches[address[i]] = x
		}
	}
	return branches
}
