package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A debugEntry is the state after the packet of an entry to debug state (§4.8,
// docs/etmv3.md §4.5). The decoder goes back to it if the bytes after the packet
// belong to another trace: where a ring is read in halves, the old half follows
// without sync.
type debugEntry struct {
	state  state
	record record.State
	ends   decode.Ends
	at     int // in the part's data
}

// enterDebug begins debug state at Data[at]: no instruction is traced up to an
// I-sync.
func (d *Decoder) enterDebug(at int) {
	d.inDebug = true
	d.Rec.KeepSums()
	d.debugEntry = debugEntry{d.state, d.Rec.State, d.Rec.Result.Ends(), at}
}

// tracesFlow reports whether p traces an instruction or an address, which no
// packet in debug state does.
func tracesFlow(p *Packet) bool {
	return p.Kind == BranchAddress || p.Kind == PHeader && p.Atoms.Count > 0
}

// splice removes what was decoded since the entry to debug state, and begins a
// loss that reaches to the next cut. It returns where the loss begins.
func (d *Decoder) splice() int {
	d.Rec.Result.Truncate(d.debugEntry.ends)
	d.state, d.Rec.State = d.debugEntry.state, d.debugEntry.record
	d.Offset = d.Rec.Offset(d.debugEntry.at)
	d.Rec.OpenLoss(d.Key(), schema.LossSplice, "trace goes on behind an entry to debug state without an I-sync")
	d.loseSync(d.debugEntry.at)
	return d.debugEntry.at
}
