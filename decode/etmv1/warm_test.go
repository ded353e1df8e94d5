package etmv1

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// The fast paths make of any samples what the plain rules make of them.
func FuzzWarm(f *testing.F) {
	for i, b := range seeds(f) {
		f.Add(b, byte(1|i%4<<4), uint16(3))
	}
	for seed := range uint64(8) {
		f.Add(randomTrace(seed, 400), byte(1), uint16(50))
	}
	f.Fuzz(func(t *testing.T, b []byte, kind byte, samples uint16) {
		sameWarm(t, anyConfig(kind), samplesOf(b), int(samples)+1)
	})
}

// The fast paths take most of instruction trace, and make of it what the plain rules make.
func TestWarm(t *testing.T) {
	for seed := range need.Size[uint64](60, 20_000) {
		c := config(8)
		c.HighVectors = seed%5 == 4
		sameWarm(t, c, randomTrace(seed, 1500), int(seed%7)*200+100)
	}
	c := config(8)
	stream := instructionTrace(1 << 14)
	d := newDecoder(c, program(), false)
	warm, all := int64(0), int64(0)
	for _, p := range parts(c, stream, len(stream)) {
		d.begin(&decode.Result{}, p)
		d.start()
		for d.at < d.end {
			d.frame(min(d.at+step, d.end))
			from := d.at
			d.warm()
			warm += d.at - from
			if d.at < d.end {
				d.sample()
			}
		}
		all += d.end
	}
	if warm < all*3/4 {
		t.Errorf("%d of %d samples are warm", warm, all)
	}
}

// sameWarm decodes a stream in parts of so many samples by the fast paths and by the plain
// rules.
func sameWarm(t *testing.T, c *Config, b []byte, samples int) {
	t.Helper()
	memory := program()
	var results [2]decode.Result
	for plain := range results {
		d := newDecoder(c, memory, false)
		d.plain, d.frames.plain = plain == 1, plain == 1
		for _, p := range parts(c, b, samples) {
			d.Decode(&results[plain], p)
		}
	}
	if diff := decodetest.Difference(&results[0], &results[1]); diff != "" {
		t.Fatalf("fast, then plain: %s", diff)
	}
	cuts := [2]*cutter{c.NewCutter().(*cutter), c.NewCutter().(*cutter)}
	cuts[1].plain = true
	if fast, plain := cuts[0].Find(b, true).At, cuts[1].Find(b, true).At; !slices.Equal(fast, plain) {
		t.Fatalf("cuts %v, by the plain rules %v", fast, plain)
	}
}

// randomTrace is samples as a macrocell of 8 pins may send them, and some that none
// does: it executes the program of the vectors, without caring where its branches go.
func randomTrace(seed uint64, samples int) []byte {
	random := rand.New(rand.NewPCG(seed, 'w'))
	targets := []schema.Address{0x8000, 0x8004, 0x8010, 0x8018, 0x801C, 0x8041, 0x8043, 0x8045, 0x8, 0x18, 0x8030}
	var b []byte
	var fifo []uint16 // bytes that wait, with 0x100 for TRACESYNC
	put := func(status uint8) {
		x := uint16(random.IntN(1 << random.IntN(9)))
		sync := false
		if len(fifo) > 0 && status < port.StatusTR {
			x, sync, fifo = fifo[0]&0xFF, fifo[0]>>8 == 1, fifo[1:]
		}
		b = port.Append(b, port.NewSample(status, sync, x))
	}
	last := schema.Address(0)
	branch := func(full bool, reason Reason) {
		to := targets[random.IntN(len(targets))]
		n := uint8(port.DataAddressBytes(to, last))
		if full {
			n = MaxAddressBytes
		} else {
			reason = Branch
		}
		last = to
		apo := 0
		for _, x := range fifo {
			apo += int(x >> 8)
		}
		for i, x := range AppendAddress(nil, Address{Address: to, Bytes: n, Reason: reason}) {
			fifo = append(fifo, uint16(x)|map[bool]uint16{true: 0x100}[i == 0])
		}
		put(statusBE)
		put(uint8(apo & 3))
		put(uint8(apo >> 2 & 3))
	}
	branch(true, TraceOn)
	for len(b) < samples*port.SampleBytes {
		switch n := random.IntN(40); {
		case n < 14:
			for range random.IntN(6) {
				put(statusIE)
			}
		case n < 18:
			put(statusIN)
		case n < 34:
			branch(n == 18, []Reason{Branch, Periodic}[random.IntN(2)])
		case n < 36:
			put([]uint8{statusWT, port.StatusTD}[random.IntN(2)])
		case n < 38:
			for len(fifo) > 0 {
				put(statusWT)
			}
		default:
			put(uint8(random.IntN(8)))
		}
	}
	return b
}
