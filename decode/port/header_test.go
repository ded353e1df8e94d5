package port

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// unhex reads hex digits with spaces.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The first two samples of stream K (docs/etmv2.md §8.4), in the layouts with a header.
const (
	twoETMS    = "45544d53 01 12 08 00 10000000 02000000 14008000 00008000"
	twoDump    = "00000004 00000010 00000002 00000004 00000080 00000001 00000000 00000080 00000000"
	twoDumpOld = "00000004 00000010 00000000 00000002 00000004 00000080 00000001 00000000 00000080 00000000"
)

// TestReadHeader reads files that say what they are.
func TestReadHeader(t *testing.T) {
	for _, test := range []struct {
		name, file string
		major      uint8
		want       string // "": no file of the protocol
	}{
		{"sample file", twoETMS, 1, "LAYOUT=0x0 ETMVERSION=0x12 PORTSIZE=0x8 ETMCR=0x10"},
		{"sample file of the other protocol", twoETMS, 2, ""},
		{"sample file of ETMv2", "45544d53 01 21 10 01 2cd00000 00000000", 2,
			"LAYOUT=0x0 ETMVERSION=0x21 PORTSIZE=0x10 ETMCR=0xd02c"},
		{"dump", twoDump, 1, "LAYOUT=0x6 ETMCR=0x10"},
		{"old dump", twoDumpOld, 1, "LAYOUT=0x7 ETMCR=0x10"},
		{"dump, ETMv2", twoDump, 2, ""},
		{"dump, depth too high", strings.Replace(twoDump, "00000002", "00000003", 1), 1, ""},
		{"dump, cut off", twoDump[:len(twoDump)-8], 1, ""},
		{"old dump, all fields", "00000007 00021020 00000333 00000001" + strings.Repeat("00", 12), 1,
			"LAYOUT=0x7 ETMCR=0x2f12c"},
		{"no bytes", "", 1, ""},
		{"zeros", strings.Repeat("00", 24), 1, ""},
		{"a dump of no sample", "00000000 00000010 00000000", 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := unhex(t, test.file)
			says, ok, err := ReadHeader(test.major)(b[:min(len(b), decode.HeaderBytes)], int64(len(b)), registers{})
			if err != nil || ok != (test.want != "") {
				t.Fatalf("%v, %v, %v", says, ok, err)
			}
			var words []string
			for _, s := range says {
				words = append(words, fmt.Sprintf("%s=%#x", s.Name, s.Value))
			}
			if got := strings.Join(words, " "); ok && got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestHeaderOfOtherLayout reads no header of a dump where another layout is given: the
// words of a trace buffer may look like one.
func TestHeaderOfOtherLayout(t *testing.T) {
	b := unhex(t, twoDump)
	for given, want := range map[Layout]bool{LayoutETBBE: false, LayoutETMS: false, LayoutDump: true,
		LayoutDumpOld: true} {
		if _, ok, err := ReadHeader(1)(b, int64(len(b)), registers{"LAYOUT": uint64(given)}); ok != want || err != nil {
			t.Errorf("LAYOUT=%s: read %v, want %v: %v", given, ok, want, err)
		}
	}
}

// TestOldHeader writes the header of an old dump for each field of ETMCR, and reads it.
func TestOldHeader(t *testing.T) {
	for _, etmcr := range []uint32{0, 0x10, 0x20, 0x4, 0x8, 0xC, 0x100, 0x1000, 0x2000, 0x4000, 0x8000, 0xC000, 0x10000,
		0x20000, 0x3F12C} {
		for _, layout := range []Layout{LayoutDump, LayoutDumpOld} {
			if got := dumpETMCR(layout, appendDumpHeader(nil, layout, etmcr, 1)); got != etmcr {
				t.Errorf("%s: ETMCR %#x, want %#x", layout, got, etmcr)
			}
		}
	}
	head := appendDumpHeader(nil, LayoutDumpOld, 0x3F12C, 5)
	if got, want := hex.EncodeToString(head), "00000004"+"00031020"+"00000333"+"00000005"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHeaderErrors names the offset and what was expected there.
func TestHeaderErrors(t *testing.T) {
	for _, test := range []struct {
		name, file, want string
		offset           int64
	}{
		{"cut off", "45544d53 01 12", "the file ends within its header of 16 bytes", 6},
		{"format", "45544d53 02 12 08 00 10000000 00000000", "format 1 is expected, but the file has 2", 4},
		{"version", "45544d53 01 14 08 00 10000000 00000000", "version 0x14 is none", 5},
		{"version of ETMv2", "45544d53 01 22 08 00 10000000 00000000", "version 0x22 is none", 5},
		{"version of ETMv3", "45544d53 01 30 08 00 10000000 00000000", "version 0x30 is none", 5},
		{"port size", "45544d53 01 12 07 00 10000000 00000000", "a port of 7 pins is none", 6},
		{"flags", "45544d53 01 12 08 03 10000000 00000000", "bits 7:1 of the flags are reserved", 7},
		{"too many samples", "45544d53 01 12 08 00 10000000 02000000 14008000",
			"2 samples make a file of 24 bytes, but it has 20", 12},
		{"too few samples", "45544d53 01 12 08 00 10000000 01000000 14008000 00",
			"1 samples make a file of 20 bytes, but it has 21", 12},
		{"as many as there can be", "45544d53 01 12 08 00 10000000 ffffffff 14008000", "4294967295 samples", 12},
		{"port size of a dump", strings.Replace(twoDump, "00000010", "00000070", 1), "port size 7 in bits 6:4 is none", 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := unhex(t, test.file)
			_, _, err := ReadHeader(1)(b[:min(len(b), decode.HeaderBytes)], int64(len(b)), registers{})
			var format *FormatError
			if !errors.As(err, &format) || format.Offset != test.offset || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want offset %d: %s", err, test.offset, test.want)
			}
		})
	}
}

// TestStreamErrors reads files whose header or samples are not of the layout that the
// user names.
func TestStreamErrors(t *testing.T) {
	for _, test := range []struct {
		name, file string
		c          Config
		offset     int64
		want       string
	}{
		{"no sample file", twoDump, Config{Number: 0x12, Width: 8}, 0, `"ETMS" is expected`},
		{"no dump", twoDumpOld + "00000000 00000000", Config{Number: 0x12, Width: 8, CaptureLayout: LayoutDump}, 8,
			"0 samples make a file of 12 bytes, but it has 48"},
		{"no old dump", "00000004 00000010 00000000 00000007" + strings.Repeat("00", 12),
			Config{Number: 0x12, Width: 8, CaptureLayout: LayoutDumpOld}, 12,
			"7 samples make a file of 100 bytes, but it has 28"},
		{"bit 5", "45544d53 01 12 08 00 10000000 00000000 14008000 20008000", Config{Number: 0x12, Width: 8}, 20,
			"0x00800020 has reserved bits"},
		{"bit 15, in the second of two", "45544d53 01 12 08 00 10000000 00000000 14008000 00808000",
			Config{Number: 0x12, Width: 8}, 20, "reserved bits"},
		{"bit 15, in the first of two", "45544d53 01 12 08 00 10000000 00000000 14808000 00008000",
			Config{Number: 0x12, Width: 8}, 16, "reserved bits"},
		{"pins above the port", "45544d53 01 12 08 00 10000000 00000000 14008001", Config{Number: 0x12, Width: 8}, 16,
			"reserved bits"},
		{"pins above 4", "45544d53 01 12 04 00 00000000 00000000 14001000", Config{Number: 0x12, Width: 4}, 16,
			"reserved bits"},
		{"PIPESTAT[3] of ETMv1", "45544d53 01 12 10 00 20000000 00000000 0800ffff", Config{Number: 0x12, Width: 16}, 16,
			"reserved bits"},
		{"TRACESYNC of ETMv2", "45544d53 01 20 10 00 20000000 00000000 1000ffff", Config{Number: 0x20, Width: 16}, 16,
			"reserved bits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := unhex(t, test.file)
			l, err := test.c.Layout(int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = readAll(t, l, b, 0)
			var format *FormatError
			if !errors.As(err, &format) || format.Offset != test.offset || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want offset %d: %s", err, test.offset, test.want)
			}
			if !strings.Contains(err.Error(), fmt.Sprintf("offset 0x%x", test.offset)) {
				t.Errorf("%v does not name the offset", err)
			}
		})
	}
}

// TestUserWins reads a sample file whose header says 16 pins as a port of 8.
func TestUserWins(t *testing.T) {
	b := unhex(t, "45544d53 01 12 10 00 20000000 00000000 14003412 00007856")
	c := Config{Number: 0x12, Width: 8}
	if got, want := FormatSamples(mustRead(t, &c, b).samples, namesV1, 8), "BE:34* IE:78"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDumpTrigger gives a trigger back as TR, and masks what is above the port
// (docs/etmv2.md §3.3).
func TestDumpTrigger(t *testing.T) {
	b := unhex(t, "00000004 00000000 00000003"+
		"00000004 00000004 00000002"+
		"00000004 000001f4 00000001"+
		"fffffff0 ffffffff fffffffc")
	c := Config{Number: 0x12, Width: 4, CaptureLayout: LayoutDump}
	if got, want := FormatSamples(mustRead(t, &c, b).samples, namesV1, 4), "TR:4 BE:4* IE:f"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSpoiledDump recognises dumps of 4 pins that OpenOCD unpacked wrongly.
func TestSpoiledDump(t *testing.T) {
	for _, test := range []struct {
		name    string
		width   Width
		samples int
		status  func(i int) uint8
		spoiled bool
	}{
		{"unpacked wrongly", 4, 30, func(i int) uint8 { return []uint8{7, 1, 0}[i%3] }, true},
		{"of 8 pins", 8, 30, func(i int) uint8 { return []uint8{7, 1, 0}[i%3] }, false},
		{"too short", 4, 29, func(i int) uint8 { return []uint8{7, 1, 0}[i%3] }, false},
		{"one status above 1 at last", 4, 9000, func(i int) uint8 { return []uint8{7, 1, uint8(i / 8999 * 2)}[i%3] }, false},
		{"long", 4, 9001, func(i int) uint8 { return []uint8{7, 1, 0}[i%3] }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Config{Number: 0x12, Width: test.width, CaptureLayout: LayoutDump}
			var samples []Sample
			for i := range test.samples {
				samples = append(samples, NewSample(test.status(i), false, 0))
			}
			b := write(t, File{Config: c, ETMCR: etmcrOf(c.Width), Samples: uint32(len(samples))}, samples)
			l, err := c.Layout(int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(t, l, b, 0)
			var spoiled *decode.SpoiledError
			if errors.As(err, &spoiled) != test.spoiled || !test.spoiled && (err != nil || !slices.Equal(got.samples, samples)) {
				t.Errorf("%d samples, %v", len(got.samples), err)
			}
		})
	}
}

// TestDropped writes the flag of a sample file without droppable samples.
func TestDropped(t *testing.T) {
	f := File{Config: Config{Number: 0x20, Width: 8}, ETMCR: 0x10, Dropped: true}
	h, err := parseETMS(f.Header(), etmsHeaderBytes)
	if err != nil || !h.dropped {
		t.Errorf("%+v, %v", h, err)
	}
	if binary.LittleEndian.Uint32(f.Header()[etmsSamplesAt:]) != 0 {
		t.Error("the number of samples is not known")
	}
}
