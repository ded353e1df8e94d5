package perfdata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{
		"PERFILE2\x68": true, "PERFILE2": true, "2ELIFREP": true, "PERFILE": false, "PERFFILE": false, "": false, "\x7fELF": false,
	} {
		if got := Detect([]byte(head)); got != want {
			t.Errorf("%q: %t, want %t", head, got, want)
		}
	}
}

// put returns a file with other bytes at an offset.
func put(b []byte, offset int, other []byte) []byte {
	b = bytes.Clone(b)
	copy(b[offset:], other)
	return b
}

// What cannot be read is refused with a sentence of its own.
func TestRefused(t *testing.T) {
	good := simple(aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	b := good.bytes()
	const start = fileHeader + 112 + attrPlace // of the records
	with := func(records ...[]byte) []byte { return simple(records...).bytes() }
	only := func(records ...[]byte) []byte {
		r := simple()
		r.records = join(records...)
		return r.bytes()
	}
	branches := recording{attrs: [][]byte{attr(usual|sampleBranches, sampleIDAll)}, records: rec(9, 2, u64(1))}
	var intel []byte
	for _, tt := range []struct {
		name string
		file []byte
		want string
		kind error
	}{
		{"empty", nil, "at offset 0x0: ends inside its header of 16 bytes; copy it again", nil},
		{"half a header", b[:50], "at offset 0x32: ends inside its header of 104 bytes; copy it again", nil},
		{"big-endian", put(b, 0, []byte(magicSwapped)), "at offset 0x0: was recorded on a big-endian machine; little-endian recordings alone are read", nil},
		{"no magic", put(b, 0, []byte("PERFFILE")), "at offset 0x0: does not begin with PERFILE2: it is no perf.data; name a file of perf record or simpleperf record", nil},
		{"header size", put(b, 8, u64(99)), "at offset 0x8: has a header of 99 bytes; it has 104, or 16 in a pipe: record it again", nil},
		{"attributes beyond", put(b, 32, u64(1<<40)), "at offset 0x18: has attributes at offset 0x68, 1099511627776 bytes, beyond its end; copy it again", nil},
		{"attribute size 0", put(b, 16, u64(0)), "at offset 0x10: has attributes of 0 bytes; they have 80 or more: record it again", nil},
		{"records beyond", put(b, 40, u64(1<<40)), "at offset 0x28: has its records at offset 0x10000000000, beyond its end; copy it again", nil},
		{"no records", only(), "has no trace: no record describes any (AUXTRACE_INFO); record with perf record -e cs_etm// or simpleperf record -e cs-etm", ErrNoTrace},
		{"cut off early", b[:start+20], "at offset 0xe8: ends here, before what is needed: it has no trace: no record describes any (AUXTRACE_INFO); record with perf record -e cs_etm// or simpleperf record -e cs-etm", ErrNoTrace},
		{"injected", branches.bytes(), "has no trace: perf inject decoded it already, to branches; name the file that perf record wrote", ErrNoTrace},
		{"no description", only(trace(0, 0, 0, 0, make([]byte, 16))), "has trace, but no record describes it (AUXTRACE_INFO); record it again", nil},
		{"Intel PT", only(rec(70, 0, u32(1, 0), intel)), "at offset 0xe8: holds trace of Intel PT, not of CoreSight; record with -e cs_etm// or simpleperf's cs-etm", ErrNoTrace},
		{"SPE", only(rec(70, 0, u32(4, 0), intel)), "at offset 0xe8: holds trace of Arm SPE, not of CoreSight; record with -e cs_etm// or simpleperf's cs-etm", ErrNoTrace},
		{"kind 77", only(rec(70, 0, u32(77, 0), intel)), "at offset 0xe8: holds trace of kind 77, not of CoreSight; record with -e cs_etm// or simpleperf's cs-etm", ErrNoTrace},
		{"two descriptions", with(info(1, block(0, 0x10))), fmt.Sprintf("at offset %#x: describes its trace a second time (AUXTRACE_INFO); take one recording a file", start+len(info(1, block(0, 0x10)))), nil},
		{"short description", only(rec(70, 0, u32(3, 0), u64(1))), "at offset 0xe8: ends inside the description of its trace (AUXTRACE_INFO); record it again", nil},
		{"short block", only(info(1, u64(blockETMv4, 0, 7, 1))), "at offset 0xe8: ends inside the registers of a CPU (AUXTRACE_INFO); record it again", nil},
		{"a count", only(info(1, u64(blockETMv4, 0, 1<<61, 1))), "at offset 0xe8: ends inside the registers of a CPU (AUXTRACE_INFO); record it again", nil},
		{"block of version 0", only(info(0, u64(blockETE, 0, 1, 2, 3, 4, 5, 6, 7))), "at offset 0xe8: has registers of an unknown trace unit (0x5050505050505050, version 0); record it with a newer perf", nil},
		{"CPU number", only(info(1, u64(blockETMv4, 1<<40, 0))), "at offset 0xe8: describes a CPU 1099511627776, which cannot be (AUXTRACE_INFO); record it again", nil},
		{"CPU twice", only(info(1, block(3, 0x10), block(3, 0x12))), "at offset 0xe8: describes CPU 3 twice (AUXTRACE_INFO); record it again", nil},
		{"no CPU", only(info(1)), "at offset 0xe8: describes no CPU whose trace is known (AUXTRACE_INFO); record it again", nil},
		{"empty AUX", with(aux(1, 0, 0, 0, 0, 9)), "has no trace: its AUX records are empty; record for longer, or what runs on a CPU that is traced", ErrNoTrace},
		{
			"no AUXTRACE", with(aux(1, 0, 1000000, 0, 0, 9), aux(1, 1000000, 535344, 1, 0, 9)),
			"misses its trace: 2 AUX records, 1,535,344 bytes, and no AUXTRACE record holds them; record it again", ErrNoTrace,
		},
		{
			"AUX of nothing", with(aux(1, 0, 0, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16))),
			"has 16 bytes of trace, and no AUX record tells of them; record it again", ErrNoTrace,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read([]Part{part("perf.data", tt.file)})
			var e *Error
			if f != nil || !errors.As(err, &e) || err.Error() != "perf.data: "+tt.want || !errors.Is(err, tt.kind) && tt.kind != nil {
				t.Errorf("%v, %v\nwant perf.data: %s (%v)", f, err, tt.want, tt.kind)
			}
		})
	}
	if _, err := Read(nil); err == nil {
		t.Error("no part")
	}
}

// What is odd and can be read is noted.
func TestNotes(t *testing.T) {
	piece := aux(1, 0, 16, 0, 0, 9)
	bytes16 := trace(0, 0, 0, 0, make([]byte, 16))
	good := simple(piece, bytes16)
	b := good.bytes()
	end := len(b)
	const start = fileHeader + 112 + attrPlace // of the records
	first := start + len(info(1, block(0, 0x10)))
	with := func(records ...[]byte) []byte { return simple(join(records...), piece, bytes16).bytes() }
	two := good
	two.attrs = append(two.attrs, attr(usual|sampleIdentifier, sampleIDAll))
	features := func(f map[int][]byte) []byte {
		r := good
		r.features = f
		return r.bytes()
	}
	for _, tt := range []struct {
		name string
		file []byte
		want string // "" for none
	}{
		{"good", b, ""},
		{"killed", put(b, 48, u64(0)), "perf.data was not completed, as perf record was killed: its records are read up to its end, and its features are unknown"},
		{"cut off", put(b, 48, u64(1<<20)), fmt.Sprintf("perf.data is cut off: its records go on for %d bytes after its end, and its features are lost", 1<<20-(end-start))},
		{"bytes at the end", simple(piece, bytes16, []byte{1, 2, 3}).bytes(), fmt.Sprintf("perf.data ends inside a record's header at offset %#x: it is read up to there", end)},
		{"size 0", simple(piece, bytes16, u64(0)).bytes(), fmt.Sprintf("perf.data has a record that is smaller than its header at offset %#x: it is read up to there", end)},
		{"too long", simple(piece, bytes16, u32(3), u16(0, 99)).bytes(), fmt.Sprintf("perf.data has a record that is longer than the rest at offset %#x: it is read up to there", end)},
		{"short record", with(rec(10, 0, u64(1), at(1, 1, 1, 1))), fmt.Sprintf("perf.data: 1 record shorter than its fields: left out; the first at offset %#x", first)},
		{"no trailer", with(rec(3, 0, u32(1, 2))), fmt.Sprintf("perf.data: 1 record shorter than its fields: left out; the first at offset %#x", first)},
		{"lost", with(rec(2, 0, u64(1, 5), at(1, 1, 1, 1)), rec(13, 0, u64(7), at(1, 1, 1, 1))), fmt.Sprintf("perf.data: perf lost 12 records: processes and maps may be incomplete; the first at offset %#x", first)},
		{"trailers", two.bytes(), "perf.data: 1 record with other fields behind records than the first has: the first holds; the first at offset 0xe8"},
		{"format", with(aux(1, 0, 0, 0x200, 0, 9)), fmt.Sprintf("perf.data: 1 record of trace in an unknown format, taken as CoreSight frames; the first at offset %#x", first)},
		{"AUX", with(aux(1, 0, 1<<63, 0, 0, 9)), fmt.Sprintf("perf.data: 1 record of a range that cannot be (AUX): left out; the first at offset %#x", first)},
		{"AUXTRACE", with(trace(0, 0, 0, 1<<63, nil)), fmt.Sprintf("perf.data: 1 record of a range that cannot be (AUXTRACE): left out; the first at offset %#x", first)},
		{"errors", with(rec(72, 0, u64(0))), fmt.Sprintf("perf.data: 1 record of an error that perf met in the trace; the first at offset %#x", first)},
		{"a second time", simple(piece, piece, bytes16).bytes(), fmt.Sprintf("perf.data: 1 record of trace that a record before has (AUX): 16 bytes left out the second time; the first at offset %#x", end-16+len(piece))},
		{"outside", simple(piece, aux(2, 32, 8, 0, 0, 9), bytes16).bytes(), "perf.data: 1 record of a range outside of what the file has of its ring (AUX): 8 bytes missing"},
		{"beyond", simple(aux(1, 0, 24, 0, 0, 9), bytes16).bytes(), "perf.data: 1 record of a range outside of what the file has of its ring (AUX): 8 bytes missing"},
		{"missing", simple(piece, aux(2, 32, 8, 0, 1, 9), bytes16).bytes(), "perf.data: 1 record of trace that the file does not have (AUX): 8 bytes missing"},
		{"unclaimed", simple(aux(1, 0, 8, 0, 0, 9), bytes16).bytes(), fmt.Sprintf("perf.data: 1 record of trace that no AUX record tells of: 8 bytes left out; the first at offset %#x", end-8)},
		{"whole", simple(bytes16).bytes(), fmt.Sprintf("perf.data: 1 record of trace of a ring without AUX records: taken whole, as CoreSight frames; the first at offset %#x", end-16-len(piece))},
		{"half an AUXTRACE", put(b[:end-4], 48, u64(uint64(end-4-start))), fmt.Sprintf("perf.data: 1 record of trace that the end of the file cuts off: 4 bytes missing; the first at offset %#x", first+len(piece))},
		{"feature beyond", put(features(map[int][]byte{3: join(u32(2), []byte("ab"))}), end, u64(1<<40)), "perf.data: feature 3 is beyond the end of the file, and left out"},
		{"no feature table", put(b, 72, u64(8)), "perf.data ends inside the table of its features: those from 3 on are unknown"},
		{"short feature", features(map[int][]byte{3: u32(20)}), "perf.data: feature 3 is shorter than its fields"},
		{"build IDs", features(map[int][]byte{2: u64(0)}), fmt.Sprintf("perf.data: the build IDs from offset %#x on are damaged, and left out", end+16)},
		{"directory", features(map[int][]byte{24: u32(2)}), "perf.data: version 2 of the directory is unknown, and read as version 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read([]Part{part("perf.data", tt.file)})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(append(f.Notes, ""), tt.want) || tt.want == "" && len(f.Notes) > 0 {
				t.Errorf("notes %s\nwant  %s", strings.Join(f.Notes, "\n      "), tt.want)
			}
		})
	}
}

// A failing file is no bad file.
func TestUnreadable(t *testing.T) {
	b := simple(aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16))).bytes()
	p := part("perf.data", b[:200])
	p.Size = int64(len(b)) // it became shorter
	_, err := Read([]Part{p})
	var e *Error
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}

// Features are kept as they are written.
func TestFeatures(t *testing.T) {
	str := func(s string) []byte { return join(u32(uint32(len(s)+3)), []byte(s), make([]byte, 3)) }
	r := simple(aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	r.features = map[int][]byte{
		2: join(
			rec(0, 1<<15|2, u32(7), []byte("0123456789abcdefghij"), []byte{8, 0, 0, 0}, []byte("/a\nb\x00\x00")),
			rec(0, 1, u32(1<<32-1), []byte("0123456789abcdef\x00\x00\x00\x00"), []byte{3, 0, 0, 0}, []byte("[kernel]")),
		),
		3: str("host"), 4: str("6.12"), 5: str("6.12.1"), 6: str("aarch64"), 7: u32(8, 6), 11: join(u32(2), str("perf"), str("record")),
		8: {0xFF}, 16: u32(1 << 31), 129: []byte("a\x00b"),
	}
	f := read(t, r)
	same(t, "strings", []string{"host", "6.12", "6.12.1", "aarch64"}, []string{f.Hostname, f.OSRelease, f.PerfVersion, f.Arch})
	same(t, "command", []string{"perf", "record"}, f.CommandLine)
	same(t, "CPUs", [2]int{8, 6}, [2]int{f.CPUsPresent, f.CPUsOnline})
	same(t, "build IDs", []BuildID{
		{Name: "/a\nb", ID: "01234567", PID: 7, Mode: User},
		{Name: "[kernel]", ID: "0123456789abcdef", PID: -1, Mode: Kernel},
	}, f.BuildIDs)
	same(t, "notes", nil, f.Notes)

	delete(r.features, 2)
	r.piped = true
	r.records = join(rec(67, 1<<15|2, u32(7), []byte("0123456789abcdefghij"), []byte{8, 0, 0, 0}, []byte("/a")), r.records)
	p := read(t, r)
	same(t, "piped", []BuildID{{Name: "/a", ID: "01234567", PID: 7, Mode: User}}, p.BuildIDs)
	same(t, "piped command", f.CommandLine, p.CommandLine)
	same(t, "is piped", true, p.Piped)
}

// Records that are nobody's are stepped over, those of simpleperf by their 32 bits of size, and
// what follows a record that describes it.
func TestSteppedOver(t *testing.T) {
	big := join(u32(firstOfSimpleperf+1), u16(1, 8), make([]byte, 1<<16))
	r := simple(big, rec(68, 0), rec(66, 0, u32(5)), bytes.Repeat([]byte{0xFF}, 8), rec(9, 0, u64(1, 2, 3)), rec(40, 0),
		aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	f := read(t, r)
	same(t, "pieces", 1, len(f.Pieces))
	same(t, "notes", nil, f.Notes)
}

// An attribute may be of any perf's size; what it lacks is 0.
func TestAttributes(t *testing.T) {
	good := simple(aux(5, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	clocked := attr(usual, sampleIDAll|useClockID)
	binary.LittleEndian.PutUint32(clocked[92:], 4)
	longer := join(attr(usual, sampleIDAll), make([]byte, 24))
	for _, tt := range []struct {
		name  string
		attr  []byte
		clock int32
	}{
		{"usual", attr(usual, sampleIDAll), NoClock},
		{"first version", attr(usual, sampleIDAll)[:64], NoClock},
		{"newer", longer, NoClock},
		{"clock", clocked, 4},
		{"clock without its field", clocked[:72], NoClock},
	} {
		good.attrs = [][]byte{tt.attr}
		for _, good.piped = range []bool{false, true} {
			f := read(t, good)
			same(t, tt.name+" time", uint64(5), f.Pieces[0].Time)
			same(t, tt.name+" clock", tt.clock, f.ClockID)
		}
	}
}
