package outside

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/image"
)

// What OpenOCD lists of a capture of 15 samples: start, a loop left, a change to
// Thumb, an interrupt (docs/etmv2.md §8.4, K).
func TestOpenOCD(t *testing.T) {
	o, err := FindOpenOCD()
	if err != nil {
		need.Missing(t, need.OpenOCD, err.Error())
	}
	dump := filepath.Join(t.TempDir(), "k.dump")
	if err := os.WriteFile(dump, fifteenSamples(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := o.Analyse(dump, []image.Region{
		{Address: 0x18, Bytes: code(0xe1a00000)},
		{Address: 0x8000, Bytes: code(0xe3a00001, 0xe2500001, 0x1afffffd, 0xe12fff1e)},
		{Address: 0x8040, Bytes: code(0x47702001)},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Executed{{0x8000, true}, {0x8004, true}, {0x8008, false}, {0x800c, true}, {0x8040, true}, {0x18, true}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
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

// code is instructions of A32 as memory has them.
func code(words ...uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
