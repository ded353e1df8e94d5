package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
)

// straightCode writes a PFT trace of five atoms over 60,000 NOPs and a branch back
// to the first, and returns it with the options to read it.
func straightCode(t *testing.T) (input string, opt capture.Options) {
	t.Helper()
	dir := t.TempDir()
	code := bytes.Repeat([]byte{0x00, 0x00, 0xa0, 0xe1}, 60_000)             // mov r0, r0
	code = binary.LittleEndian.AppendUint32(code, 0xea000000|(1<<24-60_002)) // b .-240000
	writeFile(t, filepath.Join(dir, "code"), code)
	input = filepath.Join(dir, "trace")
	writeFile(t, input, []byte{
		0, 0, 0, 0, 0, 0x80, // A-sync
		0x08, 0x00, 0x80, 0x00, 0x00, 0x01, // I-sync: 0x8000, A32
		0xc0, // five E atoms
	})
	return input, capture.Options{Protocol: "pft", Images: []string{filepath.Join(dir, "code") + "@0x8000"}}
}

// An export ends before rows are made that would pass the limit, and leaves
// nothing; a row less does not pass it. Straight code of which a byte of trace
// tells thousands of instructions is pointed out.
func TestMaxRows(t *testing.T) {
	t.Parallel()
	const instructions = 5 * 60_001
	const blocks = 5 * ((60_001 + schema.MaxBlockRow - 1) / schema.MaxBlockRow)
	input, opt := straightCode(t)
	for _, tt := range []struct {
		level schema.Level
		most  int64
		ok    bool
	}{
		{schema.LevelInstructions, instructions, true},
		{schema.LevelInstructions, instructions - 1, false},
		{schema.LevelBlocks, blocks, true},
		{schema.LevelBlocks, blocks - 1, false},
		{schema.LevelInstructions, 0, true}, // not said
		{schema.LevelNone, 1, true},         // there are none
	} {
		dir := filepath.Join(t.TempDir(), "run")
		summary, err := Export(t.Context(), input, dir, Options{Capture: opt, Level: tt.level, Workers: 1, MaxRows: tt.most})
		if tt.ok {
			if err != nil || summary.Totals.Instructions != instructions {
				t.Fatalf("%s, at most %d rows: %v, %+v", tt.level, tt.most, err, summary)
			}
			checkExpansionNote(t, summary.Notes)
			continue
		}
		if e, ok := errors.AsType[*rows.LimitError](err); !ok || e.Most != tt.most || !strings.Contains(err.Error(), "--max-rows") {
			t.Errorf("%s, at most %d rows: error %v", tt.level, tt.most, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s, at most %d rows: left %v", tt.level, tt.most, err)
		}
	}
	in, err := Inspect(t.Context(), input, opt)
	if err != nil {
		t.Fatal(err)
	}
	checkExpansionNote(t, in.Notes)
}

func checkExpansionNote(t *testing.T, notes []string) {
	t.Helper()
	// 300,005 instructions of 13 bytes.
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "23077 instructions for each byte") }) {
		t.Errorf("notes %q", notes)
	}
}
