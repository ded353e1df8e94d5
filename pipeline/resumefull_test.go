//go:build unix

package pipeline

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// fullFrom makes a process that cannot write files longer than a few bytes once so many
// percent are decoded, and a part is complete if they are not 0: what a full disk is to an
// export to dir.
func fullFrom(t *testing.T, percent, dir string) func(Progress) {
	n, err := strconv.ParseInt(percent, 10, 64)
	check(t, err)
	signal.Ignore(syscall.SIGXFSZ)
	var full sync.Once
	return func(at Progress) {
		if 100*at.Bytes < n*at.Total {
			return
		}
		for n > 0 && len(journalParts(t, dir)) == 0 {
			time.Sleep(time.Millisecond) // of what is decoded, another goroutine makes parts
		}
		full.Do(func() {
			if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100, Max: 100}); err != nil {
				panic(err)
			}
		})
	}
}

// An export goes on when there is room again on a disk that was full.
func TestResumeFull(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	capture := longSample(t)
	opt := resumedOptions(schema.LevelInstructions)
	once := filepath.Join(t.TempDir(), "once")
	_, err := Export(t.Context(), capture, once, opt)
	check(t, err)
	opt.Resume = true
	for _, percent := range []string{"60", "0", "100"}[:need.Size(1, 3)] {
		dir := filepath.Join(t.TempDir(), "run")
		out, err := killedCommand(capture, dir, opt.Level.String(), percent).CombinedOutput()
		if text := string(out); err == nil || !strings.Contains(text, "file too large; ") ||
			!strings.Contains(text, "kept in "+keptFolder(dir)+": the same command with --resume") {
			t.Errorf("%s %%: %s", percent, out)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s %%: there is a dataset", percent)
		}
		parts := age(t, dir)
		_, err = Export(t.Context(), capture, dir, opt)
		check(t, err)
		demandSame(t, dir, contentsOf(t, once))
		if again := writtenAgain(t, dir, parts); len(again) > 0 || percent != "0" && len(parts) == 0 {
			t.Errorf("%s %%: of the parts %q, %q were written again", percent, parts, again)
		}
	}
}
