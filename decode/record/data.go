package record

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file follows data trace as far as a segment by itself allows: it finds the
// instruction that a packet belongs to. The stitcher, which knows what came before,
// makes the rows.

// SinceElement is what was traced since the last data element, or since the part began.
type SinceElement struct {
	Instructions bool // any
	// unplaced: some instruction without a row that may have transferred data;
	// the last of them is before the instruction at.
	unplaced bool
	at       int64
}

// NoteUnplaced notes an instruction without a row.
func (f *Follower) NoteUnplaced(executed bool) {
	if f.Rec.Since.Instructions = true; executed {
		f.Rec.Since.unplaced, f.Rec.Since.at = true, f.Walk.Seq
	}
}

// Element adds a data element, if data is traced, and returns its index, else -1.
func (f *Follower) Element(x decode.DataElement) int {
	r := &f.Rec
	if !r.TracesData {
		return -1
	}
	x.Instructions, x.Unplaced, x.Events = r.Since.Instructions, r.Since.unplaced, len(r.Result.Events)
	r.Since = SinceElement{}
	r.Result.Data = append(r.Result.Data, x)
	return len(r.Result.Data) - 1
}

// Fate adds a data element after that of the last data instruction.
func (f *Follower) Fate(x decode.DataElement) {
	f.Attach()
	f.Element(x)
}

// Attach adds the element of the last data instruction, if there was one since the
// previous call.
func (f *Follower) Attach() {
	if !f.Rec.TracesData {
		return
	}
	t, after, ok := f.Walk.DataInstruction(f.Rec.TracesRegisters)
	if !ok {
		return
	}
	seq, since := f.Walk.Seq-1-after, f.Rec.Since
	f.Element(decode.DataElement{
		Key: schema.Key{Seq: seq, Offset: f.Offset}, Kind: decode.ElementInstruction,
		Count: t.Count, Size: t.Size, Access: t.At(0), Swap: t.Swaps(), InPlace: t.Swaps() && f.Rec.SwapsInPlace,
		Register: t.Register,
	})
	if since.unplaced && since.at > seq {
		f.Rec.Since = SinceElement{unplaced: true, at: since.at}
	}
}

// EndData adds the last data elements of a part.
func (f *Follower) EndData() {
	f.Attach()
	if f.Rec.Since != (SinceElement{}) {
		f.Element(decode.DataElement{Key: f.Key(), Kind: decode.ElementNothing})
	}
}
