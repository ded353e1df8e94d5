package etmv2

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// The fast path makes of any samples what the plain rules make of them.
func FuzzWarm(f *testing.F) {
	addSeeds(f)
	for seed := range uint64(8) {
		f.Add(randomTrace(fuzzConfig(0), seed, 400), uint16(0), uint16(50))
	}
	f.Fuzz(func(t *testing.T, b []byte, n, size uint16) {
		c := fuzzConfig(n)
		sameWarm(t, c, fuzzRecords(c, b), (int(size)+1)*port.SampleBytes)
	})
}

// The fast path takes most of instruction trace, and makes of it what the plain rules make.
func TestWarm(t *testing.T) {
	for seed := range need.Size[uint64](60, 20_000) {
		c := fuzzConfig(uint16(seed) % 2 << 12)
		c.HighVectors = seed%5 == 4
		sameWarm(t, c, randomTrace(c, seed, 1500), (int(seed%7)*200+100)*port.SampleBytes)
	}
	c := benchConfig()
	records := benchSamples(c, 1<<14)
	d := newDecoder(c, benchProgram(), false)
	cuts := (&cutter{cfg: c}).Find(records, true).At
	warm := 0
	for i, cut := range cuts {
		end := len(records)
		if i+1 < len(cuts) {
			end = cuts[i+1].At
		}
		p := decode.Part{
			Data: records[cut.At:end], Offsets: decode.OffsetsFrom(0, (end-cut.At)/port.SampleBytes, decode.Form{Step: port.SampleBytes}),
			Ahead: records[end:min(len(records), end+c.AheadBytes())],
		}
		d.begin(&decode.Result{}, p)
		d.firstTFO()
		for x := (frame{}); !x.last && d.frames.frame(&x) == nil; {
			d.plainSamples(&x)
			if !x.last {
				d.status(&x)
			}
			from := d.frames.at
			d.warm()
			warm += d.frames.at - from
		}
	}
	if all := len(records) / port.SampleBytes; warm < all/2 { // each block is new at first
		t.Errorf("%d of %d samples are warm", warm, all)
	}
}

// sameWarm decodes a stream in parts of so many bytes by the fast path and by the plain
// rules.
func sameWarm(t *testing.T, c *Config, records []byte, size int) {
	t.Helper()
	mem := testMemory()
	var results [2]*decode.Result
	for plain := range results {
		d := newDecoder(c, mem, false)
		d.plain = plain == 1
		results[plain] = decodeBy(d, c, records, size)
	}
	if diff := decodetest.Difference(results[0], results[1]); diff != "" {
		t.Fatalf("fast, then plain: %s", diff)
	}
}

// randomTrace is samples as a macrocell of 8 pins may send them, and some that none
// does: it executes the program of docs/etmv2.md §8, without caring where its branches
// go.
func randomTrace(c *Config, seed uint64, samples int) []byte {
	random := rand.New(rand.NewPCG(seed, 'w'))
	var targets []decode.PC
	for _, at := range []schema.Address{0x8000, 0x8004, 0x8010, 0x8018, 0x801C, 0x8020, 0x8041, 0x8043, 0x8051, 0x8053, 0x8, 0x18} {
		targets = append(targets, pcOf(at))
	}
	var b, fifo []byte
	put := func(status uint8, group []byte) {
		if c.First == FirstSame {
			fifo = append(fifo, group...)
		}
		x := byte(random.IntN(1 << random.IntN(9)))
		if len(fifo) > 0 && status&^1 != StatusTR {
			x, fifo = fifo[0], fifo[1:]
		}
		b = port.Append(b, port.NewSample(status, false, uint16(x)))
		if c.First == FirstNext {
			fifo = append(fifo, group...)
		}
	}
	var base decode.PC
	tfo := func(reason uint8, at decode.PC) {
		value := c.TFOByte(min(len(fifo), c.MaxTFOValue()))
		fifo = c.AppendTFO(fifo, TFO{Reason: schema.ISyncReason(reason), At: at})
		b, base = port.Append(b, port.NewSample(StatusTD, false, uint16(value))), at
	}
	tfo(1, targets[0])
	for len(b) < samples*port.SampleBytes {
		to := targets[random.IntN(len(targets))]
		switch n := random.IntN(60); {
		case n < 24:
			for range random.IntN(6) {
				put(StatusIE, nil)
			}
		case n < 28:
			put(StatusIN, nil)
		case n < 48:
			p := Packet{Kind: BranchAddress, Branch: NewBranch(to, n == 28, BranchBytes(to, base, n == 28))}
			base = to
			put([]uint8{StatusDE, StatusDE, StatusDE, StatusDW}[random.IntN(4)], c.Append(nil, p))
		case n < 51:
			put([]uint8{StatusWT, StatusTD}[random.IntN(2)], nil)
		case n < 54:
			for len(fifo) > 0 {
				put(StatusWT, nil)
			}
		case n < 56:
			tfo(uint8(random.IntN(2)), to)
		default:
			put(uint8(random.IntN(16)), nil)
		}
	}
	return b
}
