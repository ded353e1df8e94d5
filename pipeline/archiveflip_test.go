package pipeline

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/archive"
)

// Each byte of an archive that is flipped is found: of a small one all, of a larger one
// any.
func TestArchiveFlippedBytes(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	rng := rand.New(rand.NewPCG(1, 2))
	small := unpackKept(t, "archive1")
	step := need.Size(4000, 1)
	for _, name := range pathsIn(t, small) {
		flip := flipper(t, small, name)
		for i := rng.IntN(step); i < flip.size(); i += step {
			flip.at(i, byte(1<<rng.IntN(8)))
		}
	}
	large := archiveOf(t, sampleSnapshot(t), capture.Options{}, archive.CreateOptions{})
	names := pathsIn(t, large)
	for range need.Size(5, 1000) {
		flip := flipper(t, large, names[rng.IntN(len(names))])
		flip.at(rng.IntN(flip.size()), byte(1+rng.IntN(255)))
	}
}

// pathsIn returns the files in a directory.
func pathsIn(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	check(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	}))
	return names
}

// A flips changes bytes of a file of an archive.
type flips struct {
	t         *testing.T
	dir, name string
	bytes     []byte
}

func flipper(t *testing.T, dir, name string) *flips {
	t.Helper()
	b, err := os.ReadFile(name)
	check(t, err)
	return &flips{t, dir, name, b}
}

func (f *flips) size() int { return len(f.bytes) }

// at flips bits of byte i, demands that the archive is found to be damaged, and flips
// them back.
func (f *flips) at(i int, bits byte) {
	f.bytes[i] ^= bits
	check(f.t, os.WriteFile(f.name, f.bytes, 0o666))
	r, err := archive.Check(f.t.Context(), f.dir, "", nil)
	if err == nil && len(r.Problems) == 0 {
		f.t.Errorf("byte %d of %s is 0x%02x, which nothing notices", i, f.name, f.bytes[i])
	}
	f.bytes[i] ^= bits
	check(f.t, os.WriteFile(f.name, f.bytes, 0o666))
}
