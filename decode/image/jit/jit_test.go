package jit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
)

// words are values of their sizes, little-endian, and bytes of strings.
func words(values ...any) []byte {
	var b []byte
	for _, v := range values {
		if s, ok := v.(string); ok {
			b = append(b, s...)
			continue
		}
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

func header(machine uint32, flags uint64) []byte {
	return words(uint32(0x4A695444), uint32(1), uint32(40), machine, uint32(0), uint32(17), uint64(5), flags)
}

func record(kind uint32, time uint64, body ...any) []byte {
	b := words(body...)
	return append(words(kind, uint32(16+len(b)), time), b...)
}

func load(time, address, number uint64, name, code string) []byte {
	return record(0, time, uint32(17), uint32(18), address, address, uint64(len(code)), number, name+"\x00"+code)
}

func move(time, address, size, number uint64) []byte {
	return record(1, time, uint32(17), uint32(18), address, uint64(0), address, size, number)
}

func asFile(b []byte) image.File {
	return image.File{Name: "jit-17.dump", Data: bytes.NewReader(b), Size: int64(len(b))}
}

// text shows the codes of a dump with their bytes: "7: f at 10 code".
func text(d *Dump, b []byte) string {
	var s []string
	for _, c := range d.Codes {
		s = append(s, fmt.Sprintf("%d: %s at %x %s", c.Time, c.Name, uint64(c.Address), b[c.Offset:c.Offset+c.Size]))
	}
	return strings.Join(s, ", ")
}

func TestReadDump(t *testing.T) {
	start := header(183, 0)
	one := load(7, 0x1000, 1, "f", "code")
	long := load(7, 0x1000, 1, strings.Repeat("x", 5000), "code")
	huge := bytes.Replace(one, words(uint64(4)), words(uint64(400)), 1)
	for _, c := range []struct {
		rule    string
		records [][]byte
		want    string
		cut     int64
	}{
		{"nothing", nil, "", 0},
		{"code", [][]byte{one}, "7: f at 1000 code", 0},
		{"code where other code was", [][]byte{one, load(8, 0x1000, 2, "g", "other")}, "7: f at 1000 code, 8: g at 1000 other", 0},
		{"code is moved", [][]byte{one, move(9, 0x2000, 4, 1)}, "7: f at 1000 code, 9: f at 2000 code", 0},
		{"code is moved again", [][]byte{one, move(8, 0x2000, 4, 1), move(9, 0x3000, 2, 1)}, "7: f at 1000 code, 8: f at 2000 code, 9: f at 3000 co", 0},
		{"code that is not known is moved", [][]byte{move(9, 0x2000, 4, 1)}, "", 0},
		{"other records are skipped", [][]byte{record(2, 6, "lines"), record(4, 6, "unwind"), record(99, 6), one}, "7: f at 1000 code", 0},
		{"the end", [][]byte{one, record(3, 8), load(9, 0x2000, 2, "g", "late")}, "7: f at 1000 code", 0},
		{"a long name is cut", [][]byte{long}, "7: " + strings.Repeat("x", maxName) + " at 1000 code", 0},
		{"the last record is cut short", [][]byte{one, one[:len(one)-1]}, "7: f at 1000 code", 40 + int64(len(one))},
		{"its header is cut short", [][]byte{one, one[:9]}, "7: f at 1000 code", 40 + int64(len(one))},
		{"a record of size 0", [][]byte{one, make([]byte, 16), one}, "7: f at 1000 code", 40 + int64(len(one))},
		{"more code than the record has", [][]byte{huge}, "", 40},
		{"a small record", [][]byte{record(0, 1, "small")}, "", 40},
	} {
		b := append(bytes.Clone(start), bytes.Join(c.records, nil)...)
		d, err := ReadDump(asFile(b))
		if err != nil || text(d, b) != c.want || d.Cut != c.cut || !d.AArch64 || d.PID != 17 || d.Counter {
			t.Errorf("%s: %+v, %v; want %q, cut at %d", c.rule, d, err, c.want, c.cut)
		}
	}
	if d, err := ReadDump(asFile(header(40, 1))); err != nil || d.AArch64 || !d.Counter {
		t.Errorf("of AArch32 with the times of a counter: %+v, %v", d, err)
	}
}

func TestReadDumpRefuses(t *testing.T) {
	large := header(183, 0)
	large[9] = 1
	for want, b := range map[string][]byte{
		"is no jitdump":                            []byte("text"),
		"is no jitdump; give":                      make([]byte, 40),
		"is a big-endian jitdump":                  append([]byte("JiTD"), make([]byte, 36)...),
		"is a jitdump of another machine, EM_X86_": header(62, 0),
		"has a header of 296 bytes":                large,
	} {
		if _, err := ReadDump(asFile(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestReadNames(t *testing.T) {
	const file = "2000 10 g\n1000 8 f(int, char)\nno line\n0x3000 0x4 h\n1000 4 later\n4000 4 not whole"
	names, bad, err := ReadNames(asFile([]byte(file)))
	var got []string
	for _, n := range names {
		got = append(got, fmt.Sprintf("%x+%x %s", uint64(n.Address), n.Size, n.Name))
	}
	if want := "1000+4 later, 2000+10 g, 3000+4 h"; strings.Join(got, ", ") != want || bad != 1 || err != nil {
		t.Errorf("%q, %d, %v; want %q and a line that is none", got, bad, err, want)
	}
	if _, _, err := ReadNames(asFile(make([]byte, 2*maxLine))); err == nil {
		t.Error("a line without end is read")
	}
}

// FuzzDump: no panic; code is in the file.
func FuzzDump(f *testing.F) {
	f.Add(append(header(183, 0), bytes.Join([][]byte{load(7, 0x1000, 1, "f", "code"), move(9, 0x2000, 4, 1)}, nil)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := ReadDump(asFile(b)); err == nil {
			text(d, b)
		}
	})
}

// FuzzNames: no panic; names are by address, one each.
func FuzzNames(f *testing.F) {
	f.Add([]byte("2000 10 g\n1000 8 f\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		names, _, _ := ReadNames(asFile(b))
		for i := range names[min(1, len(names)):] {
			if names[i].Address >= names[i+1].Address {
				t.Fatalf("%x before %x", names[i].Address, names[i+1].Address)
			}
		}
	})
}
