package program_test

import (
	"bytes"
	"debug/elf"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/sample"
)

// What the assembler notes of the architecture it wrote for.
func TestLaterThanV5TE(t *testing.T) {
	need.Tool(t, need.Objdump, "arm-none-eabi-as")
	for arch, want := range map[string]bool{
		"armv4t": false, "armv5te": false, "armv5tej": false, "armv6": true, "armv6t2": true, "armv7-a": true,
		"armv7-m": true, "armv8-a": true,
	} {
		name := filepath.Join(t.TempDir(), "a.o")
		as := exec.Command("arm-none-eabi-as", "-march="+arch, "-o", name)
		as.Stdin = bytes.NewBufferString("mov r0, #1\n")
		if arch == "armv7-m" {
			as.Stdin = bytes.NewBufferString(".thumb\nmovs r0, #1\n")
		}
		if out, err := as.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", arch, err, out)
		}
		f, err := elf.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got := program.LaterThanV5TE(f); got != want {
			t.Errorf("%s: later than V5TE: %v", arch, got)
		}
	}
}

// The samples: one is for ARMv5TE, the other does not say what it is for.
func TestLaterThanV5TESample(t *testing.T) {
	for name, file := range map[string][]byte{"sample": sample.Program(), "arm926": sample.ARM926()} {
		f, err := elf.NewFile(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if program.LaterThanV5TE(f) {
			t.Errorf("%s: later than V5TE", name)
		}
	}
}
