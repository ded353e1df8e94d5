//go:build unix

package pipeline

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
)

// stoppedArchive is the variable that makes this program archive: capture, directory,
// directory of images, and how many bytes a file may have, from the beginning and from when
// the first frame is packed; 0 for any.
const stoppedArchive = "TRACELAKE_STOPPED_ARCHIVE"

// TestStoppedArchive is the process of the tests below.
func TestStoppedArchive(t *testing.T) {
	args := strings.Split(os.Getenv(stoppedArchive), "\n")
	if len(args) < 5 {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(text string) {
		n, err := strconv.ParseUint(text, 10, 64)
		check(t, err)
		if n > 0 {
			check(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}))
		}
	}
	limit(args[3])
	opt := archiveOptions(capture.Options{}, archive.CreateOptions{Images: args[2], Overwrite: true})
	opt.Packing = func(int64, int64) { limit(args[4]) }
	_, err := Archive(context.Background(), args[0], args[1], opt)
	check(t, err)
}

func stoppedCommand(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestStoppedArchive$")
	cmd.Env = append(os.Environ(), stoppedArchive+"="+strings.Join(args, "\n"))
	return cmd
}

// When the disk is full, nothing is left, and the error says so.
func TestArchiveFull(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	input := sampleSnapshot(t)
	for _, tt := range []struct{ name, always, packing, file string }{
		{"tables", "6000", "0", "/calls/"},
		{"trace", "0", "100", "trace.bin.zst"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent := t.TempDir()
			out, err := stoppedCommand(input, filepath.Join(parent, "run.tla"), filepath.Join(parent, "images"), tt.always, tt.packing).CombinedOutput()
			if text := string(out); err == nil || !strings.Contains(text, "file too large") || !strings.Contains(text, tt.file) {
				t.Errorf("%v: %s", err, out)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("%v is left (%v)", left, err)
			}
		})
	}
}

// An archive that is killed is not there, or whole. The next one removes what it left, and
// is as if nothing had been before.
func TestArchiveKilled(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	input := sampleSnapshot(t)
	archived := func(parent string) string {
		dir := filepath.Join(parent, "run.tla")
		_, err := Archive(t.Context(), input, dir, archiveOptions(capture.Options{}, archive.CreateOptions{Images: filepath.Join(parent, "images"), Overwrite: true}))
		check(t, err)
		return parent
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "run.tla")
	rng := rand.New(rand.NewPCG(3, 4))
	for range need.Size(3, 50) {
		cmd := stoppedCommand(input, dir, filepath.Join(parent, "images"), "0", "0")
		killOnce(t, cmd, func() bool { return true }, time.Duration(rng.IntN(300))*time.Millisecond)
		if !archive.Is(dir) {
			continue
		}
		r, err := archive.Check(t.Context(), dir, filepath.Join(parent, "images"), nil)
		check(t, err)
		if len(r.Problems)+len(r.Unchecked) > 0 {
			t.Errorf("problems %v, unchecked %q", r.Problems, r.Unchecked)
		}
	}
	got, want := bytesIn(t, archived(parent)), bytesIn(t, archived(t.TempDir()))
	if !maps.Equal(got, want) {
		t.Errorf("%q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// bytesIn returns the files in a directory by their paths in it.
func bytesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, name := range pathsIn(t, dir) {
		b, err := os.ReadFile(name)
		check(t, err)
		contents[strings.TrimPrefix(name, dir)] = string(b)
	}
	return contents
}
