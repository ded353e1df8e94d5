package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The instructions of a loop are the rows of an export: of all, and of a window.
func TestInstructions(t *testing.T) {
	for _, in := range windowInputs(t) {
		if testing.Short() && in.name != "sample" && in.name != "etmv1" {
			continue
		}
		t.Run(in.name, func(t *testing.T) {
			whole := filepath.Join(t.TempDir(), "whole")
			all, last := sameInstructions(t, in.path, whole, Options{Capture: in.options})
			from, to := Point{Kind: BySeq, N: last.Seq / 3}, Point{Kind: BySeq, N: last.Seq / 2}
			n, _ := sameInstructions(t, in.path, filepath.Join(t.TempDir(), "part"), Options{
				Capture: in.options, Sources: []uint8{last.Source}, Format: schema.Arrow, Workers: 3,
				Window: &Window{Span: Span{From: schema.Of(from), To: schema.Of(to)}, Index: whole},
			})
			if n == 0 || n >= all {
				t.Errorf("the window has %d instructions of %d", n, all)
			}
		})
	}
}

// sameInstructions exports a capture to dir, compares its rows with those of a loop, and returns how
// many there are, and the last.
func sameInstructions(t *testing.T, input, dir string, opt Options) (n int, last schema.Instruction) {
	t.Helper()
	_, err := Export(t.Context(), input, dir, opt)
	check(t, err)
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	rows := make(chan schema.Instruction, schema.BatchRows)
	go func() {
		defer close(rows)
		for b, err := range d.Batches(&schema.Instructions) {
			if err != nil {
				t.Error(err)
				return
			}
			for i := range b.Rows() {
				rows <- schema.InstructionOf(b, i)
			}
		}
	}()
	different := 0
	for x, err := range Instructions(t.Context(), input, opt) {
		check(t, err)
		n, last = n+1, x
		if row := <-rows; x != row && different < 3 {
			different++
			t.Errorf("the loop has\n%+v, the dataset\n%+v", x, row)
		}
	}
	for range rows {
		t.Fatalf("the dataset has more than %d rows", n)
	}
	return n, last
}

// A loop that is left early, or whose context ends, leaves no goroutine; what cannot be opened, and
// where nothing is decoded, is an error.
func TestInstructionsEnd(t *testing.T) {
	capture := sampleSnapshot(t)
	before := runtime.NumGoroutine()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for range rounds {
		for x, err := range Instructions(t.Context(), capture, Options{}) {
			if check(t, err); x.Seq == 3 {
				break
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for _, last = range Instructions(ctx, capture, Options{}) {
			cancel()
		}
		cancel()
		if last != nil && !errors.Is(last, context.Canceled) {
			t.Error(last)
		}
	}
	if n := goroutinesLeft(before); n > 0 {
		t.Errorf("%d goroutines are left", n)
	}
	for _, err := range Instructions(t.Context(), "nothing", Options{}) {
		if err == nil {
			t.Error("there is an instruction of no capture")
		}
	}
	empty := filepath.Join(t.TempDir(), "trace.bin")
	writeFile(t, empty, make([]byte, 100))
	raw := Options{}
	raw.Capture.Protocol = "pft"
	for _, err := range Instructions(t.Context(), empty, raw) {
		if _, ok := errors.AsType[*NothingError](err); !ok {
			t.Errorf("of zeros: %v", err)
		}
	}
}

// goroutinesLeft returns how many goroutines there are beside those before. One that has told
// that it is done may still be about to end.
func goroutinesLeft(before int) int {
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}
