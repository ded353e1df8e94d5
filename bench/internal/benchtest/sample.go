package benchtest

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/image"
)

// Sample is the program of the sample, and its ELF file.
func Sample(t testing.TB) (*program.Program, *elf.File) {
	t.Helper()
	file := sample.Program()
	regions, err := image.ReadELF(image.File{Name: sample.ELF, Data: bytes.NewReader(file), Size: int64(len(file))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return program.New(image.New(regions...)), f
}
