package pft_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file makes executions that no program would make, but that a core could
// be traced through: at random in code at random, with every exception anywhere.

// A wander is random code, and a random walk through it.
type wander struct {
	random  *rand.Rand
	memory  map[schema.Address][]byte
	program *program.Program
	entries []step.Place
	valid   map[step.Place]bool // as secure

	at     step.Place
	last   schema.Null[step.Place]
	calls  []step.Place
	trace  step.Tracing
	traced int // steps until trace may change
	id     uint32
	vmid   uint32
}

func newWander(t *testing.T, seed uint64) *wander {
	t.Helper()
	w := &wander{random: rand.New(rand.NewPCG(seed, 1)), memory: map[schema.Address][]byte{}, valid: map[step.Place]bool{}}
	thumb := w.layThumb(0x10010000, 700, false)
	w.a32(0x10008000, 300, thumb)
	w.a32(0xfffe0000, 60, nil)
	w.thumb(thumb, 0x10008000, schema.T32)
	w.thumb(w.layThumb(0x10020000, 200, true), 0x10008000, schema.T32EE)
	var words []string
	for address, code := range w.memory {
		words = append(words, fmt.Sprintf("%x:%s", address, hex.EncodeToString(code)))
	}
	w.program = benchtest.Program(t, strings.Join(words, " "))
	w.at = w.entry()
	return w
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// enter makes a place one that can be gone to.
func (w *wander) enter(address schema.Address, sets ...schema.ISA) {
	for _, set := range sets {
		p := step.Place{Address: address, ISA: set}
		w.valid[p] = true
		w.entries = append(w.entries, p)
	}
}

// a32 makes n words of A32 code, which calls Thumb code if there is any.
func (w *wander) a32(base schema.Address, n int, thumb []unit) {
	var code []byte
	for i := range n {
		at := base + 4*schema.Address(i)
		target := base + 4*schema.Address(w.random.IntN(n))
		imm := uint32(target-at-8) >> 2 & 0xffffff
		word := pick[uint32](w.random, // what wanders between waypoints
			0xe1a00000, 0xe5910000, 0xe0800001, 0xef000000, 0xe7f000f0, 0x10800001)
		switch w.random.IntN(12) {
		case 0, 1:
			word = pick(w.random, uint32(0xea000000), 0x0a000000, 0xca000000) | imm
		case 2:
			word = pick(w.random, uint32(0xeb000000), 0x1b000000) | imm
		case 3:
			word = pick(w.random, uint32(0xe12fff1e), 0x112fff13, 0xe12fff33, 0xe8bd8000, 0xe49df004, 0x079ff101)
		case 4:
			word = pick(w.random, uint32(0xe1b0f00e), 0xe160006e, 0xf8bd0a00)
		case 5:
			word = pick(w.random, uint32(0xf57ff06f), 0xf57ff04f, 0xf57ff05f, 0xee070f95, 0xee070fba)
		case 6:
			if len(thumb) > 0 {
				to := pick(w.random, thumb...).address
				off := uint32(to - at - 8)
				word = 0xfa000000 | off>>2&0xffffff | off>>1&1<<24
			}
		}
		if i == n-1 {
			word = 0xea000000 | uint32(base-at-8)>>2&0xffffff
		}
		code = binary.LittleEndian.AppendUint32(code, word)
		w.enter(at, schema.A32)
	}
	w.memory[base] = code
}

// A unit is a Thumb instruction: where it is, and what it is to be.
type unit struct {
	address schema.Address
	kind    int
}

// The kinds of units whose targets are not known while they are laid out.
const (
	unitHalf = iota // 16 bits
	unitCond
	unitJump
	unitCBZ
	unitHandler // ThumbEE
	unitWide    // 32 bits, as the ones below
	unitCall
	unitCallA32
	unitKinds
)

// layThumb chooses the sizes of n Thumb instructions.
func (w *wander) layThumb(base schema.Address, n int, thumbEE bool) []unit {
	var units []unit
	for range n {
		kind := pick(w.random, unitHalf, unitHalf, unitHalf, unitWide, w.random.IntN(unitKinds))
		switch {
		case kind == unitHandler && !thumbEE:
			kind = unitHalf
		case kind == unitCallA32 && thumbEE:
			kind = unitCall
		}
		units = append(units, unit{base, kind})
		base += 2
		if kind >= unitWide {
			base += 2
		}
	}
	return units
}

// thumb makes Thumb code, which calls A32 code at calls.
func (w *wander) thumb(units []unit, calls schema.Address, set schema.ISA) {
	var code []byte
	half := func(h uint32) { code = binary.LittleEndian.AppendUint16(code, uint16(h)) }
	for i, u := range units {
		// A target not far away, ahead for some.
		near := uint32(units[max(0, min(len(units)-1, i+w.random.IntN(60)-20))].address - u.address - 4)
		switch u.kind {
		case unitHalf:
			half(pick(w.random, uint32(0xbf00), 0x1840, 0x6808, 0xdf01, 0xde00, 0x4770, 0x4798, 0xbd00, 0x46f7, 0xbf08))
		case unitCond:
			half(0xd000 | pick[uint32](w.random, 0, 1, 12)<<8 | near>>1&0xff)
		case unitJump:
			half(0xe000 | near>>1&0x7ff)
		case unitCBZ:
			half(0xb100 | near>>6&1<<9 | near>>1&0x1f<<3)
		case unitHandler:
			half(pick(w.random, uint32(0xc205), 0xc380, 0xc012, 0xc433))
		case unitWide:
			wide := pick(w.random, uint32(0xf3af8000), 0xf8d10000, 0xf3bf8f6f, 0xf3bf8f5f, 0xf3bf8f4f, 0xf3bf8f1f, 0xf3bf8f0f, 0xf3de8f00, 0xe8bd8010, 0xe8d0f001, 0xf7ff8000)
			half(wide >> 16)
			half(wide & 0xffff)
		case unitCall, unitCallA32:
			off, second := uint32(pick(w.random, units...).address-u.address-4), uint32(0xd000)
			if u.kind == unitCallA32 {
				off, second = uint32(calls+4*schema.Address(w.random.IntN(200))-(u.address+4)&^3), 0xc000
			}
			s := off >> 31
			half(0xf000 | s<<10 | off>>12&0x3ff)
			half(second | (^(off>>23^s)&1)<<13 | (^(off>>22^s)&1)<<11 | off>>1&0x7ff)
		}
		if set == schema.T32 {
			w.enter(u.address, schema.T32, schema.T32EE)
		} else {
			w.enter(u.address, schema.T32EE)
		}
	}
	end := units[len(units)-1].address
	if units[len(units)-1].kind >= unitWide {
		end += 2
	}
	half(0xe000 | uint32((units[max(0, len(units)-40)].address-(end+2)-4)>>1)&0x7ff) // and back
	if set == schema.T32 {
		w.enter(end+2, schema.T32, schema.T32EE)
	} else {
		w.enter(end+2, schema.T32EE)
	}
	w.memory[units[0].address] = code
}

func (w *wander) entry() step.Place {
	p := pick(w.random, w.entries...)
	p.Security = w.at.Security
	return p
}

func (w *wander) isValid(p step.Place) bool {
	p.Security = schema.Secure
	return w.valid[p]
}

func (w *wander) one(in int) bool { return w.random.IntN(in) == 0 }

func (w *wander) security() schema.Security {
	return pick(w.random, schema.Secure, schema.NonSecure, schema.NonSecure, schema.Hyp)
}

// walk is an execution of n steps.
func (w *wander) walk(t *testing.T, n int) []step.Step {
	t.Helper()
	var steps []step.Step
	for range n {
		s := w.step(t)
		w.mark(&s)
		steps = append(steps, s)
		w.at = s.Next
	}
	return steps
}

func (w *wander) step(t *testing.T) step.Step {
	t.Helper()
	if w.one(25) {
		return w.exception()
	}
	s := step.Step{At: w.at}
	in, err := w.program.Instruction(w.at)
	if err != nil {
		t.Fatal(err)
	}
	s.Instruction, s.Next = in, w.at
	s.Next.Address += schema.Address(in.Size)
	w.last = schema.Of(w.at)
	target := step.Place{Address: in.Target, ISA: in.TargetISA, Security: w.at.Security}
	onward := w.isValid(s.Next)
	switch in.Flow {
	case isa.Direct:
		s.Failed = !w.isValid(target) || onward && w.one(3)
		if !s.Failed {
			w.call(&s)
			s.Next = target
		}
	case isa.Indirect:
		s.Failed = onward && w.one(6)
		if !s.Failed {
			to := w.entry()
			if n := len(w.calls); n > 0 && !w.one(3) {
				to, w.calls = w.calls[n-1], w.calls[:n-1]
			}
			if in.Kind == schema.KindExceptionReturn && w.one(2) {
				to.Security = w.security()
			}
			w.call(&s)
			s.Next = to
		}
	default:
		s.Failed = w.one(10)
	}
	if w.one(150) {
		s.Next.Security = w.security()
	}
	return s
}

func (w *wander) call(s *step.Step) {
	if s.Instruction.Link() && w.isValid(s.Next) {
		w.calls = append(w.calls, s.Next)
	}
}

// exceptionTypes are those that PFT traces.
var exceptionTypes = []schema.ExceptionType{
	schema.ExcReset, schema.ExcUndefined, schema.ExcSVC, schema.ExcPrefetchAbort, schema.ExcDataAbort, schema.ExcAsyncDataAbort,
	schema.ExcIRQ, schema.ExcFIQ, schema.ExcSMC, schema.ExcHyp, schema.ExcDebug, schema.ExcDebug, schema.ExcThumbEE, schema.ExcGeneric,
}

func (w *wander) exception() step.Step {
	s := step.Step{Entered: true, Exception: pick(w.random, exceptionTypes...), At: w.at}
	switch s.Exception {
	case schema.ExcUndefined:
		if w.last.OK {
			s.At = w.last.V
		}
	case schema.ExcHyp:
		w.at.Security = schema.Hyp
	default:
		if w.one(3) {
			w.at.Security = w.security()
		}
	}
	s.Next = w.entry()
	w.last.OK = false
	return s
}

// mark gives a step its context, its cycles and its fate in the trace.
func (w *wander) mark(s *step.Step) {
	if w.one(40) {
		w.id = pick(w.random, 0, 1, 0x80, w.random.Uint32())
	}
	if w.one(60) {
		w.vmid = uint32(w.random.UintN(3))
	}
	s.ContextID, s.VMID = w.id, w.vmid
	s.Cycles = pick(w.random, 0, 1, 1, 1, 2, 15, 16, uint32(w.random.UintN(3000)))
	if w.one(300) {
		s.Cycles = uint32(w.random.UintN(1 << 24))
	}
	s.Trigger = w.one(120)
	if w.traced--; w.traced < 0 {
		w.trace, w.traced = step.Traced, w.random.IntN(250)
		if w.one(2) {
			w.trace, w.traced = pick(w.random, step.TraceOff, step.Overflowed), w.random.IntN(12)
		}
	}
	s.Trace = w.trace
}
