package pipeline

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// These tests change program memory so that no row changes, or so that no
// instruction can be placed.

// executionSpaces are the memory spaces that instructions are fetched from.
var executionSpaces = []image.Space{image.SecureSpace, image.NonSecureSpace, image.HypSpace}

// inPieces cuts a region into pieces of a few bytes, each of one space.
func inPieces(r *rand.Rand, region image.Region) []image.Region {
	var pieces []image.Region
	for from := 0; from < len(region.Bytes); {
		to := min(len(region.Bytes), from+1+r.IntN(40))
		for _, s := range executionSpaces {
			pieces = append(pieces, image.Region{Address: region.Address + schema.Address(from), Bytes: region.Bytes[from:to], Space: s})
		}
		from = to
	}
	return pieces
}

// A program in however many regions, whose borders lie inside instructions, and
// in each memory space by itself: the same rows.
func TestRegionsChangeNothing(t *testing.T) {
	need.FullRun(t, oneWorker)
	t.Parallel()
	for _, r := range synthRuns(t, 0) {
		tr := r.trace(t)
		t.Run(tr.name, func(t *testing.T) {
			pieces := inPieces(rand.New(rand.NewPCG(r.seed, 'm')), r.code.Region())
			cut := *tr
			cut.memory = image.New(pieces...)
			sameRows(t, tr.decode(t), cut.decode(t), nil)

			// A byte of an instruction is missing.
			cut.memory = image.New(pieces[:len(pieces)-len(executionSpaces)]...)
			cut.decode(t).checkAccounts(t, len(tr.data))
		})
	}
}

// A program in a space that is not the one of the core: nothing can be placed, and
// each event about that says where there is memory.
func TestOtherSpace(t *testing.T) {
	for _, name := range []string{"PFT 1.1", "ETMv3.5"} {
		m := macrocellOf(name)
		g := m.generate(t, smallRun)
		intact := g.decode(t)
		var regions []image.Region
		for _, s := range []image.Space{image.SecureSpace, image.HypSpace} { // it runs in the other
			region := g.region
			region.Space = s
			regions = append(regions, region)
		}
		g.memory = image.New(regions...)
		got := g.decode(t)
		got.checkAccounts(t, len(g.data))
		if intact.totals.Instructions == 0 || got.totals.Instructions > 0 || got.totals.BytesLost != intact.totals.BytesLost {
			t.Errorf("%s: totals %+v\nin its space %+v", name, got.totals, intact.totals)
		}
		unmapped := 0
		for i, e := range got.column(&schema.Events, "event").U8 {
			if schema.EventKind(e) != schema.EventUnmapped {
				continue
			}
			unmapped++
			if detail := got.column(&schema.Events, "detail").Str[i]; detail != "no memory in the N space, but in S" {
				t.Errorf("%s: unmapped, %q", name, detail)
			}
		}
		if unmapped == 0 {
			t.Errorf("%s: nothing unmapped", name)
		}
	}
}

// A program that was erased, so that straight code is all that is left: without
// end, or to a last branch. The accounts are as they were, and what a unit holds of
// the program is bounded.
func TestErasedProgram(t *testing.T) {
	need.FullRun(t, "as much code as a unit may hold")
	const branchToSelf = "\xfe\xff\xff\xea"
	for _, c := range []struct {
		name, cell string
		size       int
		last       string
	}{
		{"PFT 1.1, without end", "PFT 1.1", 1 << 19, ""},
		{"PFT 1.1, to a branch", "PFT 1.1", 4 * (schema.MaxBlock - 1), branchToSelf},
		{"ETMv3.5, without end", "ETMv3.5", 1 << 19, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := smallRun
			run.bytes = 6 << 10
			g := macrocellOf(c.cell).generate(t, run)
			want := g.decode(t)
			erased := make([]byte, c.size)
			copy(erased[c.size-len(c.last):], c.last)
			g.memory = image.New(image.Region{Address: generatedBase, Bytes: erased})
			got := g.decodeStream(t, g.stream(wholePieces), decodeOptions{blocks: true})
			got.checkAccounts(t, len(g.data))
			if got.totals.Segments != want.totals.Segments || got.totals.BytesLost != want.totals.BytesLost {
				t.Errorf("totals %+v, want %+v", got.totals, want.totals)
			}
			if held := got.rows(&schema.CodeBlocks); held > 8<<20+schema.MaxBlock+16*len(g.data) {
				t.Errorf("%d instructions of code blocks", held)
			}
			if c.cell == "ETMv3.5" { // each atom is an instruction, wherever it is
				if got.totals.Instructions != want.totals.Instructions {
					t.Errorf("%d instructions, want %d", got.totals.Instructions, want.totals.Instructions)
				}
				return
			}
			if got.count(&schema.Events, "event", uint8(schema.EventInconsistent)) == 0 {
				t.Error("nothing inconsistent")
			}
		})
	}
}
