package outside

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// What OpenOCD lists of a capture of 15 samples: start, a loop left, a change to
// Thumb, an interrupt (docs/etmv2.md §8.4, K).
func TestOpenOCD(t *testing.T) {
	o, err := FindOpenOCD()
	if err != nil {
		need.Missing(t, need.OpenOCD, err.Error())
	}
	dir := t.TempDir()
	dump, elf := filepath.Join(dir, "k.dump"), filepath.Join(dir, "k.elf")
	write(t, dump, fifteenSamples())
	write(t, elf, smallELF(t, map[uint32]string{
		0x18: "0000a0e1", 0x8000: "0100a0e3 010050e2 fdffff1a 1eff2fe1", 0x8040: "0120 7047",
	}))
	got, err := o.Analyse(dump, elf)
	if err != nil {
		t.Fatal(err)
	}
	want := []Executed{{0x8000, true}, {0x8004, true}, {0x8008, false}, {0x800c, true}, {0x8040, true}, {0x18, true}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// fifteenSamples is a dump of a port of 8 pins: PIPESTAT, TRACEPKT and TRACESYNC of
// each sample.
func fifteenSamples() []byte {
	samples := [][3]uint32{
		{4, 0x80, 1},
		{0, 0x80, 0},
		{0, 0x82, 0},
		{0, 0x80, 0},
		{0, 0x10, 0},
		{2, 0, 0},
		{4, 0x41, 1},
		{0, 0, 0},
		{0, 0, 0},
		{0, 0, 0},
		{4, 0x98, 1},
		{0, 0x80, 0},
		{0, 0, 0},
		{0, 0, 0},
		{7, 0, 0},
	}
	b := be32(nil, 4, 0x10, uint32(len(samples)))
	for _, s := range samples {
		b = be32(b, s[:]...)
	}
	return b
}

func be32(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = binary.BigEndian.AppendUint32(b, w)
	}
	return b
}

// smallELF is an ELF file with a segment at each address, in hex.
func smallELF(t *testing.T, at map[uint32]string) []byte {
	t.Helper()
	const header, segment = 52, 32
	var segments, body []byte
	for address, code := range at {
		data, err := hex.DecodeString(strings.ReplaceAll(code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		offset, size := uint32(header+segment*len(at)+len(body)), uint32(len(data))
		for _, w := range []uint32{1, offset, address, address, size, size, 5, 4} {
			segments = binary.LittleEndian.AppendUint32(segments, w)
		}
		body = append(body, data...)
	}
	b := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	b = append(b, 2, 0, 40, 0, 1, 0, 0, 0) // executable, Arm
	for _, w := range []uint32{0, header, 0, 0x05000000} {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	b = append(b, header, 0, segment, 0, byte(len(at)), 0, 0, 0, 0, 0, 0, 0)
	return append(append(b, segments...), body...)
}
