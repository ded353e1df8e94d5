package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// Inspect proposes the ELF file that lies beside a snapshot, in its directory or the one above, if it has
// the memory of the snapshot, or that which is missing.
func TestELFBeside(t *testing.T) {
	need.FullRun(t, everyWay)
	program := sample.Program()
	const offset, length = 0x1000, 0xc88 // of the code, as the ini file of the sample has it
	changed := func(share int) []byte {
		code := slices.Clone(program[offset : offset+length])
		for i := range code[:len(code)*share/100] {
			code[len(code)-1-i] ^= 0xff // the end, where little runs
		}
		return code
	}
	for _, tt := range []struct {
		name   string
		memory []byte // of the snapshot; nil: none
		elf    string // where the program is
		given  bool
		flag   string // "": none
		note   string
	}{
		{"in its directory", changed(0), "capture/fw.elf", false, "-e", "fw.elf, beside the snapshot, is its program: 3,208 of 3,208 bytes of memory agree; -e takes memory and names"},
		{"above", changed(0), "fw.elf", false, "-e", "is its program: 3,208 of 3,208 bytes"},
		{"some bytes differ", changed(2), "fw.elf", false, "--symbols", "is its program: 3,144 of 3,208 bytes of memory agree; --symbols takes names only"},
		{"another program", changed(20), "fw.elf", false, "", "is another program: 2,567 of 3,208 bytes of memory agree"},
		{"no memory", nil, "fw.elf", false, "-e", "fw.elf, beside the snapshot, has the missing memory of "},
		{"given", changed(0), "fw.elf", true, "-e", ""},
		{"elsewhere", changed(0), "other/fw.elf", false, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			dir, elf := filepath.Join(root, "capture"), filepath.Join(root, filepath.FromSlash(tt.elf))
			check(t, sample.Extract(dir))
			check(t, os.Remove(filepath.Join(dir, sample.ELF)))
			check(t, os.MkdirAll(filepath.Dir(elf), 0o777))
			check(t, os.WriteFile(elf, program, 0o666))
			ini := "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A15\n"
			if tt.memory != nil {
				ini += fmt.Sprintf("[dump0]\nfile=memory.bin\naddress=0x40008000\nlength=0x%x\n", length)
				check(t, os.WriteFile(filepath.Join(dir, "memory.bin"), tt.memory, 0o666))
			}
			check(t, os.WriteFile(filepath.Join(dir, "cpu_0.ini"), []byte(ini), 0o666))
			var opt capture.Options
			if tt.given {
				opt.ELFs = []string{elf}
			}
			in, err := Inspect(t.Context(), dir, opt)
			check(t, err)
			want := "tracelake export " + dir + " -o run"
			if tt.flag != "" {
				want += " " + tt.flag + " " + elf
			}
			if len(in.Lines) != 1 || in.Lines[0] != want {
				t.Errorf("got  %q\nwant %q", in.Lines, want)
			}
			notes := strings.Join(in.Notes, "\n")
			if !strings.Contains(notes, tt.note) || strings.Contains(notes, "beside the snapshot") != (tt.note != "") {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// Where another program ran than the memory of the snapshot is of, so is the ELF file that has it.
func TestWrongELFBeside(t *testing.T) {
	need.FullRun(t, everyWay)
	in, err := Inspect(t.Context(), shared.File(t, "captures/am243x-r5f-etmv3-threadx-002b37c"), capture.Options{})
	check(t, err)
	if len(in.Lines) != 1 || !strings.HasSuffix(in.Lines[0], " -e PROGRAM.elf") {
		t.Errorf("%q", in.Lines)
	}
}
