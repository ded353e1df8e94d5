package generate

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv4"
	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv4"
)

// The protocols of trace units of ETMv4 and ETE.
var (
	etmv4Protocol = protocol{
		name: "etmv4", major: 4, newest: 6, device: "ETM", variedRings: true, v8: true, trace: (*Recipe).traceETMv4,
		from: map[Feature]int{
			ProfileM: 0, ProfileR: 0, Timestamps: 0, ContextIDs: 0, VMIDs: 0, ReturnStack: 0, Frames: 0, SecondSource: 0,
			Speculation: 0, QElements: 0,
		},
	}
	eteProtocol = protocol{
		name: "ete", major: 1, newest: 3, device: "ETE", variedRings: true, v8: true, transactions: true, trace: (*Recipe).traceETMv4,
		from: map[Feature]int{
			Timestamps: 0, ContextIDs: 0, VMIDs: 0, ReturnStack: 0, Frames: 0, SecondSource: 0, Speculation: 0, QElements: 0,
		},
	}
)

// traceETMv4 makes core one that a trace unit of ETMv4 or ETE traces.
func (r *Recipe) traceETMv4(core *TracedCore, _ *Workload) {
	o := r.etmv4Options(core.Source)
	core.Type, core.Version = "Cortex-A72", o.Version()
	switch {
	case o.ETE:
		core.Type = "Cortex-A510"
	case r.V7M && r.Minor < firstV8M:
		core.Type = "Cortex-M7"
	case r.V7M && r.Minor < firstV81M:
		core.Type = "Cortex-M33"
	case r.V7M:
		core.Type = "Cortex-M55"
	case r.ProfileR:
		core.Type = "Cortex-R82"
	}
	core.Registers = o.Registers()
	core.Encoder = func(w io.Writer, rows truth.Rows, lost int64) encode.Encoder {
		o := o
		o.Lost = lost
		return etmv4.New(w, rows, o)
	}
}

// n of the first ETMv4.n that traces a core of v8-M, and of v8.1-M.
const (
	firstV8M  = 2
	firstV81M = 5
)

// etmv4Options are those of the trace unit of a source. What a recipe does not say of the unit, and
// differs among units, its seed decides.
func (r *Recipe) etmv4Options(source uint8) etmv4.Options {
	ete, minor := r.Protocol == "ete", uint8(r.Minor)
	unit := splitmix.Hash(r.Seed, uint64(len(r.Protocol)))
	since := func(etm, first uint8) bool { return ete && minor >= first || !ete && minor >= etm }
	o := etmv4.Options{
		Config: codec.Config{
			ETE: ete, Minor: minor, Profile: "A",
			CommOpt: unit&1 != 0, Broadcast: r.Broadcast, CycleCounting: r.CycleAccurate, CycleBits: 12 + uint8(unit>>20%9),
			ContextIDBytes: r.ContextIDBytes, TracesContextID: r.ContextIDBytes > 0,
			Timestamps: r.Timestamps, Timestamp64: unit>>2&1 != 0, TimestampMarker: since(6, 1) && unit>>3&1 != 0,
			ReturnStack: r.ReturnStack, WaitsP0: since(3, 0) && unit>>4&1 != 0,
			Instrumentation: ete && minor >= 3, CommTrans: ete && unit>>17&1 != 0, MaxSpec: uint32(r.MaxSpec),
		},
		Source: source, SyncBytes: recipeSyncBytes, ReturnStackDepth: recipeStackDepth, QElements: r.QElements,
		TimestampBase: 90 * recipeTimestampHz, CyclesPerTick: recipeCoreHz / recipeTimestampHz,
		Variation: etmv4.Vary(r.Seed, r.Variation),
	}
	switch {
	case r.V7M:
		o.Profile = "M"
	case r.ProfileR:
		o.Profile = "R"
	}
	if r.VMID {
		o.TracesVMID, o.VMIDBytes = true, 1
		if since(1, 0) {
			o.VMIDBytes = 1 << (unit >> 5 % 3)
			o.VMIDIsContext = o.VMIDBytes == 4 && unit>>7&1 != 0
		}
	}
	if r.CycleAccurate {
		o.Threshold = uint32(unit >> 8 & 0x1f)
	}
	if r.QElements {
		o.QSupp = 1 + uint8(unit>>13%3)
	}
	if !ete && r.Variation > 0 && unit>>16&1 != 0 {
		o.Cond = [...]uint8{1, 2, 3, 7}[unit>>18&3]
	}
	return o
}
