package files

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/process"
)

// jitdump is a jitdump of a function that is moved.
func jitdump(flags uint64) []byte {
	var b []byte
	for _, v := range []any{
		uint32(0x4A695444), uint32(1), uint32(40), uint32(183), uint32(0), uint32(17), uint64(0), flags,
		uint32(0), uint32(16 + 40 + 2 + 4), uint64(7), uint32(17), uint32(17), uint64(0x1000), uint64(0x1000), uint64(4), uint64(1), []byte("f\x00code"),
		uint32(1), uint32(16 + 48), uint64(9), uint32(17), uint32(17), uint64(0), uint64(0x1000), uint64(0x2000), uint64(4), uint64(1),
	} {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

// TestJitdump: the code of a jitdump is at its addresses from its times on.
func TestJitdump(t *testing.T) {
	dir := write(t, t.TempDir(), map[string][]byte{"tmp/jit-17.dump": jitdump(0), "tmp/jit-18.dump": jitdump(1)})
	f := finder(t, Options{Sysroots: []string{dir}})
	marker := mapped("/tmp/jit-17.dump", "", 0x9000, 0).Map
	d, err := f.Jitdump(marker)
	if err != nil {
		t.Fatal(err)
	}
	tl := process.New(JitEvents(d, marker.File, 17))
	for _, c := range []struct {
		time uint64
		want string
	}{{6, ""}, {7, "1000 code"}, {9, "1000 code, 2000 code"}} {
		var got []string
		for part := range tl.At(17, c.time).All() {
			p, err := f.User(part)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, text(p))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("at %d: %q, want %q", c.time, s, c.want)
		}
	}
	if d, err := f.Jitdump(mapped("/lib/a.so", "", 0x9000, 0).Map); d != nil || err != nil {
		t.Errorf("another file: %v, %v", d, err)
	}
	if _, err := f.Jitdump(mapped("/tmp/jit-18.dump", "", 0x9000, 0).Map); err == nil || !strings.Contains(err.Error(), "times of the processor's counter") {
		t.Errorf("times of a counter: %v", err)
	}
	if _, err := f.Jitdump(mapped("/tmp/jit-19.dump", "", 0x9000, 0).Map); err == nil || !strings.Contains(err.Error(), "is not found") {
		t.Errorf("no file: %v", err)
	}
}
