package capture

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/image/files"
	"github.com/tracelake/tracelake/decode/process"
)

// TestJitted: the code of a jitdump is mapped from its time on, among the other events; a jitdump that
// is mapped twice counts once, and its damage is a warning.
func TestJitted(t *testing.T) {
	dir := t.TempDir()
	var b []byte
	for _, v := range []any{
		uint32(0x4A695444), uint32(1), uint32(40), uint32(183), uint32(0), uint32(17), uint64(0), uint64(0),
		uint32(0), uint32(16 + 40 + 2 + 4), uint64(7), uint32(17), uint32(17), uint64(0x1000), uint64(0x1000), uint64(4), uint64(1),
		[]byte("f\x00code"), uint32(0), uint32(1000),
	} {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	if err := os.WriteFile(filepath.Join(dir, "jit-17.dump"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	finder, err := files.New(files.Options{Sysroots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer finder.Close()
	marker := func(time uint64, name string) process.Event {
		m := process.Map{Address: 0x9000, Size: 0x1000, File: process.File{Name: name}}
		return process.Event{Kind: process.Mapped, Time: time, PID: 17, TID: 17, Executable: true, Map: m}
	}
	r := &recording{reader: &reader{c: &Capture{}}}
	events, err := r.addJitted(finder, []process.Event{
		marker(1, "/jit-17.dump"), marker(6, "/jit-17.dump"), marker(8, "/jit-18.dump"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%d %x", e.Time, uint64(e.Map.Address)))
	}
	if want := "1 9000, 6 9000, 7 1000, 8 9000"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if w := fmt.Sprint(r.list); !strings.Contains(w, "/jit-17.dump: the record at offset 102 is not whole") {
		t.Errorf("warnings %s", w)
	}
	if missing := finder.Missing(); len(missing) != 1 || missing[0].File.Name != "/jit-18.dump" {
		t.Errorf("missing: %v", missing)
	}
}
