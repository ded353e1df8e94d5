// Package sample is the capture the program carries: a snapshot directory with
// the trace of a small program, whose truth is known; and the same program with
// its execution for a core of ARMv5TE. README.md says how each file was made.
//
// Its API is not stable (docs/guide/library.md).
package sample

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/bench/truth/digest"
)

//go:embed capture
var files embed.FS

//go:embed truth.json
var truth []byte

//go:embed arm926/arm926.elf
var arm926 []byte

//go:embed arm926/recording.txt.gz
var arm926Recording []byte

// ARM926ELF is the name of the file that [ARM926] returns.
const ARM926ELF = "arm926.elf"

// ARM926 returns the ELF file of the sample for an ARM926EJ-S.
func ARM926() []byte { return slices.Clone(arm926) }

// ARM926Recording returns the recording of what an ARM926EJ-S executed of [ARM926],
// compressed with gzip; package recording has the format. It ends before the board
// is turned off.
func ARM926Recording() []byte { return slices.Clone(arm926Recording) }

// ELF is the file of the traced program in the directory [Extract] writes. The
// snapshot has its code from there; debug information is in it too.
const ELF = "sample.elf"

// Program returns the ELF file of the traced program.
func Program() []byte {
	b, err := files.ReadFile("capture/" + ELF)
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}

// Extract writes the snapshot directory into dir, which is made if it is not
// there. Files of the same names are overwritten.
func Extract(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	capture, err := fs.Sub(files, "capture")
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(capture, ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		b, err := fs.ReadFile(capture, entry.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Truth returns what a right decoder makes of the capture.
func Truth() (*digest.Truth, error) {
	t := new(digest.Truth)
	if err := json.Unmarshal(truth, t); err != nil {
		return nil, fmt.Errorf("sample: truth.json: %w", err)
	}
	return t, nil
}
