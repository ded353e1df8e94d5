package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// fuzzETMv3 binds ETMv3 to registers of which each bit that decides anything is
// a bit of mode.
func fuzzETMv3(t testing.TB, mode uint16) decode.Protocol {
	t.Helper()
	bit := func(from, to int) uint64 { return uint64(mode>>from&1) << to }
	profile := "A"
	if mode>>11&1 == 1 {
		profile = "M"
	}
	protocol, _, err := protocols[capture.ETMv3](decode.Source{Profile: profile, Registers: capture.Registers{
		{Name: "ETMCR", Bits: 32, Value: bit(0, 12) | bit(1, 14)},
		{Name: "ETMCCER", Bits: 32, Value: bit(2, 26) | bit(3, 28) | bit(4, 29)},
		{Name: "ETMIDR", Bits: 32, Value: 0x41000200 | uint64(mode>>5&7%6)<<4 | bit(8, 18) | bit(9, 19) | bit(10, 20)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return protocol
}

// etmv3Words is what random streams are put together of: with what a decoder
// must tell apart, and what reaches back, more often than not.
func etmv3Words() [][]byte {
	async := []byte{0, 0, 0, 0, 0, 0x80}
	periodic := []byte{8, 1, 0x00, 0x80, 0, 0}
	exit := []byte{8, 0x61, 0x04, 0x80, 0, 0}
	cancel := []byte{0x81, 0x80, 0x81, 0x80, 0x48, 0x3c} // IRQ to 8000
	return [][]byte{
		async, async[1:], periodic, exit, cancel, cancel,
		slices.Concat(async, periodic), slices.Concat(async, periodic), slices.Concat(async, periodic, cancel),
		slices.Concat(async, []byte{0x84, 0x42, 0x05}, exit),
		{8, 0x21, 0x29, 0x80, 0, 0},       // I-sync, T32
		{8, 0x21, 0x2d, 0x80, 0, 0},       // between the halves of BL
		{0x70, 5, 0x41, 0x00, 0x80, 0, 0}, // I-sync with count
		{0x70, 0, 0x21, 0x00, 0x80, 0, 0}, // with count 0
		{8, 0xa1, 0x00, 0x80, 0, 0, 0x0b}, // LSiP
		{8, 0x25, 0x00, 0x80, 0, 0},       // bad
		{0x84},
		{0x84},
		{0x88},
		{0x8c},
		{0xc0},
		{0xc8},
		{0x86},
		{0x8e},
		{0xa0},
		{0xac},
		{0xe4},
		{0x92},
		{0x80},
		{0x81, 0x80, 0x81, 0x80, 0x08}, // branch to 8000
		{0xa9, 0x80, 0x82, 0x80, 0x10}, // branch to T32
		{0x01},
		{0x11},
		{0x91, 0x01},                         // short ones
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x22}, // debug, cancel
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x02}, // debug
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x18}, // data abort
		{0x81, 0x80, 0x81, 0x80, 0xc8},       // old form
		{0x81, 0x80, 0x81, 0x80, 0x20},       // Jazelle
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x81, 0x20},
		{4, 10},
		{4, 0},
		{0x0c},
		{0x66},
		{0x76},
		{0x7e},
		{0x3c, 7},
		{0x6e, 5},
		{0x42, 5},
		{0x42, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x09},
		{0x46, 0x80, 0},
		{0x10},
		{0x02},
		{0xff, 0xff, 0xff, 0xff, 0xff},
		{0},
	}
}

// Random streams of ETMv3: no panic, exact accounts, the same rows in any
// pieces, units and parts, and cycles that add up.
func TestRandomStreamsETMv3(t *testing.T) {
	words := etmv3Words()
	seeds := 600
	if testing.Short() {
		seeds = 60
	}
	for seed := range *randomStreams * seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		data := slices.Concat(words[0], []byte{8, 0x21, 0x00, 0x80, 0, 0})
		for range 1 + r.IntN(40) {
			data = append(data, words[r.IntN(len(words))]...)
		}
		checkDecodeETMv3(t, data, uint16(r.Uint32())&^2, int(r.Uint32()))
		if t.Failed() {
			t.Fatalf("seed %d: % x", seed, data)
		}
	}
}

// FuzzDecodeETMv3 does the same with any bytes.
func FuzzDecodeETMv3(f *testing.F) {
	start := slices.Concat(etmv3Words()[0], []byte{8, 0x21, 0x00, 0x80, 0, 0, 0, 0, 0, 0})
	for i, word := range etmv3Words() {
		f.Add(slices.Concat(start, word, []byte{0x84, 0x88}, word), uint16(i)<<3, uint16(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, mode, at uint16) {
		if len(data) > 1<<12 {
			t.Skip("longer than needed")
		}
		checkDecodeETMv3(t, data, mode, int(at))
	})
}

func checkDecodeETMv3(t testing.TB, data []byte, mode uint16, at int) {
	t.Helper()
	tr := (&trace{id: 0x10, protocol: fuzzETMv3(t, mode), memory: fuzzMemory()}).with(data)
	whole := tr.decode(t)
	whole.checkAccounts(t, len(data))
	whole.checkRestarts(t)
	whole.checkCycles(t)
	if len(data) == 0 {
		return
	}
	small := decodeOptions{workers: 1 + at%3, grain: grain{unit: 1 + at%40, part: 24 + at%17, chunk: 1 + at%50}}
	whole.sameButSplices(t, tr.decodeStream(t, tr.stream(1+at%20), small))
	small.grain.part = 1 << 20
	sameTables(t, whole, tr.decodeStream(t, tr.stream(1+at%20), small), nil)

	where := at % len(data)
	broken := tr.decodeStream(t, tr.stream(wholePieces, where), decodeOptions{})
	broken.checkAccounts(t, len(data))
	broken.checkRestarts(t)
	broken.checkCycles(t)
	sameTables(t, broken, tr.decodeStream(t, tr.stream(1+at%20, where), small), nil)
}

// sameButSplices demands the same rows, unless there is a splice: what it takes
// back depends on the parts of a segment.
func (d *dataset) sameButSplices(t testing.TB, other *dataset) {
	t.Helper()
	if slices.Contains(d.column(&schema.Losses, "reason").U8, uint8(schema.LossSplice)) {
		return
	}
	sameTables(t, d, other, nil)
}

// checkCycles demands that the ledger of each epoch adds up to its cycles, and
// that instructions cost no more than went by.
func (d *dataset) checkCycles(t testing.TB) {
	t.Helper()
	counts := &schema.CycleCounts
	epoch, cycles, cycle := d.column(counts, "epoch"), d.column(counts, "cycles"), d.column(counts, "cycle")
	sums := map[int64]int64{}
	for i := range epoch.Len() {
		if null(epoch, i) || null(cycle, i) {
			continue
		}
		e := integer(epoch, i)
		if sums[e] += integer(cycles, i); sums[e] != integer(cycle, i) {
			t.Errorf("cycle_counts row %d: the sum is %d: %s", i, sums[e], d.rowText(counts, i))
		}
	}
	instructions := &schema.Instructions
	epoch, cycles, cycle = d.column(instructions, "epoch"), d.column(instructions, "cycles"), d.column(instructions, "cycle")
	last, at := int64(-1), int64(0)
	for i := range epoch.Len() {
		if null(cycle, i) {
			continue
		}
		if e := integer(epoch, i); e != last {
			last, at = e, 0
		}
		if integer(cycle, i)-at < integer(cycles, i) || integer(cycle, i) > sums[last] {
			t.Errorf("instructions row %d: %d cycles from %d, of %d: %s", i, integer(cycles, i), at, sums[last], d.rowText(instructions, i))
		}
		at = integer(cycle, i)
	}
}
