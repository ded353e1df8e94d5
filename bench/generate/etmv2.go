package generate

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv2"
	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv2"
)

// etmv2Protocol is that of an ETMv2.
var etmv2Protocol = protocol{
	name: "etmv2", major: 2, newest: 1, device: "ETM", samples: true, offsets: true, trace: (*Recipe).traceETMv2,
	from: map[Feature]int{ContextIDs: 0, DataTrace: 0, TracePort: 0},
}

// traceETMv2 makes core one that an ETMv2 traces.
func (r *Recipe) traceETMv2(core *TracedCore, w *Workload) {
	s := r.varied()
	o := etmv2.Options{
		Config:  codec.Config{Config: r.portConfig(2, w), TFO: s.TFO, First: s.First, Gap: s.Gap},
		Options: r.encoder(s),
	}
	_, o.Whole = o.RecordBytes()
	core.Type, core.Version, core.TracesData = "ARM10", o.Version(), o.TracesData()
	core.Port = newPortFile(o.Config.Config, s, append(s.options(), s.words()...))
	core.Encoder = func(out io.Writer, rows truth.Rows, lost int64) encode.Encoder {
		o := o
		o.Program, o.Lost = w.Program(), lost
		return etmv2.New(out, rows, o)
	}
}

// words are the options that are not as the decoder takes them by default.
func (s *Samples) words() []string {
	var words []string
	if s.TFO == codec.TFOPlain {
		words = append(words, "TFO=plain")
	}
	if s.First == codec.FirstNext {
		words = append(words, "FIRST=next")
	}
	if s.Gap == codec.GapNone {
		words = append(words, "GAP=none")
	}
	return words
}

// varied are the samples of the recipe, of which some of what nobody knows is chosen
// with variation.
func (r *Recipe) varied() *Samples {
	s := r.Samples
	if r.Variation == 0 {
		return &s
	}
	chance := splitmix.Hash(r.Seed, 0)
	if s.TFO == 0 && !r.CycleAccurate {
		s.TFO = codec.TFOCode(chance & 1)
	}
	if s.First == 0 {
		s.First = codec.First(chance >> 1 & 1)
	}
	if s.Gap == 0 && s.pins() == 4 {
		s.Gap = codec.Gap(chance >> 2 & 1)
	}
	return &s
}
