//go:build unix

package pipeline

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/keep/archive/seekable"
	"github.com/tracelake/tracelake/schema/dataset"
)

// archivedBytes is how long the sample is made: two frames.
const archivedBytes = 5 << 20

// resumableArchive are the options of archives that are interrupted. No program: decoding is
// nothing beside packing.
func resumableArchive() keep.ArchiveOptions {
	o := archiveOptions(capture.Options{}, archive.CreateOptions{})
	o.Export.Resumable = true
	return o
}

// The test binary archives to the directory that this names, until it is killed.
const killedArchive = "TRACELAKE_TEST_KILLED_ARCHIVE"

// TestKilledArchive is no test: it is the archive that others kill.
func TestKilledArchive(t *testing.T) {
	args := strings.Split(os.Getenv(killedArchive), "\n")
	if len(args) < 2 {
		return
	}
	_, err := Archive(context.Background(), args[0], args[1], resumableArchive())
	check(t, err)
}

// packedSoFar is how many bytes of the trace of an interrupted archive are packed, in whole
// frames.
func packedSoFar(dir string) int64 {
	f, err := os.Open(filepath.Join(keptFolder(dir), "dataset", "capture", "trace.bin.zst"))
	if err != nil {
		return 0
	}
	defer f.Close()
	bytes, frames := int64(0), seekable.NewFrames(f)
	for frame := frames.Next(); len(frame) > 0; frame = frames.Next() {
		bytes += int64(len(frame))
	}
	return bytes
}

// An archive that is killed goes on where it was: it is that of one run, and no frame that was
// written is packed again.
func TestResumeArchiveKilled(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	input := filepath.Join(t.TempDir(), "capture")
	check(t, repeat.Snapshot(sampleSnapshot(t), input, archivedBytes))
	once := filepath.Join(t.TempDir(), "run.tla")
	opt := resumableArchive()
	whole, err := Archive(t.Context(), input, once, opt)
	check(t, err)
	want := archivedFiles(t, once)
	if whole.Kept != 0 {
		t.Errorf("%d bytes are kept of nothing", whole.Kept)
	}
	random := rand.New(rand.NewPCG(18, 6))
	for round := range need.Size(2, 50) {
		dir := filepath.Join(t.TempDir(), "run.tla")
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledArchive$")
		cmd.Env = append(os.Environ(), killedArchive+"="+input+"\n"+dir)
		least := int64(1 - round%2) // at any moment, from the first frame or from the beginning
		killOnce(t, cmd, func() bool { return packedSoFar(dir) >= least }, time.Duration(random.IntN(20_000))*time.Microsecond)
		if _, err := os.Stat(keptFolder(dir)); err == nil {
			frames := packedSoFar(dir)
			opt.Export.Resumable, opt.Export.Resume = false, true
			done, err := Archive(t.Context(), input, dir, opt)
			if _, complete := errors.AsType[*dataset.ResumeError](err); complete && frames == 0 {
				done, err = whole, nil // killed when it was in place
			}
			check(t, err)
			if done.Kept != frames || done.Packed != whole.Packed {
				t.Errorf("round %d: %d bytes of %d are kept of %d", round, done.Kept, done.Packed, frames)
			}
		}
		if _, err := os.Stat(dir); err != nil {
			continue // killed before there was anything
		}
		demandEqual(t, archivedFiles(t, dir), want)
		if _, err := os.Lstat(keptFolder(dir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("left: %v", err)
		}
	}
}

// An archive that is interrupted says what it keeps; of that, nothing but frames of the trace
// comes into the one that goes on, and no frame of other data.
func TestResumeArchive(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	input := filepath.Join(t.TempDir(), "capture")
	check(t, repeat.Snapshot(sampleSnapshot(t), input, archivedBytes))
	once := filepath.Join(t.TempDir(), "run.tla")
	opt := resumableArchive()
	_, err := Archive(t.Context(), input, once, opt)
	check(t, err)
	dir := filepath.Join(t.TempDir(), "run.tla")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt.Packing = func(int64, int64) {
		cancel()
	}
	_, err = Archive(ctx, input, dir, opt)
	if s, ok := errors.AsType[*dataset.SuspendedError](err); !ok || s.Done != "what is packed is" || !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	opt.Packing, opt.Export.Resumable, opt.Export.Resume = nil, false, true
	other := opt
	other.Level = "best"
	if _, err := Archive(t.Context(), input, dir, other); err == nil || !strings.Contains(err.Error(), "--level was fastest and is best; ") {
		t.Error(err)
	}
	for _, change := range []struct {
		time bool
		want string
	}{{false, "SHA-256 of trace.bin was "}, {true, "time of trace.bin was "}} {
		name := filepath.Join(input, "trace.bin")
		was, err := os.ReadFile(name)
		check(t, err)
		info, err := os.Stat(name)
		check(t, err)
		changed := slices.Clone(was)
		changed[len(changed)/2] ^= 1
		check(t, os.WriteFile(name, changed, 0o666))
		if !change.time {
			check(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
		}
		before := packedSoFar(dir)
		if _, err := Archive(t.Context(), input, dir, opt); err == nil || !strings.Contains(err.Error(), "cannot be gone on with: "+change.want) || packedSoFar(dir) != before {
			t.Errorf("a capture that changed: %v, %d bytes are packed of %d", err, packedSoFar(dir), before)
		}
		check(t, os.WriteFile(name, was, 0o666))
		check(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	}
	again := opt
	again.Export.Resume = false
	if _, err := Archive(t.Context(), input, dir, again); err == nil || !strings.Contains(err.Error(), "has an unfinished archive beside it; go on with --resume") {
		t.Error(err)
	}

	stage := filepath.Join(keptFolder(dir), "dataset")
	packed := filepath.Join(stage, "capture", "trace.bin.zst")
	whole, err := os.ReadFile(filepath.Join(once, "capture", "trace.bin.zst"))
	check(t, err)
	frame := seekable.NewFrames(bytes.NewReader(whole)).Next()
	outside := filepath.Join(t.TempDir(), "outside")
	check(t, os.WriteFile(outside, []byte("as it was"), 0o666))
	check(t, os.WriteFile(filepath.Join(stage, "capture", "other.bin.zst"), whole, 0o666))
	check(t, os.Symlink(outside, filepath.Join(stage, "archive.json")))
	check(t, os.WriteFile(packed, slices.Concat(frame, frame, whole), 0o666)) // one in the place of the second, and too many
	done, err := Archive(t.Context(), input, dir, opt)
	check(t, err)
	if done.Kept != int64(len(frame)) {
		t.Errorf("%d bytes of %d are kept, want %d", done.Kept, done.Packed, len(frame))
	}
	demandEqual(t, archivedFiles(t, dir), archivedFiles(t, once))
	if r, err := archive.Check(t.Context(), dir, "", nil); err != nil || len(r.Problems) > 0 {
		t.Errorf("%v, %+v", err, r)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "as it was" {
		t.Errorf("outside: %q, %v", text, err)
	}
}
