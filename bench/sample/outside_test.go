package sample_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/outside"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/sample/internal/remake"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth/digest"
	"github.com/tracelake/tracelake/schema"
)

// OpenCSD makes the same of the capture, and of the beginning of the execution
// traced in other ways: each instruction with its instruction set, outcome, cycles, time
// and context, and each exception.
func TestOutsideDecoder(t *testing.T) {
	lister, err := outside.Find()
	if errors.Is(err, outside.ErrMissing) {
		need.Missing(t, need.OpenCSD, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	const some, all = 50_000, 1 << 30
	for _, tt := range []struct {
		name   string
		steps  int // at most
		change func(*pft.Options)
		gaps   bool
	}{
		{"as it is", all, func(*pft.Options) {}, false},
		{"packed atoms", some, func(o *pft.Options) { o.CycleAccurate = false }, false},
		{"no return stack, four bytes of Context ID", some, func(o *pft.Options) { o.ReturnStack, o.ContextIDBytes = false, 4 }, false},
		{"return stack of one entry, rare sync", some, func(o *pft.Options) { o.ReturnStackDepth, o.SyncBytes = 1, 16384 }, false},
		{"branch broadcast, no context", some, func(o *pft.Options) { o.BranchBroadcast, o.ContextIDBytes = true, 0 }, false},
		{"data barriers, 48-bit timestamps, packed", some, func(o *pft.Options) {
			o.DataBarriers, o.Timestamp64, o.CycleAccurate = true, false, false
		}, false},
		// The lister does not know that timestamps of 1.0 are in Gray code.
		{"PFT 1.0", some, func(o *pft.Options) { o.Minor, o.Timestamps = 0, false }, false},
		{"varied", some, func(o *pft.Options) { o.Variation = outsideVariation(1, 0.1) }, false},
		{"varied, packed atoms, no return stack", some, func(o *pft.Options) {
			o.Variation, o.CycleAccurate, o.ReturnStack = outsideVariation(2, 0.3), false, false
		}, false},
		// In 1.1 it takes the count of a debug exit for a known one.
		{"with gaps, PFT 1.0", some, func(o *pft.Options) { o.Minor, o.Timestamps = 0, false }, true},
		{"with gaps, packed atoms", some, func(o *pft.Options) { o.CycleAccurate = false }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			compareOutside(t, lister, tt.steps, tt.change, tt.gaps)
		})
	}
}

// outsideVariation is all that the lister reads right: to it any information byte
// makes an exception, and an A-sync of more than 15 zeros is an error.
func outsideVariation(seed uint64, rate float64) pft.Variation {
	v := pft.Vary(seed, rate)
	v.Information, v.Zeros = 0, 0
	return v
}

// compareOutside traces the first steps of the recording, has them decoded by
// the lister, and compares the truth with what that says.
func compareOutside(t *testing.T, lister *outside.Lister, limit int, change func(*pft.Options), withGaps bool) {
	code := read(t, filepath.Join("capture", sample.ELF))
	program, err := remake.LoadProgram(code)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := remake.Execution(program, read(t, remake.RecordingName))
	if err != nil {
		t.Fatal(err)
	}
	options := remake.Options()
	change(&options)
	steps = first(steps, limit)
	if withGaps {
		steps = gaps(steps)
	}
	files, truth, err := remake.Capture(program, steps, options)
	if err != nil {
		t.Fatal(err)
	}
	files[remake.ELFName] = code
	dir := t.TempDir()
	if err := snapshot.WriteFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	elements, err := lister.Elements(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows := outsideRows{t: t, program: program.Program}
	for i := range elements {
		rows.element(&elements[i])
	}
	t.Logf("by %s", lister)

	if rows.instructions != truth.Instructions || rows.instructions == 0 {
		t.Errorf("%d instructions, the truth is %d", rows.instructions, truth.Instructions)
	}
	if truth.Cycles != nil && rows.cycle != *truth.Cycles {
		t.Errorf("%d cycles, the truth is %d", rows.cycle, *truth.Cycles)
	}
	if got := hash(rows.what); got != truth.Program {
		t.Errorf("hash of the program %x, the truth is %x", got, truth.Program)
	}
	if got := hash(rows.when); got != truth.Timing {
		t.Errorf("hash of the timing %x, the truth is %x", got, truth.Timing)
	}
	var exceptions []string
	for _, x := range truth.Exceptions {
		switch {
		case x.Event == "return":
			exceptions = append(exceptions, fmt.Sprintf("%d return", x.Seq))
		case x.Cycle == nil:
			exceptions = append(exceptions, outsideException(x.Seq, uint64(*x.ReturnAddress), uint64(*x.Number), 0))
		default:
			exceptions = append(exceptions, outsideException(x.Seq, uint64(*x.ReturnAddress), uint64(*x.Number), *x.Cycle))
		}
	}
	if !slices.Equal(rows.exceptions, exceptions) {
		t.Errorf("exceptions differ: %d, the truth has %d", len(rows.exceptions), len(exceptions))
	}
}

// gaps is an execution of which trace is off for 40 of every 900 steps, and in
// which the core enters Debug state in between.
func gaps(steps step.Steps) step.Steps {
	return func(yield func(step.Step, error) bool) {
		n := 0
		for s, err := range steps {
			if n%900 > 860 {
				s.Trace = step.TraceOff
			}
			if n++; n%900 == 400 && !s.Entered {
				halt := step.Step{Entered: true, Exception: schema.ExcDebug, At: s.At, Next: s.At, ContextID: s.ContextID}
				if !yield(halt, nil) {
					return
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// first is the first limit steps.
func first(steps step.Steps, limit int) step.Steps {
	return func(yield func(step.Step, error) bool) {
		n := 0
		for s, err := range steps {
			if n == limit || !yield(s, err) {
				return
			}
			n++
		}
	}
}

func outsideException(seq int64, returnAddress, number uint64, cycle int64) string {
	return fmt.Sprintf("%d entry %d return 0x%x cycle %d", seq, number, returnAddress, cycle)
}

func hash(b []byte) digest.Hash {
	h := fnv.New64a()
	h.Write(b)
	return digest.Hash(h.Sum64())
}

// outsideRows are the rows of the lister's elements, laid out as the hashes of
// digest.Truth want them.
type outsideRows struct {
	t            *testing.T
	program      *program.Program
	what, when   []byte
	instructions int64
	cycle        int64
	time, id     schema.Null[uint64]
	exceptions   []string
}

func (r *outsideRows) element(e *outside.Element) {
	if e.Cycles.OK {
		r.cycle += e.Cycles.V
	}
	switch e.Kind {
	case "INSTR_RANGE":
		r.instructionRange(e)
	case "TIMESTAMP":
		r.time = schema.Of(e.Timestamp)
	case "PE_CONTEXT":
		if e.ContextID.OK {
			r.id = schema.Of(uint64(e.ContextID.V))
		}
	case "EXCEPTION":
		r.exceptions = append(r.exceptions, outsideException(r.instructions, uint64(e.ReturnAddress.V), uint64(e.Exception), r.cycle))
	case "EXCEPTION_RET":
		r.exceptions = append(r.exceptions, fmt.Sprintf("%d return", r.instructions))
	}
}

// instructionRange enters the instructions of a range. The last one's outcome
// counts where it can branch or is an ISB.
func (r *outsideRows) instructionRange(e *outside.Element) {
	at := step.Place{Address: e.From, ISA: e.ISA, Security: remake.Security}
	for at.Address < e.To {
		in, err := r.program.Instruction(at)
		if err != nil {
			r.t.Fatal(err)
		}
		executed, traced := byte(2), schema.Null[int64]{}
		if at.Address+schema.Address(in.Size) == e.To && e.Class != "---" {
			executed, traced = 0, e.Cycles
			if e.Executed {
				executed = 1
			}
		}
		r.what = binary.LittleEndian.AppendUint32(r.what, uint32(at.Address))
		r.what = append(r.what, in.Size, byte(at.ISA), executed)
		cycles := schema.Null[uint64]{V: uint64(traced.V), OK: traced.OK}
		sum := schema.Null[uint64]{V: uint64(r.cycle), OK: traced.OK}
		for _, v := range []schema.Null[uint64]{cycles, sum, r.time, r.id} {
			if v.OK {
				r.when = binary.LittleEndian.AppendUint64(append(r.when, 1), v.V)
			} else {
				r.when = append(r.when, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			}
		}
		r.instructions++
		at.Address += schema.Address(in.Size)
	}
}
