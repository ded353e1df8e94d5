package generate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
)

// A register that is wrong makes a decode bad, and the remedy is the value that the
// macrocell had.
func TestRemedy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		recipe Recipe
		wrong  []string // registers, of the command line
		want   []string // flags of the remedy
	}{
		{"pft, cycle-accurate", Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true}, []string{"ETMCR=0x400"}, []string{"--reg ETMCR=0x1400"}},
		{"pft, not cycle-accurate", Recipe{Protocol: "pft", Minor: 1}, []string{"ETMCR=0x1400"}, []string{"--reg ETMCR=0x400"}},
		{"pft, return stack", Recipe{Protocol: "pft", Minor: 1, ReturnStack: true}, []string{"ETMCR=0x400"}, []string{"--reg ETMCR=0x20000400"}},
		{"pft, Context ID", Recipe{Protocol: "pft", Minor: 1, ContextIDBytes: 4, Switches: 1000}, []string{"ETMCR=0x400"}, []string{"--reg ETMCR=0xC400"}},
		{
			"pft, all of it",
			Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true, ReturnStack: true, ContextIDBytes: 2, Switches: 1000},
			[]string{"ETMCR=0x400"},
			[]string{"--reg ETMCR=0x20009400"},
		},
		{"etmv3, cycle-accurate", Recipe{Protocol: "etmv3", Minor: 5, CycleAccurate: true}, []string{"ETMCR=0"}, []string{"--reg ETMCR=0x1000"}},
		{"etmv3, alternative encoding", Recipe{Protocol: "etmv3", Minor: 5, AltBranch: true}, []string{"ETMIDR=0x4104F250"}, []string{"--reg ETMIDR=0x4114F250"}},
		{"etmv3, Context ID", Recipe{Protocol: "etmv3", Minor: 3, ContextIDBytes: 1, Switches: 1000}, []string{"ETMCR=0"}, []string{"--reg ETMCR=0x4000"}},
		{"etmv3, data", Recipe{Protocol: "etmv3", Minor: 4, Data: DataBoth}, []string{"ETMCR=0"}, []string{"--reg ETMCR=0xC"}},
		{"etmv3, two atoms", Recipe{Protocol: "etmv3", Minor: 3, TwoAtoms: true}, []string{"ETMIDR=0x4104F230"}, []string{"--reg ETMIDR=0x4100F230"}},
		{"etmv3 as pft", Recipe{Protocol: "etmv3", Minor: 3}, []string{"ETMIDR=0x411CF312", "ETMCR=0"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.recipe
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
			in, err := pipeline.Inspect(t.Context(), filepath.Join(dir, SnapshotFolder), capture.Options{Regs: tt.wrong})
			if err != nil {
				t.Fatal(err)
			}
			v := in.Sources[0].Sample.Reading
			if v.Fine() || v.Remedy == nil {
				t.Fatal(v)
			}
			if tt.want == nil {
				if v.Remedy.Protocol != "etmv3" || !slices.ContainsFunc(v.Remedy.Flags, func(f string) bool { return strings.HasPrefix(f, "--reg ETMIDR=0x41") }) {
					t.Errorf("the remedy is %s", v.Remedy)
				}
				return
			}
			if !slices.Equal(v.Remedy.Flags, tt.want) {
				t.Errorf("the remedy of %s is %q, want %q", v, v.Remedy.Flags, tt.want)
			}
		})
	}
}
