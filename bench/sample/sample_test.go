package sample_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/sample/internal/remake"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is committed is what the program, the recording and the generator make.
func TestCommittedFiles(t *testing.T) {
	code := read(t, filepath.Join("capture", sample.ELF))
	program, err := remake.LoadProgram(code)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := remake.Execution(program, read(t, remake.RecordingName))
	if err != nil {
		t.Fatal(err)
	}
	want, truth, err := remake.Capture(program, steps, remake.Options())
	if err != nil {
		t.Fatal(err)
	}
	text, err := remake.TruthText(truth)
	if err != nil {
		t.Fatal(err)
	}
	want[sample.ELF] = code
	for name, b := range want {
		if !bytes.Equal(read(t, filepath.Join("capture", name)), b) {
			t.Errorf("capture/%s is not what go run ./make writes", name)
		}
	}
	if !bytes.Equal(read(t, remake.TruthName), text) {
		t.Errorf("%s is not what go run ./make writes", remake.TruthName)
	}

	dir := t.TempDir()
	if err := sample.Extract(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
		if !bytes.Equal(read(t, filepath.Join(dir, "new", e.Name())), want[e.Name()]) {
			t.Errorf("%s is not extracted as it is", e.Name())
		}
	}
	if names := slices.Sorted(maps.Keys(want)); !slices.Equal(got, names) {
		t.Errorf("extracted %q, want %q", got, names)
	}
}

// The buffer is whole frames of one source, and its stream is packets from the
// first byte to the last: as many bytes and I-syncs as the truth has.
func TestStream(t *testing.T) {
	truth, err := sample.Truth()
	if err != nil {
		t.Fatal(err)
	}
	buffer := read(t, filepath.Join("capture", remake.TraceName))
	if len(buffer)%16 != 0 {
		t.Errorf("a buffer of %d bytes is not whole frames", len(buffer))
	}
	census, err := frame.Scan(bytes.NewReader(buffer), int64(len(buffer)), frame.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	if got := truth.Bytes + census.Overhead.Bytes(); got != int64(len(buffer)) {
		t.Errorf("stream and overhead are %d bytes, the buffer has %d", got, len(buffer))
	}
	var piece decode.Piece
	pieces := frame.NewReader(bytes.NewReader(buffer), int64(len(buffer)), frame.Layout{}, truth.Source)
	for {
		_, err := pieces.Next(&piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stream := piece.Data
	if int64(len(stream)) != truth.Bytes {
		t.Fatalf("a stream of %d bytes, the truth is %d", len(stream), truth.Bytes)
	}
	config := remake.Options().Config
	var isyncs, restarts int64
	for at := 0; at < len(stream); {
		var p pft.Packet
		if err := config.Parse(&p, stream[at:]); err != nil {
			t.Fatalf("at %d: %v", at, err)
		}
		if got := config.Append(nil, p); !bytes.Equal(got, stream[at:at+p.Len]) {
			t.Fatalf("at %d: % x comes back as % x", at, stream[at:at+p.Len], got)
		}
		if p.Kind == pft.ISync {
			isyncs++
			if p.Reason != schema.ISyncPeriodic {
				restarts++
			}
		}
		at += p.Len
	}
	if isyncs != truth.Segments || restarts != 1 {
		t.Errorf("%d I-syncs, %d of them restarts; the truth has %d segments", isyncs, restarts, truth.Segments)
	}
}

// The program has line tables, which reports join to.
func TestELFHasLines(t *testing.T) {
	f, err := elf.Open(filepath.Join("capture", sample.ELF))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	unit, err := d.Reader().Next()
	if err != nil || unit == nil {
		t.Fatalf("no compilation unit: %v", err)
	}
	lines, err := d.LineReader(unit)
	if err != nil || lines == nil {
		t.Fatalf("no line table: %v", err)
	}
}
