package record

import (
	"strconv"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Follower is what the decoders of all protocols have: the walk through the program,
// the recorder of its rows, and where in the trace they are.
type Follower struct {
	Mem     *image.Memory // that of the process, where there are several
	Walk    *flow.Walker
	Rec     Recorder
	Packets bool // make rows of `packets`

	Offset int64 // capture offset of the current packet or sample

	all     *image.Memory // of all processes; nil: there is but one
	process uint32        // whose memory Mem is, 0 before the first
}

// NewFollower returns a follower of the program in mem.
func NewFollower(mem *image.Memory, rules flow.Rules, packets bool, rec Recorder) Follower {
	f := Follower{Mem: mem, Walk: flow.NewWalker(flow.NewProgram(mem, rules)), Rec: rec, Packets: packets}
	if mem.HasProcesses() {
		f.all = mem
	}
	return f
}

// EnterProcess goes on in the memory of the process that runs at the current packet, as its context says. It
// is called where synchronisation begins, and where the context changes.
func (f *Follower) EnterProcess() {
	if f.all == nil {
		return
	}
	process := f.all.ProcessAt(f.Offset, f.Rec.ContextID, f.Rec.VMID)
	if process != f.process {
		f.process, f.Mem = process, f.all.Process(process)
		f.Walk.EnterProcess(process, f.Mem)
	}
}

// BeginPart begins a part, in a segment of which nothing is known yet unless the part
// continues it.
func (f *Follower) BeginPart(result *decode.Result, part decode.Part) {
	if !part.Continued {
		f.Walk.Lose()
		f.Walk.Seq = 0
	}
	f.Rec.Begin(result, part, f.Walk.Seq)
	f.Walk.Begin(result)
}

// Key returns the key of rows before the next instruction, from the current packet or
// sample.
func (f *Follower) Key() schema.Key { return schema.Key{Seq: f.Walk.Seq, Offset: f.Offset} }

// Inconsistent records that the trace and the program image disagree at an address.
func (f *Follower) Inconsistent(address schema.Address, detail string) {
	f.Rec.Event(f.Key(), schema.EventInconsistent, schema.Of(address), detail)
}

// Unmapped records that the walk reached an instruction at an address that is in no image.
func (f *Follower) Unmapped(at schema.Address) { f.Rec.Unmapped(f.Key(), f.Mem, at) }

// DropReturn removes a `return` row, unless its index is -1.
func (f *Follower) DropReturn(row int) {
	if row < 0 {
		return
	}
	ends := f.Rec.Result.Ends()
	f.Rec.Result.RemoveException(row, &ends)
	f.Rec.Result.Truncate(ends)
}

// A Half is where the flow is in a 32-bit T32 instruction that is traced as two: with a
// status or an atom for each half.
type Half struct {
	Second bool // the flow is at the second half of the instruction at the position
	First  bool // the first half was traced
	Orphan bool // the flow is at a second half to which no first one led
}

// Here returns the PC, which must be known, as the trace reports it: after the first half
// of an instruction, that of the second half.
func (f *Follower) Here() decode.PC {
	at := f.Walk.PC()
	if f.Rec.Half.Second {
		at.Address = (at.Address + 2).In32()
	}
	return at
}

// DropHalf drops the first half of an instruction whose second half is not traced.
func (f *Follower) DropHalf() {
	if f.Rec.Half.Second && f.Rec.Half.First {
		f.Rec.Event(f.Key(), schema.EventSplitInstruction, schema.Of(f.Walk.PC().Address), "")
	}
	f.Rec.Half = Half{}
}

// Halfword reads a halfword of the program, where the flow fetches instructions.
func (f *Follower) Halfword(address schema.Address) (h uint16, ok bool) {
	b := f.Mem.Fetch(f.Rec.Space(), address.In32())
	if len(b) < 2 {
		return 0, false
	}
	return uint16(b[0]) | uint16(b[1])<<8, true
}

// An UnplacedRun is a run of traced instructions without rows: at an unknown address, or
// in Jazelle state.
type UnplacedRun struct {
	schema.Event
	Active bool
	Quiet  bool  // another event says why
	Count  int64 // instructions
}

// OpenUnplaced begins an unplaced run. Its event, which has the number of instructions, is
// written at its end, which may be in another part.
func (f *Follower) OpenUnplaced(kind schema.EventKind, address schema.Null[schema.Address]) {
	f.CloseUnplaced()
	f.Rec.Unplaced = UnplacedRun{Active: true, Event: schema.Event{Key: f.Key(), Event: kind, Address: address}}
}

// CloseUnplaced ends the unplaced run, if there is one.
func (f *Follower) CloseUnplaced() {
	r := &f.Rec.Unplaced
	if !r.Active {
		return
	}
	if !r.Quiet {
		r.Seq = min(r.Seq, f.Walk.Seq) // the instruction before it may have been cancelled
		r.Detail = strconv.FormatInt(r.Count, 10)
		f.Rec.Result.Events = append(f.Rec.Result.Events, r.Event)
	}
	*r = UnplacedRun{}
}
