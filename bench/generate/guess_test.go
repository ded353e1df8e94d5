package generate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/probe"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
)

// Offered bare, with the program that ran, the buffer of a generated capture is read
// as it was traced, whatever was chosen.
func TestGuess(t *testing.T) {
	for _, r := range []Recipe{
		{Protocol: "pft", Framing: NoFrames},
		{Protocol: "pft", Minor: 1, Framing: NoFrames, CycleAccurate: true, Timestamps: true},
		{Protocol: "pft", Minor: 1, ReturnStack: true, ContextIDBytes: 4, Switches: 1000},
		{Protocol: "pft", Minor: 1, Cores: 3, ReturnStack: true, Timestamps: true, Framing: FramesOfPort},
		{Protocol: "pft", Minor: 1, Ring: 8 << 10, Cores: 2},
		{Protocol: "etmv3", Minor: 0, Framing: NoFrames},
		{Protocol: "etmv3", Minor: 2, CycleAccurate: true, Framing: FramesOfPort},
		{Protocol: "etmv3", Minor: 3, ContextIDBytes: 2, Switches: 1000, TwoAtoms: true},
		{Protocol: "etmv3", Minor: 4, Data: DataBoth, Cores: 2},
		{Protocol: "etmv3", Minor: 5, AltBranch: true, Timestamps: true, CycleAccurate: true, Framing: NoFrames},
		{Protocol: "etmv3", Minor: 5, Data: DataAddresses, ContextIDBytes: 1, Switches: 1000},
		{Protocol: "etmv3", Minor: 4, V7M: true, AltBranch: true},
		{Protocol: "etmv4", CycleAccurate: true, Timestamps: true},
		{Protocol: "etmv4", Minor: 2, V7M: true, CycleAccurate: true, Timestamps: true, Framing: NoFrames},
		{Protocol: "ete", CycleAccurate: true, Timestamps: true, ContextIDBytes: 4, Switches: 1000},
	} {
		name := fmt.Sprintf("%s-%d-%v-%v", r.Protocol, r.Minor, r.Framing, r.CycleAccurate)
		t.Run(name, func(t *testing.T) {
			r.Instructions, r.Exceptions, r.Seed = 20_000, 100, 1
			tr := trial{recipe: r, workload: workloadKind{bytes: 20_000}}
			c, err := r.Capture(tr.program(t))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if _, err := c.Write(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			var opt capture.Options
			for k, region := range c.Cores[0].Memory {
				opt.Images = append(opt.Images, fmt.Sprintf("%s@0x%x", filepath.Join(dir, SnapshotFolder, fmt.Sprintf("cpu_0_mem_%d.bin", k)), region.Address))
			}
			checkGuess(t, filepath.Join(dir, SnapshotFolder, bufferFile), opt, &r)
		})
	}
}

// checkGuess demands that a bare file is read as the recipe says.
func checkGuess(t *testing.T, file string, opt capture.Options, r *Recipe) {
	t.Helper()
	in, err := pipeline.Inspect(t.Context(), file, opt)
	if err != nil {
		t.Fatal(err)
	}
	confidence := probe.Likely
	if findProtocol(r.Protocol).v8 { // an ETE sends nearly all that an ETMv4 does
		confidence = probe.Uncertain
	}
	if in.Guess.Framed != (r.Framing != NoFrames) || in.Guess.Confidence < confidence || len(in.Sources) != max(r.Cores, 1) {
		t.Fatalf("framed %v, %s, %d sources: %+v", in.Guess.Framed, in.Guess.Confidence, len(in.Sources), in.Guess.Tried)
	}
	for i := range in.Sources {
		s := &in.Sources[i]
		if s.Protocol != r.Protocol || s.Sample == nil || !s.Sample.Reading.Fine() {
			t.Errorf("source %s: %s, %+v", s.Source, s.Protocol, s.Sample)
			continue
		}
		settings := strings.Join(s.Settings, ", ")
		for _, want := range settingsOf(r) {
			if !slices.Contains(s.Settings, want) {
				t.Errorf("source %s: %s, want %s", s.Source, settings, want)
			}
		}
	}
	for _, line := range in.Lines {
		if !strings.HasPrefix(line, "tracelake export ") || !strings.Contains(line, " --protocol "+r.Protocol) {
			t.Error(line)
		}
	}
}

// settingsOf are the settings that a stream of the recipe shows.
func settingsOf(r *Recipe) []string {
	var words []string
	for word, on := range map[string]bool{
		"cycle-accurate": r.CycleAccurate && !findProtocol(r.Protocol).v8, "12-bit cycle counts": r.CycleAccurate && r.Protocol == "etmv4",
		"20-bit cycle counts": r.CycleAccurate && r.Protocol == "ete", fmt.Sprintf("%d-byte Context ID", r.ContextIDBytes): r.ContextIDBytes > 0,
		"return stack on": r.ReturnStack, "alternative branch encoding": r.AltBranch, "32-bit Thumb instructions traced as two": r.TwoAtoms,
		"data addresses and values": r.Data == DataBoth, "data addresses": r.Data == DataAddresses,
	} {
		if on {
			words = append(words, word)
		}
	}
	return words
}
