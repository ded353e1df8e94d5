package generate

import (
	"fmt"
	"path/filepath"
	"testing"

	arch "github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
)

// No generated trace is taken for trace that is not decoded: of data, whose bytes are anything, least of all.
func TestIdentify(t *testing.T) {
	recipes := []Recipe{
		{Protocol: "pft", Framing: NoFrames},
		{Protocol: "pft", Cores: 3, CycleAccurate: true, Framing: FramesOfPort},
		{Protocol: "etmv3", Minor: 5, CycleAccurate: true, Timestamps: true},
	}
	for _, data := range []Data{DataAddresses, DataValues, DataBoth, DataOnly} {
		for _, f := range []Framing{NoFrames, FramesInMemory, FramesOfPort} {
			recipes = append(recipes, Recipe{Protocol: "etmv3", Minor: 5, Data: data, Framing: f})
		}
	}
	for _, protocol := range []string{"etmv1", "etmv2"} {
		for _, layout := range []port.Layout{port.LayoutETB24, port.LayoutBytes} {
			recipes = append(recipes, Recipe{Protocol: protocol, Data: DataBoth, Samples: Samples{Pins: 4, Layout: layout}})
		}
	}
	for i, r := range recipes {
		t.Run(fmt.Sprintf("%d-%s-%v", i, r.Protocol, r.Framing), func(t *testing.T) {
			r.Instructions, r.Exceptions, r.Seed = 20_000, 100, 1
			program := codegen.Options{Seed: 1, Bytes: 20_000, Base: 0x8000}
			if OfSamples(r.Protocol) {
				program.Arch = arch.V5TE
			}
			w, err := GeneratedWorkload(program)
			if err != nil {
				t.Fatal(err)
			}
			c, err := r.Capture(w)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if _, err := c.Write(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			file := c.Input(dir).Path
			if c.Cores[0].Port == nil {
				file = filepath.Join(file, bufferFile)
			}
			f, err := identify.Path(file)
			if err != nil {
				t.Fatal(err)
			}
			if f.Kind != identify.Unknown || len(f.Streams) > 0 {
				t.Errorf("%s, %v", f.What, f.Streams)
			}
		})
	}
}
