package pft

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// madeUp is a program of a halfword or two for each byte: in T32 at madeUpT32, and in A32,
// with the non-secure space of its own, at madeUpA32.
func madeUp(genome []byte) *image.Memory {
	var t32, a32, other []byte
	half := func(h ...uint16) {
		for _, x := range h {
			t32 = binary.LittleEndian.AppendUint16(t32, x)
		}
	}
	word := func(b []byte, w uint32) []byte { return binary.LittleEndian.AppendUint32(b, w) }
	for _, gene := range genome {
		by := uint16(gene >> 4) // a distance
		switch gene & 0xf {
		case 0, 1:
			half(0xd000 | (by-8)&0xff) // beq
		case 2:
			half(0xe000 | (by-8)&0x7ff) // b
		case 3, 4:
			half(0xf000, 0xf800|by) // bl
		case 5, 6:
			half(0x4770) // bx lr
		case 7:
			half(0x4798) // blx r3
		case 8:
			half(0xf3bf, 0x8f4f|by&2<<4) // dsb, isb
		case 9:
			half(0xf000, 0xe800|by<<1) // blx to A32
		default:
			half(0xbf00) // nop
		}
		words := []uint32{
			0x0a000000 | uint32(by-8)&0xffffff, 0xeb000000 | uint32(by), 0xe12fff1e, 0xe12fff33,
			0xf57ff06f, 0xfb000000 | uint32(by), 0xe1a00000, 0xe1a00000,
		}
		a32 = word(a32, words[gene&7])
		other = word(other, words[gene>>3&7])
	}
	return image.New(
		image.Region{Address: madeUpA32, Bytes: other, Space: image.NonSecureSpace},
		image.Region{Address: madeUpT32, Bytes: t32, Space: image.AnySpace},
		image.Region{Address: madeUpA32, Bytes: a32, Space: image.AnySpace},
	)
}

const madeUpT32, madeUpA32 = 0x8000, 0x8100

// checkWarm decodes a segment, an I-sync at madeUpT32 and bytes after it, in two parts, by the fast path and
// without. No packet of the second part reaches past bound.
func checkWarm(t *testing.T, mem *image.Memory, cfg Config, b []byte, cut, bound int) {
	t.Helper()
	stream := cfg.Append(nil, Packet{Kind: ISync, Address: madeUpT32, ISA: schema.T32, Reason: schema.ISyncTraceOn, HasCycles: cfg.CycleAccurate, CycleBytes: 1})
	cut = len(stream) + max(0, min(cut, len(b)))
	stream = append(stream, b...)
	var offsets decode.CaptureOffsets
	for i := range stream {
		offsets.Append(decode.CaptureOffset(i+i/10), 1)
	}
	first := decode.Part{Data: stream[:cut:cut], Offsets: offsets.Slice(0, cut), Open: true, More: cut%4 > 0}
	rest := decode.Part{Data: stream[cut:], Offsets: offsets.Slice(cut, len(stream)), Continued: true, End: true}
	if bound > 0 && bound < len(rest.Data) {
		rest.Bounds = []int{bound}
	}
	if d := decodetest.WarmDifference(&cfg, mem, []decode.Part{first, rest}, uint8(cut)); d != "" {
		t.Fatalf("%+v: %s\npackets % x, cut at %d", cfg, d, stream, cut)
	}
}

// A tour is a capture of a loop that calls a function, and what it is traced with.
type tour struct {
	cfg       Config
	broadcast bool // a packet for each branch taken (ETMCR[8])
}

var tours = []tour{{cfg: Config{Minor: 1}}, {cfg: Config{Minor: 1, CycleAccurate: true}}, {Config{Minor: 1}, true}, {Config{Minor: 1, CycleAccurate: true}, true}}

// capture returns an I-sync and so many times round the loop, and its memory.
func (c *tour) capture(times int) (stream []byte, mem *image.Memory) {
	code := []uint16{0xf000, 0xf802, 0xd1fc, 0xe7fb, 0x4770} // 0: bl 4f; bne 0b; b 0b; 4: bx lr
	b := make([]byte, 0, 2*len(code))
	for _, h := range code {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	add := func(p Packet) {
		p.HasCycles = c.cfg.CycleAccurate && (p.Kind != ISync || p.Reason != schema.ISyncPeriodic)
		if p.HasCycles && p.Kind != Atom {
			p.CycleBytes = 1
		}
		stream = c.cfg.Append(stream, p)
	}
	taken := func(target schema.Address) {
		if c.broadcast {
			add(Packet{Kind: BranchAddress, AddressBytes: 1, Address: target})
		} else {
			add(Packet{Kind: Atom, AtomCount: 1})
		}
	}
	add(Packet{Kind: ISync, Address: madeUpT32, ISA: schema.T32, Reason: schema.ISyncTraceOn})
	for i := range times {
		taken(4)
		add(Packet{Kind: BranchAddress, AddressBytes: 1, Address: 2, Cycles: uint32(i % 16)})
		if i%2 == 0 {
			add(Packet{Kind: Atom, AtomCount: 1, Atoms: 1}) // N
		}
		taken(0)
	}
	return stream, image.New(image.Region{Address: madeUpT32, Bytes: b, Space: image.AnySpace})
}

// All but the first times round are decoded by the fast path.
func TestWarmShare(t *testing.T) {
	for _, tt := range tours {
		stream, mem := tt.capture(1000)
		d := tt.cfg.NewDecoder(mem, decode.Wanted{}).(*Decoder)
		d.begin(&decode.Result{}, decode.Part{Data: stream, Offsets: decode.OffsetsFrom(0, len(stream), decode.Form{})})
		warm := int64(0)
		var p Packet
		for i := d.firstISync(); i < len(stream); {
			from := d.Walk.Seq
			if next := d.decodeWarm(i); next > i {
				warm += d.Walk.Seq - from
				i = next
				continue
			}
			if err := tt.cfg.Parse(&p, stream[i:]); err != nil {
				t.Fatal(err)
			}
			d.Offset = d.Rec.Offset(i)
			d.processPacket(&p)
			i += p.Len
		}
		if all := d.Walk.Seq; all != 3500 || warm < all*99/100 {
			t.Errorf("%+v: %d of %d instructions by the fast path, want 99 %% or more of 3500", tt, warm, all)
		}
		if q := d.Rec.Segment.Quality; q.BranchesIndirect != 1000 || len(q.BranchMisses) > 0 || q.BranchesRepeated != q.Branches-1000 {
			t.Errorf("%+v: %+v, want 1000 indirect branches and no miss", tt, q)
		}
	}
}

// Decoding allocates nothing once its result has the room.
func TestWarmAllocations(t *testing.T) {
	for _, tt := range tours {
		stream, mem := tt.capture(1000)
		d := tt.cfg.NewDecoder(mem, decode.Wanted{})
		part := decode.Part{Data: stream, Offsets: decode.OffsetsFrom(0, len(stream), decode.Form{}), End: true}
		var result decode.Result
		if n := testing.AllocsPerRun(10, func() { decodeAgain(d, &result, part) }); n > 0 {
			t.Errorf("%+v: %v allocations for %d instructions, want none", tt, n, result.Segments[0].Row.Instructions)
		}
	}
}

// decodeAgain decodes a part into the memory of a result.
func decodeAgain(d decode.Decoder, r *decode.Result, part decode.Part) {
	r.Truncate(decode.Ends{})
	r.Blocks, r.Segments = r.Blocks[:0], r.Segments[:0]
	d.Decode(r, part)
}

// modes are the configurations that matter to the fast path.
func modes(n uint8) Config {
	return Config{Minor: 1, ReturnStack: n&1 != 0, CycleAccurate: n&2 != 0, DataBarriers: n&4 != 0}
}

// FuzzWarm holds the fast path against the operations of appendix B.3.
func FuzzWarm(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range uint8(8) {
		genome, stream := scene(random, modes(n))
		f.Add(genome, stream, n, 20, 30*int(n%3))
	}
	f.Fuzz(func(t *testing.T, genome, stream []byte, mode uint8, cut, bound int) {
		checkWarm(t, madeUp(genome), modes(mode), stream, cut, bound)
	})
}

func TestWarmAgainstPlain(t *testing.T) {
	for _, tt := range tours {
		stream, mem := tt.capture(100)
		var isync Packet
		if err := tt.cfg.Parse(&isync, stream); err != nil {
			t.Fatal(err)
		}
		for bound := range 20 {
			checkWarm(t, mem, tt.cfg, stream[isync.Len:], 130, 20+bound)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for i := range need.Size(1000, 100_000) {
		cfg := modes(uint8(i))
		genome, stream := scene(random, cfg)
		checkWarm(t, madeUp(genome), cfg, stream, random.IntN(len(stream)), max(0, random.IntN(2*len(stream))-len(stream)))
	}
}

// scene returns a small program and packets, most of them atoms and short branches.
func scene(r *rand.Rand, cfg Config) (genome, stream []byte) {
	genome = make([]byte, 16+r.IntN(100))
	for i := range genome {
		genome[i] = byte(r.Uint32())
	}
	for range 5 + r.IntN(200) {
		p := randomPacket(&cfg, r)
		if p.Kind == BranchAddress {
			switch p.Address = madeUpT32>>1 + schema.Address(r.Uint32N(0x80)); {
			case p.AddressBytes < 5:
				p.Address &= 1<<[]int{6, 12, 19, 26}[p.AddressBytes-1] - 1
			case r.IntN(3) == 0:
				p.Address, p.ISA = madeUpA32>>2+schema.Address(r.Uint32N(0x40)), schema.A32
			case r.IntN(10) == 0:
				p.Address, p.ISA = madeUpT32, schema.Jazelle
			}
			if p.AddressBytes > 1 && r.IntN(20) == 0 {
				p.Info, p.NS = 1, r.IntN(2) == 0
			}
		}
		if p.HasCycles && r.IntN(30) == 0 {
			p.Cycles, p.CycleBytes = r.Uint32(), maxCyclesBytes
			if p.Kind == Atom {
				p.CycleBytes--
			}
		}
		if p.Kind == ISync {
			p.Address = madeUpA32 + schema.Address(r.Uint32N(0x40)<<2)
			p.Reason = schema.ISyncReason(r.IntN(2))
			p.HasCycles = cfg.CycleAccurate && p.Reason != schema.ISyncPeriodic
			p.NS = r.IntN(2) == 0
		}
		stream = cfg.Append(stream, p)
	}
	if r.IntN(4) == 0 { // damage
		stream[r.IntN(len(stream))] = byte(r.Uint32())
	}
	return genome, stream
}

// Packets that come again and again take the same path only where the return stack leads
// the same way, however deep it is.
func TestPaths(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	cfg := Config{Minor: 1, ReturnStack: true}
	for range need.Size(300, 10_000) {
		genome := make([]byte, 12+random.IntN(12))
		for i := range genome {
			genome[i] = []byte{0, 3, 3, 5, 5, 10}[random.IntN(6)] | byte(random.IntN(10))<<4
		}
		headers := []Packet{{Kind: Atom, AtomCount: 5}}
		for range 3 {
			headers = append(headers, Packet{Kind: Atom, AtomCount: 1 + uint8(random.IntN(5)), Atoms: uint8(random.Uint32() & random.Uint32())})
		}
		var stream []byte
		for range 1000 {
			p := headers[random.IntN(len(headers))]
			p.Atoms &= 1<<p.AtomCount - 1
			if random.IntN(12) == 0 {
				p = Packet{Kind: BranchAddress, AddressBytes: 5, ISA: schema.T32, Address: madeUpT32>>1 + schema.Address(random.Uint32N(uint32(len(genome))))}
			}
			stream = cfg.Append(stream, p)
		}
		checkWarm(t, madeUp(genome), cfg, stream, 100+random.IntN(len(stream)-100), 0)
	}
}

// A path that pushes and pops where the return stack is full takes the oldest entry with it.
func TestPathsFullStack(t *testing.T) {
	// 0: bl 4; 4: beq 0; 6: beq 10; 8: bx lr; 10: bl 16; 14: beq 6; 16: bx lr
	genome := []byte{0x03, 0x40, 0x80, 0x05, 0x13, 0x20, 0x05}
	const deeper, call, up, down = "EE ", "EEEE ", "NEE ", "NEN "
	script := strings.Repeat(deeper, 40) + "EN " + strings.Repeat(call, 10) + up + strings.Repeat(deeper, 40) + "EN " + call + strings.Repeat(down, 40)
	cfg := Config{Minor: 1, ReturnStack: true}
	var stream []byte
	for atoms := range strings.FieldsSeq(script) {
		p := Packet{Kind: Atom, AtomCount: uint8(len(atoms))}
		for i, a := range atoms {
			if a == 'N' {
				p.Atoms |= 1 << i
			}
		}
		stream = cfg.Append(stream, p)
	}
	for cut := range 4 {
		checkWarm(t, madeUp(genome), cfg, stream, cut, 0)
	}
}
