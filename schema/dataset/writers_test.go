//go:build unix

package dataset_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The test binary writes a dataset to the directory that this names.
const writerDir = "TRACELAKE_TEST_WRITER"

// The exit statuses of a writer.
const (
	writerDone = 0
	writerBusy = 1
	writerBad  = 2 // what may not be
)

func TestMain(m *testing.M) {
	status := 0
	if dir := os.Getenv(writerDir); dir != "" {
		status = writer(dir)
	} else {
		status = m.Run()
	}
	os.Exit(status) //nolint:forbidigo // TestMain ends the process
}

// writer replaces the dataset in dir by one that has its number as description.
// Between begin and end it has a lock of its own, which nobody else may have.
func writer(dir string) int {
	w, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions, Overwrite: true})
	if _, busy := errors.AsType[*dataset.BusyError](err); busy {
		return writerBusy
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return writerBad
	}
	witness, err := os.OpenFile(dir+"-witness", os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		err = unix.Flock(int(witness.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "two writers:", err)
		return writerBad
	}
	schema.AppendContexts(w.Table(&schema.Contexts, 0x10).Row(), schema.Keys{Source: 0x10}, schema.Of[uint32](1), // a part with a row
		schema.Null[uint32]{}, schema.Of(schema.NonSecure), schema.Null[schema.ISA]{}, schema.Null[uint8]{})
	if err := unix.Flock(int(witness.Fd()), unix.LOCK_UN); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return writerBad
	}
	if err := w.Close(&schema.Manifest{Description: fmt.Sprint(os.Getpid())}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return writerBad
	}
	return writerDone
}

// startWriter starts a writer.
func startWriter(t *testing.T, dir string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd, said := exec.Command(os.Args[0]), &strings.Builder{}
	cmd.Env, cmd.Stderr = append(os.Environ(), writerDir+"="+dir), said
	check(t, cmd.Start())
	return cmd, said
}

// observe looks at the directory until stop is closed, and returns the forbidden
// states it saw and how often it saw a dataset. A dataset that is replaced while
// it is read may fail: then the directory is another one.
func observe(t *testing.T, dir string, stop <-chan struct{}) (bad []string, seen int) {
	for {
		select {
		case <-stop:
			return bad, seen
		case <-time.After(time.Millisecond):
		}
		before, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r, err := dataset.Check(t.Context(), dir, nil)
		after, statErr := os.Stat(dir)
		switch same := statErr == nil && os.SameFile(before, after); {
		case err == nil && len(r.Problems) == 0:
			seen++
		case same && err != nil:
			bad = append(bad, err.Error())
		case same:
			bad = append(bad, fmt.Sprint(r.Problems))
		}
	}
}

// Three writers at a time write one directory, and some are killed. At every
// moment the directory is absent or a whole dataset, and at most one of them
// writes. A writer that exits with 0 has left a dataset; one that is alone exits
// with 0, and leaves nothing else.
func TestWriters(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 8
	}
	dir := filepath.Join(t.TempDir(), "run")
	random := rand.New(rand.NewPCG(1, 2))
	stop := make(chan struct{})
	var observer sync.WaitGroup
	var bad []string
	var seen int
	observer.Go(func() { bad, seen = observe(t, dir, stop) })
	var done, busy, killed int
	present := false
	for round := range rounds {
		var writers [3]*exec.Cmd
		var said [3]*strings.Builder
		for i := range writers {
			writers[i], said[i] = startWriter(t, dir)
		}
		for i := range random.IntN(4) { // writers to kill
			time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
			_ = writers[i].Process.Kill() // it may have ended
		}
		for i, w := range writers {
			_ = w.Wait()
			switch status := w.ProcessState.ExitCode(); status {
			case writerDone:
				done++
				present = true
			case writerBusy:
				busy++
			case -1:
				killed++
			default:
				t.Fatalf("round %d: exits with %d: %s", round, status, said[i])
			}
		}
		if present {
			if p := problems(t, dir); p != nil {
				t.Fatalf("round %d: %q", round, p)
			}
		}
		if round%5 == 4 {
			alone, said := startWriter(t, dir)
			if err := alone.Wait(); err != nil {
				t.Fatalf("round %d, alone: %v: %s", round, err, said)
			}
			d, err := dataset.Open(dir)
			check(t, err)
			if d.Manifest.Description != fmt.Sprint(alone.Process.Pid) {
				t.Errorf("round %d: the dataset is that of process %s", round, d.Manifest.Description)
			}
			check(t, d.Close())
			demandAlone(t, dir)
			present = true
		}
	}
	close(stop)
	observer.Wait()
	if len(bad) > 0 {
		t.Errorf("observed %d times, first %s", len(bad), bad[0])
	}
	t.Logf("%d writers were done, %d found another one, %d were killed; a whole dataset was seen %d times", done, busy, killed, seen)
	if done == 0 || busy == 0 || killed == 0 || seen == 0 {
		t.Error("the test has not seen all there is")
	}
}

// demandAlone demands that there is nothing beside the dataset.
func demandAlone(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	check(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"run", "run-witness"}) {
		t.Errorf("left: %q", names)
	}
}

// A lock is valid only if the file still has its name: the process that held it
// before may have removed the file.
func TestSameFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(name)
	check(t, err)
	defer f.Close()
	demand := func(when string, want bool) {
		t.Helper()
		if got, err := dataset.SameFile(f, name); got != want || err != nil {
			t.Errorf("%s: %v, %v", when, got, err)
		}
	}
	demand("created", true)
	check(t, os.Remove(name))
	demand("removed", false)
	check(t, os.WriteFile(name, nil, 0o666))
	demand("created again", false)
}

func TestIsMount(t *testing.T) {
	if dataset.IsMount(t.TempDir()) {
		t.Error("a folder of a file system")
	}
	if runtime.GOOS == "linux" && !dataset.IsMount("/proc") {
		t.Error("/proc")
	}
}
