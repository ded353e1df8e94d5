package etmv3

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// madeUp is a program of two halfwords for each byte, in T32 at madeUpT32 and in A32 at
// madeUpA32.
func madeUp(genome []byte) *image.Memory {
	var t32, a32 []byte
	half := func(h uint16) { t32 = append(t32, byte(h), byte(h>>8)) }
	for i, gene := range genome {
		by := uint16(gene >> 4) // a distance
		word := uint32(0xe1a00000)
		switch gene & 0xf {
		case 0, 1:
			half(0xd000 | (by-8)&0xff) // beq
			half(0xbf00)
			word = 0x0a000000 | uint32(by-8)&0xffffff
		case 2:
			half(0xe000 | (by-8)&0x7ff) // b
			half(0x6808)                // ldr
			word = 0xe5910000
		case 3:
			half(0xf000) // blx to A32
			half(0xe800 | (madeUpA32-madeUpT32)>>1 + by<<1)
			word = 0xfa000000 | uint32(int(madeUpT32-madeUpA32)-4*i-8+int(by)<<2)>>2&0xffffff // blx to T32
		case 4, 5:
			half(0x4770) // bx lr
			half(0xbf00)
			word = 0xe12fff1e
		case 6: // subs pc, lr
			if by > 0 {
				half(0xbf00)
				half(0x6808)
				break
			}
			half(0xf3de)
			half(0x8f00)
			word = 0xe25ef000
		default:
			half(0xbf00) // nop
			half(0xbf00)
		}
		a32 = append(a32, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	half(0x4770) // the last instruction is a branch
	a32 = append(a32, 0x1e, 0xff, 0x2f, 0xe1)
	return image.New(
		image.Region{Address: madeUpT32, Bytes: t32, Space: image.AnySpace},
		image.Region{Address: madeUpA32, Bytes: a32, Space: image.AnySpace},
	)
}

const madeUpT32, madeUpA32 = 0x8000, 0x8200

// warmConfig is a configuration by the bits of a number, in which there is a fast path.
func warmConfig(registers uint16) Config {
	cfg := fuzzConfig(registers)
	cfg.DataOnly, cfg.OneT32, cfg.Security = false, true, registers>>10&1 != 0
	return cfg
}

// checkWarm decodes a segment, an I-sync at madeUpT32 and bytes after it, in two parts, by the fast path and
// without.
func checkWarm(t *testing.T, mem *image.Memory, cfg *Config, b []byte, cut int) {
	t.Helper()
	stream := madeUpSegment(cfg, b)
	cut = len(stream) - len(b) + max(0, min(cut, len(b)-1))
	var offsets decode.CaptureOffsets
	for i := range stream {
		offsets.Append(decode.CaptureOffset(i+i/10), 1)
	}
	parts := []decode.Part{
		{Data: stream[:cut:cut], Offsets: offsets.Slice(0, cut), Open: true, More: cut%4 > 0},
		{Data: stream[cut:], Offsets: offsets.Slice(cut, len(stream)), Continued: true, End: true},
	}
	if d := decodetest.WarmDifference(cfg, mem, parts, uint8(cut)); d != "" {
		t.Fatalf("%s\n%+v, packets % x, cut at %d", d, cfg, stream, cut)
	}
}

// madeUpSegment is an I-sync at madeUpT32 and bytes after it.
func madeUpSegment(cfg *Config, b []byte) []byte {
	return append(cfg.Append(nil, Packet{Kind: ISync, Address: madeUpT32, ISA: schema.T32, Reason: schema.ISyncTraceOn}), b...)
}

// countWarm decodes packets of madeUpSegment, which are whole, twice. It returns how many
// instructions the second time had, when the code was cached, and how many of them the fast
// path decoded.
func countWarm(t *testing.T, mem *image.Memory, cfg *Config, b []byte) (instructions, warm int64) {
	t.Helper()
	stream, d := madeUpSegment(cfg, b), newDecoder(cfg, mem, false)
	for range 2 {
		d.begin(&decode.Result{}, decode.Part{Data: stream, Offsets: decode.OffsetsFrom(0, len(stream), decode.Form{}), End: true})
		warm = 0
		for i := d.firstISync(); i < len(stream); {
			var p Packet
			if err := cfg.Parse(&p, stream[i:]); err != nil {
				t.Fatal(err)
			}
			d.Offset = d.Rec.Offset(i)
			d.processPacket(&p, i)
			from := d.Walk.Seq
			i = d.decodeWarm(i + p.Len)
			warm += d.Walk.Seq - from
		}
	}
	return d.Walk.Seq, warm
}

// FuzzWarm holds the fast path against the plain one: any bytes, program and registers
// give the same rows.
func FuzzWarm(f *testing.F) {
	for seed := range uint64(12) {
		genome, registers := randomGenome(seed), uint16(seed*2654435761>>3)&^(3<<8)|3
		cfg := warmConfig(registers)
		f.Add(genome, walkMadeUp(genome, &cfg, 60, seed), registers, 20)
	}
	f.Fuzz(func(t *testing.T, genome, b []byte, registers uint16, cut int) {
		if len(genome) > 128 || len(b) > 4096 {
			return
		}
		cfg := warmConfig(registers)
		checkWarm(t, madeUp(genome), &cfg, b, cut)
	})
}

// Of trace that is whole, the fast path decodes nearly all, and of damaged trace what the
// plain path does.
func TestWarm(t *testing.T) {
	var instructions, warm int64
	for seed := range uint64(need.Size(60, 20000)) {
		genome, registers := randomGenome(seed), uint16(seed*40503)&^(3<<8)
		cfg, r := warmConfig(registers), rand.New(rand.NewPCG(seed, 2))
		mem, b := madeUp(genome), walkMadeUp(genome, &cfg, 3000, seed)
		checkWarm(t, mem, &cfg, b, r.IntN(len(b)))
		n, fast := countWarm(t, mem, &cfg, b)
		instructions, warm = instructions+n, warm+fast
		for range 4 {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		checkWarm(t, mem, &cfg, b, r.IntN(len(b)))
	}
	if warm*100 < instructions*95 {
		t.Errorf("the fast path decodes %d of %d instructions, want 95 %%", warm, instructions)
	}
}

// randomGenome is a program of 64 to 100 genes.
func randomGenome(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	genome := make([]byte, 64+r.IntN(37))
	for i := range genome {
		if genome[i] = byte(r.Uint32()); seed%4 == 0 && genome[i]&0xf == 6 {
			genome[i] = 6 // subs pc, lr
		}
	}
	return genome
}

// walkMadeUp is trace of a random walk through the program of a genome: the code that a
// plain decoder finds at each step says what may be traced.
func walkMadeUp(genome []byte, cfg *Config, packets int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	// The walk asks the walker of a decoder, which it leads packet by packet.
	d := newDecoder(cfg, madeUp(genome), true)
	scout := flow.NewWalker(flow.NewProgram(d.Mem, flow.Rules{}))
	var b []byte
	var result, scouted decode.Result
	scout.Begin(&scouted)
	put := func(p Packet) {
		from := len(b)
		b = cfg.Append(b, p)
		part := decode.Part{Data: b[from:], Continued: from > 0, Open: true}
		part.Offsets.Append(decode.CaptureOffset(from), len(part.Data))
		d.Decode(&result, part)
	}
	put(Packet{Kind: ISync, Address: madeUpT32, ISA: schema.T32, Reason: schema.ISyncTraceOn})
	first := len(b)
	for range packets {
		switch {
		case d.pending || !d.Walk.Known():
			address, state := schema.Address(madeUpT32+4*r.IntN(len(genome))), schema.T32
			if r.IntN(4) == 0 {
				address, state = schema.Address(madeUpA32+4*r.IntN(len(genome))), schema.A32
			}
			put(Packet{Kind: BranchAddress, Branch: cfg.branchTo(d.address, d.isa, address, state)})
		case r.IntN(100) == 0 && cfg.Minor >= minorTimestamp:
			put(Packet{Kind: Timestamp, TimestampBytes: 2, Timestamp: uint64(r.Uint32N(1 << 14))})
		default:
			put(Packet{Kind: PHeader, Atoms: d.fittingAtoms(r, scout)})
		}
	}
	return b[first:]
}

// branchTo returns a branch address of as few bytes as it takes from the last address.
func (c *Config) branchTo(last schema.Address, state schema.ISA, address schema.Address, to schema.ISA) Branch {
	for n := uint8(1); n < maxAddressBytes; n++ {
		r := Branch{Bytes: n, Bits: 7*n - 1, ISA: state}
		if c.AltBranch && n > 1 {
			r.Bits--
		}
		r.Address = address >> addressShift(state) & (1<<r.Bits - 1)
		if to == state && r.Target(last, state) == address {
			return r
		}
	}
	r := Branch{Bytes: maxAddressBytes, ISA: to, Bits: 32 - addressShift(to)}
	r.Address = address >> addressShift(to)
	return r
}

// fittingAtoms returns random atoms of which none comes after an indirect branch.
func (d *Decoder) fittingAtoms(r *rand.Rand, scout *flow.Walker) Atoms {
	headers := d.cfg.pheaders()
	for try := 0; ; try++ {
		a := headers[r.IntN(len(headers))]
		if a.reserved() || a.Count == 0 && (!d.cfg.CycleAccurate || r.IntN(4) > 0) {
			continue
		}
		if scout.Goto(d.Walk.PC(), d.Rec.Security()); try > 100 || fits(&a, scout) { // it may lead to no memory
			return a
		}
	}
}

// fits walks atoms, and reports whether an indirect branch is the last of them at most, and
// there is memory.
func fits(a *Atoms, scout *flow.Walker) bool {
	for i := range a.Count {
		switch scout.Atom(&flow.Source{}, a.N>>i&1 == 0, 0) {
		case flow.AtIndirect:
			return i == a.Count-1
		case flow.Missing:
			return false
		}
	}
	return scout.Next() != 0
}

// What a cancel takes back did not execute, even if it was what came first.
func TestCancelledFirst(t *testing.T) {
	cfg := warmConfig(3)
	loop := []byte{0x07, 0x42} // nop; nop; b to the first
	again := cfg.Append(nil, Packet{Kind: PHeader, Atoms: Atoms{Count: 3, Format: 1}})
	stream := append(cfg.Append(nil, Packet{Kind: Ignore}), again...) // the first packet is not warm
	stream = cfg.Append(stream, Packet{Kind: BranchAddress, Branch: Branch{
		Address: madeUpT32, Bytes: maxAddressBytes, ISA: schema.T32, Info: 1, Exception: 7, Cancel: true,
	}})
	for range 3 {
		stream = append(stream, again...)
	}
	checkWarm(t, madeUp(loop), &cfg, append(stream, again...), 0)
}

// Of a packet that leaves more blocks than a path has there is none.
func TestPathTooLong(t *testing.T) {
	cfg := warmConfig(3)
	self := []byte{0x62} // b to itself
	again := cfg.Append(nil, Packet{Kind: PHeader, Atoms: Atoms{Count: 15, Format: 1}})
	checkWarm(t, madeUp(self), &cfg, append(bytes.Repeat(again, 10), 0x66, 0x66, 0x66, 0x66, 0x66), 0)
}

// A path is made of blocks that count, not of those that only became runs.
func TestPathOfRuns(t *testing.T) {
	cfg := warmConfig(3)
	loop := []byte{0x07, 0x42} // nop; nop; b to the first
	ignore := cfg.Append(nil, Packet{Kind: Ignore})
	again := cfg.Append(nil, Packet{Kind: PHeader, Atoms: Atoms{Count: 3, Format: 1}})
	checkWarm(t, madeUp(loop), &cfg, slices.Concat(ignore, again, ignore, again, ignore, again, again, again, ignore, ignore, ignore, ignore, ignore), 0)
}
