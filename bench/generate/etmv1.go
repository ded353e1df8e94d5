package generate

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv1"
	"github.com/tracelake/tracelake/bench/truth"
)

// etmv1Protocol is that of an ETMv1.
var etmv1Protocol = protocol{
	name: "etmv1", major: 1, newest: 3, device: "ETM", samples: true, coprocessor: true, trace: (*Recipe).traceETMv1,
	from: map[Feature]int{ContextIDs: 2, DataTrace: 0, TracePort: 0},
}

// traceETMv1 makes core one that an ETMv1 traces.
func (r *Recipe) traceETMv1(core *TracedCore, w *Workload) {
	s := &r.Samples
	o := etmv1.Options{Config: r.portConfig(1, w), Options: r.encoder(s)}
	_, o.Whole = o.RecordBytes()
	core.Type, core.Version, core.TracesData = "ARM9", o.Version(), o.TracesData()
	core.Port = newPortFile(o.Config, s, s.options())
	core.Encoder = func(out io.Writer, rows truth.Rows, lost int64) encode.Encoder {
		o := o
		o.Program, o.Lost = w.Program(), lost
		return etmv1.New(out, rows, o)
	}
}
