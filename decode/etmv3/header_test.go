package etmv3

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// binary is the header written as its eight bits.
func binary(t *testing.T, format string, args ...any) byte {
	t.Helper()
	h, err := strconv.ParseUint(fmt.Sprintf(format, args...), 2, 8)
	if err != nil {
		t.Fatal(err)
	}
	return byte(h)
}

// plainAtoms are the P-headers outside cycle-accurate mode with their atoms.
func plainAtoms(t *testing.T) map[byte]string {
	m := map[byte]string{}
	for n := range 2 {
		for e := range 16 {
			m[binary(t, "1%b%04b00", n, e)] = strings.Repeat("E", e) + strings.Repeat("N", n)
		}
	}
	for ff, atoms := range []string{"EE", "EN", "NE", "NN"} {
		m[binary(t, "1000%02b10", ff)] = atoms
	}
	return m
}

// cycleAtoms are those of v3.minor in cycle-accurate mode.
func cycleAtoms(t *testing.T, minor int) map[byte]string {
	m := map[byte]string{}
	for n := range 2 {
		for e := range 8 {
			m[binary(t, "1%b0%03b00", n, e)] = strings.Repeat("WE", e) + strings.Repeat("WN", n)
		}
	}
	delete(m, 0x80)
	if minor == 0 {
		m[0x80] = "W"
	}
	for ff, atoms := range []string{"WEE", "WEN", "WNE", "WNN"} {
		m[binary(t, "1000%02b10", ff)] = atoms
	}
	for e := range 2 {
		for w := range 8 {
			m[binary(t, "1%b1%03b00", e, w)] = strings.Repeat("W", w+1) + strings.Repeat("E", e)
		}
	}
	if minor >= 3 {
		m[0x92], m[0x96] = "E", "N"
	}
	return m
}

func TestPHeaders(t *testing.T) {
	for minor := range 6 {
		for mode, atoms := range []map[byte]string{plainAtoms(t), cycleAtoms(t, minor)} {
			cfg := Config{Minor: uint8(minor), CycleAccurate: mode == 1}
			legal := 0
			for h := 0x80; h < 0x100; h += 2 {
				p := sentinel
				err := cfg.Parse(&p, []byte{byte(h)})
				want, ok := atoms[byte(h)]
				if !ok {
					if syntax, ok := errors.AsType[*decode.SyntaxError](err); !ok || !syntax.Reserved || p != sentinel {
						t.Errorf("%+v: header %02x: %v, want a reserved header", cfg, h, err)
					}
					continue
				}
				legal++
				if err != nil || p.Kind != PHeader || p.Len != 1 || p.Atoms.String() != want {
					t.Errorf("%+v: header %02x: %q, %v, want %q", cfg, h, p.Atoms, err, want)
				}
				if got := cfg.Append(nil, p); !bytes.Equal(got, []byte{byte(h)}) {
					t.Errorf("%+v: Append of %q = % x, want %02x", cfg, want, got, h)
				}
			}
			if want := [2][6]int{{36, 36, 36, 36, 36, 36}, {36, 35, 35, 37, 37, 37}}[mode][minor]; legal != want {
				t.Errorf("%+v: %d P-headers, want %d", cfg, legal, want)
			}
		}
	}
	for _, tt := range []struct {
		cfg   Config
		h     byte
		atoms string
	}{
		{plain, 0xc8, "EEN"},
		{plain, 0x8a, "NE"},
		{plain, 0x80, ""},
		{plain, 0xfc, "EEEEEEEEEEEEEEEN"},
		{counted, 0xc8, "WEWEWN"},
		{counted, 0x8a, "WNE"},
		{counted, 0xe8, "WWWE"},
		{counted, 0xc0, "WN"},
		{counted, 0xdc, "WEWEWEWEWEWEWEWN"},
		{counted, 0xa0, "W"},
		{counted, 0xbc, "WWWWWWWW"},
		{counted, 0xfc, "WWWWWWWWE"},
	} {
		var p Packet
		if err := tt.cfg.Parse(&p, []byte{tt.h}); err != nil || p.Atoms.String() != tt.atoms {
			t.Errorf("header %02x: %q, %v, want %q", tt.h, p.Atoms, err, tt.atoms)
		}
	}
}

// What a header needs beside its version.
const (
	always   = 0
	ids      = 1 // a Context ID size
	data     = 2 // data trace
	dataVals = 3 // data values
)

// The table of headers as patterns; x is either. P-headers are apart.
var headerTable = []struct {
	pattern  string
	kind     Kind
	needs    int
	dataOnly bool // occurs in data-only mode
}{
	{"xxxxxxx1", BranchAddress, always, false},
	{"00000000", ASync, always, true},
	{"00000100", CycleCount, always, false},
	{"00001000", ISync, always, true},
	{"00001100", Trigger, always, true},
	{"0010xx00", OutOfOrderData, dataVals, true},
	{"0100xx00", OutOfOrderData, dataVals, true},
	{"0110xx00", OutOfOrderData, dataVals, true},
	{"01010000", StoreFailed, dataVals, true},
	{"01110000", ISync, always, false},
	{"01x10100", OutOfOrderPlaceholder, data, true},
	{"01x11000", OutOfOrderPlaceholder, data, true},
	{"01x11100", OutOfOrderPlaceholder, data, true},
	{"00111100", VMID, always, true},
	{"00x0xx10", NormalData, data, true},
	{"01000x10", Timestamp, always, true},
	{"01100010", DataSuppressed, data, false},
	{"01100110", Ignore, always, true},
	{"011x1010", ValueNotTraced, data, true},
	{"01101110", ContextID, ids, true},
	{"01110110", ExceptionReturn, always, false},
	{"01111110", ExceptionEntry, always, false},
}

// wantKind is the kind of header h by the table, 0 if it is reserved.
func wantKind(t *testing.T, cfg *Config, h byte) Kind {
	if h&0x81 == 0x80 {
		atoms := plainAtoms(t)
		if cfg.CycleAccurate {
			atoms = cycleAtoms(t, int(cfg.Minor))
		}
		if _, ok := atoms[h]; ok && !cfg.DataOnly {
			return PHeader
		}
		return 0
	}
	for _, row := range headerTable {
		var mask, value byte
		for _, c := range row.pattern {
			mask, value = mask<<1, value<<1
			if c != 'x' {
				mask |= 1
				value |= byte(c - '0')
			}
		}
		if h&mask != value {
			continue
		}
		met := map[int]bool{always: true, ids: cfg.ContextIDBytes > 0, data: cfg.DataAddress || cfg.DataValue,
			dataVals: cfg.DataValue}
		if !met[row.needs] || cfg.DataOnly && !row.dataOnly {
			return 0
		}
		return row.kind
	}
	return 0
}

func TestHeaders(t *testing.T) {
	// A payload that makes each kind whole.
	payload := []byte{0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for minor := range uint8(6) {
		for _, tt := range []struct {
			name     string
			cfg      Config
			reserved [6]int // by minor
		}{
			// 22 headers are no packet; 28 P-headers are reserved, in cycle-accurate
			// mode 28, 29, 27. 30 headers are of data, 13 of these need values. 37
			// occur in data-only mode.
			{"all", Config{ContextIDBytes: 4, DataAddress: true, DataValue: true}, [6]int{50, 50, 50, 50, 50, 50}},
			{"cycle-accurate", Config{ContextIDBytes: 4, DataAddress: true, DataValue: true, CycleAccurate: true},
				[6]int{50, 51, 51, 49, 49, 49}},
			{"no data", Config{ContextIDBytes: 4}, [6]int{80, 80, 80, 80, 80, 80}},
			{"addresses", Config{ContextIDBytes: 4, DataAddress: true}, [6]int{63, 63, 63, 63, 63, 63}},
			{"values", Config{ContextIDBytes: 4, DataValue: true}, [6]int{50, 50, 50, 50, 50, 50}},
			{"no context ID", Config{DataAddress: true, DataValue: true}, [6]int{51, 51, 51, 51, 51, 51}},
			{"alternative", Config{ContextIDBytes: 4, AltBranch: true, DataAddress: true, DataValue: true},
				[6]int{50, 50, 50, 50, 50, 50}},
			{"data-only", Config{ContextIDBytes: 4, DataAddress: true, DataValue: true, DataOnly: true},
				[6]int{219, 219, 219, 219, 219, 219}},
		} {
			tt.cfg.Minor = minor
			reserved := 0
			for h := range 256 {
				want := wantKind(t, &tt.cfg, byte(h))
				p := sentinel
				err := tt.cfg.Parse(&p, append([]byte{byte(h)}, payload...))
				if want != 0 {
					if err != nil || p.Kind != want {
						t.Errorf("%s v3.%d: header %02x: kind %d, error %v, want kind %d", tt.name, minor, h, p.Kind, err, want)
					}
					continue
				}
				reserved++
				syntax, ok := errors.AsType[*decode.SyntaxError](err)
				if !ok || !syntax.Reserved || syntax.Header != byte(h) || syntax.Reason == "" {
					t.Errorf("%s v3.%d: reserved header %02x: error %v", tt.name, minor, h, err)
				}
				if p != sentinel {
					t.Errorf("%s v3.%d: reserved header %02x left %+v", tt.name, minor, h, p)
				}
			}
			if reserved != tt.reserved[minor] {
				t.Errorf("%s v3.%d: %d reserved headers, want %d", tt.name, minor, reserved, tt.reserved[minor])
			}
		}
	}
}

// The headers that no version and no mode has, P-headers apart.
func TestReservedHeaders(t *testing.T) {
	reserved := unhex(t, "10 14 18 1c 30 34 38 12 16 1a 1e 32 36 3a 3e 4a 4e 52 56 5a 5e 72")
	cfg := Config{Minor: 5, ContextIDBytes: 4, DataAddress: true, DataValue: true}
	for h := range 0x80 {
		var p Packet
		err := cfg.Parse(&p, append([]byte{byte(h)}, make([]byte, 20)...))
		syntax, ok := errors.AsType[*decode.SyntaxError](err)
		if got, want := ok && syntax.Reserved, bytes.IndexByte(reserved, byte(h)) >= 0; got != want {
			t.Errorf("header %02x: %v, reserved %v", h, err, want)
		}
	}
}
