package linker

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// written is a file with two segments.
func written(aarch32 bool) *File {
	return &File{
		AArch32: aarch32, Type: elf.ET_DYN, Entry: 0x10010,
		Segments: Place([]Segment{
			{Address: 0x10010, Flags: elf.PF_X, Bytes: []byte("text of the first")},
			{Address: 0x20100, Flags: elf.PF_R | elf.PF_X, Bytes: []byte("another")},
		}),
		BuildID: []byte{0xDE, 0xAD, 1, 2, 3}, Symbols: []Symbol{{"main", 0x10010, 8}, {"other", 0x20104, 3}},
	}
}

// What is written is what debug/elf reads.
func TestBytes(t *testing.T) {
	for _, aarch32 := range []bool{false, true} {
		f := written(aarch32)
		e, err := elf.NewFile(bytes.NewReader(f.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if e.Entry != f.Entry || e.Type != elf.ET_DYN || (e.Machine == elf.EM_ARM) != aarch32 {
			t.Errorf("header %+v", e.FileHeader)
		}
		for i, s := range f.Segments {
			p := e.Progs[i]
			b := make([]byte, p.Filesz)
			if _, err := p.ReadAt(b, 0); err != nil {
				t.Fatal(err)
			}
			if p.Vaddr != s.Address || p.Off != s.Offset || p.Flags != s.Flags || string(b) != string(s.Bytes) {
				t.Errorf("segment %d: %+v, %q", i, p.ProgHeader, b)
			}
			if s.Offset == s.Address || s.Offset%PageBytes != s.Address%PageBytes {
				t.Errorf("segment %d at 0x%x is at 0x%x in the file", i, s.Address, s.Offset)
			}
			if text, err := e.Sections[2+i].Data(); err != nil || string(text) != string(s.Bytes) {
				t.Errorf("section %d: %q, %v", i, text, err)
			}
		}
		note, err := e.Section(".note.gnu.build-id").Data()
		const want = "04000000" + "05000000" + "03000000" + "474e5500" + "dead010203" + "000000"
		if got := hex.EncodeToString(note); err != nil || got != want {
			t.Errorf("note %s, want %s; %v", got, want, err)
		}
		symbols, err := e.Symbols()
		if err != nil || len(symbols) != 2 {
			t.Fatalf("%d symbols, %v", len(symbols), err)
		}
		if s := symbols[1]; s.Name != "other" || s.Value != 0x20104 || s.Size != 3 || e.Sections[s.Section].Name != ".text.1" {
			t.Errorf("symbol %+v", s)
		}
	}
}

// A core has segments alone.
func TestCore(t *testing.T) {
	f := &File{Type: elf.ET_CORE, Segments: Place([]Segment{{Address: 0xFFFF800008000000, Flags: elf.PF_X, Bytes: []byte{1, 2}}})}
	e, err := elf.NewFile(bytes.NewReader(f.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Progs) != 1 || len(e.Sections) != 0 || e.Progs[0].Vaddr != 0xFFFF800008000000 {
		t.Errorf("%d segments, %d sections, %+v", len(e.Progs), len(e.Sections), e.Progs[0].ProgHeader)
	}
}

// Nor has readelf anything to say against it.
func TestReadelf(t *testing.T) {
	readelf := need.Tool(t, need.Readelf, "readelf")
	for _, aarch32 := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, written(aarch32).Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), readelf, "-aW", name).CombinedOutput()
		if err != nil || strings.Contains(strings.ToLower(string(out)), "warning") {
			t.Errorf("%v\n%s", err, out)
		}
		if !strings.Contains(string(out), "Build ID: dead010203") {
			t.Errorf("no build ID:\n%s", out)
		}
	}
}
