package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
)

// Each byte of an archive that is flipped is found: of a small one all, of a larger one
// any.
//
// Of a flipped byte of a long file only each 16th is checked: what finds it, the SHA-256 in
// manifest-sha256.txt, has to differ for all.
func TestArchiveFlippedBytes(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	kept := unpackKept(t, "archive1")
	sums, err := os.ReadFile(filepath.Join(kept, archive.SumsFile))
	check(t, err)
	for i, name := range pathsIn(t, kept) {
		name, err := filepath.Rel(kept, name)
		check(t, err)
		t.Run(strings.ReplaceAll(name, string(filepath.Separator), " "), func(t *testing.T) {
			t.Parallel() // a copy for each file: all bytes of all take half an hour of CPU time
			small, rng := unpackKept(t, "archive1"), rand.New(rand.NewPCG(1, uint64(i)))
			flip := flipper(t, small, filepath.Join(small, name))
			step := need.Size(4000, 1)
			if flip.size() > 9000 {
				step = need.Size(4000, 16)
				flip.allChange(sums)
			}
			n := 0
			for at := rng.IntN(step); at < flip.size(); at += step {
				flip.at(at, byte(1<<rng.IntN(8)))
				n++
			}
			t.Logf("%d of %d bytes", n, flip.size())
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

// allChange demands that the SHA-256 of the file is in a list, and no longer if any byte is
// flipped.
func (f *flips) allChange(sums []byte) {
	f.t.Helper()
	listed := func() bool {
		sum := sha256.Sum256(f.bytes)
		return bytes.Contains(sums, []byte(hex.EncodeToString(sum[:])))
	}
	if !listed() {
		f.t.Fatalf("the SHA-256 of %s is not in %s", f.name, archive.SumsFile)
	}
	for i := 0; i < len(f.bytes); i += need.Size(100, 1) {
		f.bytes[i] ^= 1
		if listed() {
			f.t.Errorf("byte %d of %s changes nothing", i, f.name)
		}
		f.bytes[i] ^= 1
	}
}

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
