package generate

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv3"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
)

// etmv3Protocol is that of an ETMv3.
var etmv3Protocol = protocol{
	returnsUntold: true,
	name:          "etmv3", major: 3, newest: 5, device: "ETM", trace: (*Recipe).traceETMv3,
	from: map[Feature]int{
		ProfileM: 4, Timestamps: 5, ContextIDs: 0, VMIDs: 5, AltBranch: 4, TwoAtoms: 0, DataTrace: 0, DataOnlyMode: 1,
		Frames: 0, SecondSource: 0,
	},
}

// traceETMv3 makes core one that an ETM traces.
func (r *Recipe) traceETMv3(core *TracedCore, w *Workload) {
	o := r.etmv3Options(core.Source, w)
	core.Type, core.Version, core.TracesData = o.Core(), o.Version(), o.DataAddress || o.DataValue
	core.Registers = o.Registers()
	core.Encoder = func(w io.Writer, rows truth.Rows, lost int64) encode.Encoder {
		o := o
		o.Lost = lost
		return etmv3.New(w, rows, o)
	}
}

// etmv3Options are those of the ETM of a source.
func (r *Recipe) etmv3Options(source uint8, w *Workload) etmv3.Options {
	o := etmv3.Options{
		Config: codec.Config{
			Minor: uint8(r.Minor), ProfileM: r.V7M, CycleAccurate: r.CycleAccurate, ContextIDBytes: r.ContextIDBytes,
			Broadcast:   r.Broadcast,
			DataAddress: r.Data == DataAddresses || r.Data >= DataBoth, DataValue: r.Data == DataValues || r.Data >= DataBoth,
			DataOnly: r.Data == DataOnly, DataSuppress: r.Data != NoData && r.Data != DataOnly && r.Variation > 0,
			AltBranch: r.AltBranch, Security: !r.V7M, OneT32: !r.TwoAtoms,
			Timestamp64: r.Minor >= 5, Virtualization: r.Minor >= 5 && !r.V7M,
		},
		Source: source, Program: w.Program(), SyncPeriod: recipeSyncBytes,
		Timestamps: r.Timestamps, TimestampBase: 90 * recipeTimestampHz, CyclesPerTick: recipeCoreHz / recipeTimestampHz,
		TraceVMID: r.VMID, CancelledAlone: r.Variation == 0,
	}
	if r.Variation > 0 {
		o.Variation = etmv3.Vary(r.Seed, r.Variation)
	}
	return o
}
