package generate

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/outside"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// OpenOCD lists the instructions of a dump as they are in the truth, where its
// rules are right: 8 and 16 pins, no data, no Context ID, no overflow
// (docs/etmv2.md §9). Direct branches have addresses, since it computes the targets
// of Thumb calls wrongly.
func TestOpenOCD(t *testing.T) {
	o, err := outside.FindOpenOCD()
	if err != nil {
		need.Missing(t, need.OpenOCD, err.Error())
	}
	instructions := 0
	for seed := range need.Size[uint64](3, 100) {
		for _, pins := range []int{8, 16} {
			r := &Recipe{
				Protocol: "etmv1", Minor: int(seed % 4), Seed: seed, Instructions: 5000, Broadcast: true, TraceOff: 500, Triggers: 2000,
				Samples: Samples{Pins: pins, Layout: port.LayoutDump, Idle: float64(seed%3) / 4},
			}
			t.Run(fmt.Sprintf("%d pins, seed %d", pins, seed), func(t *testing.T) { instructions += likeOpenOCD(t, o, r) })
		}
	}
	t.Logf("%d instructions", instructions)
}

// likeOpenOCD compares a capture with its truth, and returns the number of
// instructions.
func likeOpenOCD(t *testing.T, o *outside.OpenOCD, r *Recipe) int {
	t.Helper()
	w, err := GeneratedWorkload(codegen.Options{Seed: r.Seed, Bytes: 20_000, Base: 0x8000, Arch: program.V5TE})
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	got, err := o.Analyse(filepath.Join(dir, c.Folder(), c.Cores[0].Port.name()), c.Cores[0].Memory)
	if err != nil {
		t.Fatal(err)
	}
	truth := &statuses{Rows: truth.NoRows()}
	if err := c.traceSamples(t.Context(), io.Discard, truth, 0); err != nil {
		t.Fatal(err)
	}
	if want := truth.listed(got); !slices.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%d instructions, want %d; from number %d on %v, want %v", len(got), len(want), at, head(got[at:]), head(want[at:]))
	}
	return len(got)
}

func head(list []outside.Executed) []outside.Executed { return list[:min(4, len(list))] }

// statuses are the instructions of the truth, one for each status: a Thumb BL has
// two.
type statuses struct {
	truth.Rows
	all  []outside.Executed
	last []bool // before the instruction set changes
	isa  schema.ISA
}

func (s *statuses) Instruction(row *truth.Instruction) {
	if n := len(s.last); n > 0 && row.ISA != s.isa {
		s.last[n-1] = true
	}
	s.isa = row.ISA
	if row.Kind == schema.KindSVC && row.Executed.V {
		return // it is what the exception is of, and not listed
	}
	for at := schema.Address(0); at == 0 || at < schema.Address(row.Size) && row.ISA == schema.T32; at += 2 {
		s.all = append(s.all, outside.Executed{Address: row.Address + at, Passed: row.Executed.V})
		s.last = append(s.last, false)
	}
}

// listed returns the instructions that OpenOCD lists, if it lists these. It reads
// the last one before a change of the instruction set as one of the new set, and
// lists none where that is no instruction.
func (s *statuses) listed(these []outside.Executed) (all []outside.Executed) {
	for i, e := range s.all {
		if n := len(all); !s.last[i] || n < len(these) && these[n] == e {
			all = append(all, e)
		}
	}
	return all
}
