package synth

import (
	"debug/elf"
	"os"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
)

// sampleProgram is the program of the sample with its functions.
func sampleProgram(t testing.TB) (*Program, *elf.File) {
	t.Helper()
	file, err := os.Open("../sample/capture/sample.elf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	regions, err := image.ReadELF(image.File{Name: "sample.elf", Data: file, Size: info.Size()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return NewProgram(image.New(regions...)), f
}
