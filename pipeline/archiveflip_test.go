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
	step := need.Size(4000, 1)
	kept := unpackKept(t, "archive1")
	for i, name := range pathsIn(t, kept) {
		name, err := filepath.Rel(kept, name)
		check(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel() // a copy for each file, so that all bytes of all take an hour of two cores
			small, rng := unpackKept(t, "archive1"), rand.New(rand.NewPCG(1, uint64(i)))
			flip := flipper(t, small, filepath.Join(small, name))
			for at := rng.IntN(step); at < flip.size(); at += step {
				flip.at(at, byte(1<<rng.IntN(8)))
			}
			t.Logf("%d of %d bytes", (flip.size()+step-1)/step, flip.size())
		})
	}
	t.Run("large", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		large := archiveOf(t, sampleSnapshot(t), capture.Options{}, archive.CreateOptions{})
		names := pathsIn(t, large)
		for range need.Size(5, 1000) {
			flip := flipper(t, large, names[rng.IntN(len(names))])
			flip.at(rng.IntN(flip.size()), byte(1+rng.IntN(255)))
		}
	})
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
