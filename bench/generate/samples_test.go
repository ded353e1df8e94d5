package generate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
)

// made makes the capture of a recipe of samples, of a program made up.
func made(t *testing.T, r *Recipe, bytes int) (dir string) {
	t.Helper()
	w, err := GeneratedWorkload(codegen.Options{Seed: r.Seed, Bytes: bytes, Base: 0x8000, Arch: program.V5TE})
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTry(t *testing.T) {
	for _, p := range []string{"etmv1", "etmv2"} {
		for seed := range uint64(20) {
			r := &Recipe{Protocol: p, Seed: seed, Instructions: 5000, Exceptions: 3000, TraceOff: 200, Overflow: 200, Debug: 200, Triggers: 1000, Data: DataBoth, CycleAccurate: seed%2 == 1}
			if seed%4 >= 2 {
				r.Variation = 0.1
			}
			dir := made(t, r, 5000)
			if seed == 0 {
				entries, _ := os.ReadDir(filepath.Join(dir, RawFolder))
				for _, e := range entries {
					i, _ := e.Info()
					t.Log(e.Name(), i.Size())
				}
				b, _ := os.ReadFile(filepath.Join(dir, RawFolder, exportFile))
				t.Log(string(b))
			}
		}
	}
}
