package generate

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/pft"
)

// pftProtocol is that of a PTM.
var pftProtocol = protocol{
	name: "pft", major: 1, newest: 1, device: "PTM", variedRings: true, trace: (*Recipe).tracePFT,
	from: map[Feature]int{Timestamps: 0, ContextIDs: 0, VMIDs: 1, ReturnStack: 0, Frames: 0, SecondSource: 0},
}

// tracePFT makes core one that a PTM traces.
func (r *Recipe) tracePFT(core *TracedCore, _ *Workload) {
	o := r.pftOptions(core.Source)
	core.Type, core.Version = "Cortex-A9", o.Version()
	if r.Minor >= 1 {
		core.Type = "Cortex-A15"
	}
	core.Registers = o.Registers()
	core.Encoder = func(w io.Writer, rows truth.Rows, lost int64) encode.Encoder {
		o := o
		o.Lost = lost
		return pft.New(w, rows, o)
	}
}

// pftOptions are those of the PTM of a source.
func (r *Recipe) pftOptions(source uint8) pft.Options {
	o := pft.Options{
		Config: codec.Config{
			Minor: uint8(r.Minor), CycleAccurate: r.CycleAccurate, ContextIDBytes: r.ContextIDBytes, ReturnStack: r.ReturnStack,
			Timestamp64: r.Minor >= 1, TimestampGray: r.Minor < 1,
		},
		Source: source, SyncBytes: recipeSyncBytes, ReturnStackDepth: recipeStackDepth, BranchBroadcast: r.Broadcast,
		Timestamps: r.Timestamps, TimestampBase: 90 * recipeTimestampHz, CyclesPerTick: recipeCoreHz / recipeTimestampHz,
		TraceVMID: r.VMID,
	}
	if r.Variation > 0 {
		o.Variation = pft.Vary(r.Seed, r.Variation)
	}
	return o
}
