package etmv4

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/image"
)

const madeUpA64, madeUpA32, madeUpT32 = 0x8000, 0x8400, 0x8800

// madeUp is a program of an instruction for each byte, in each instruction set.
func madeUp(genome []byte) *image.Memory {
	var a64, a32, t32, other []byte
	word := binary.LittleEndian.AppendUint32
	for i, gene := range genome {
		by := uint32(gene >> 4) // a distance
		back := by - 8
		words := []uint32{
			0x54000000 | back&0x7ffff<<5, // b.eq
			0x14000000 | back&0x3ffffff,  // b
			0x94000000 | by,              // bl
			0xd65f03c0,                   // ret
			0xd63f0000,                   // blr x0
			0xb4000000 | back&0x7ffff<<5, // cbz
			0xd5033fdf,                   // isb
			0xd69f03e0,                   // eret
			0xd4000001,                   // svc
			0xd61f0000,                   // br x0
			0xd503201f,                   // nop
		}
		a64 = word(a64, words[min(int(gene&15), 10)])
		other = word(other, words[min(int(gene>>2&15), 10)])
		a32 = word(a32, []uint32{
			0x0a000000 | back&0xffffff, 0xeb000000 | by, 0xe12fff1e, 0xe12fff33, 0xf57ff06f, 0x012fff1e,
			0xfa000000 | uint32(int(madeUpT32-madeUpA32)-4*i-8+int(by)<<2)>>2&0xffffff, 0xe1a00000,
		}[gene&7])
		t32 = word(t32, []uint32{
			0xbf00d000 | back&0xff, 0xf800f000 | by<<16, 0xbf004770, 0xbf004798, 0x8f6ff3bf, 0x4770e000 | back&0x7ff,
			0xbf00bf00, 0xbf00bf00,
		}[gene&7])
	}
	return image.New(
		image.Region{Address: madeUpA64, Bytes: other, Space: image.SecureSpace},
		image.Region{Address: madeUpA64, Bytes: a64, Space: image.AnySpace},
		image.Region{Address: madeUpA32, Bytes: a32, Space: image.AnySpace},
		image.Region{Address: madeUpT32, Bytes: t32, Space: image.AnySpace},
	)
}

// modes are the configurations that matter to the fast path.
func modes(n uint8) Config {
	c := Config{
		Profile: "A", ContextIDBytes: 4, CommOpt: true, CycleBits: 12, ReturnStack: n&1 != 0, ETE: n&2 != 0, CycleCounting: n&4 != 0,
	}
	if n&8 != 0 && !c.ETE {
		c.Profile = profileM
	}
	return c
}

// madeUpBefore is what is before the cut of a made-up segment.
func madeUpBefore(cfg *Config) []byte {
	return append(cfg.Append(nil, Packet{Kind: ASync}), 0x01, 0x00)
}

// checkWarm decodes a segment, an address with context and bytes after it, in two parts, by the fast path and without.
// No packet of the second part reaches past bound.
func checkWarm(t *testing.T, mem *image.Memory, cfg Config, b []byte, cut, bound int) {
	t.Helper()
	at := Packet{Kind: AddressContext, Form: Long32, Address: madeUpA64, Context: ContextInfo{Sent: true, SF: true, NS: true}}
	if cfg.Profile == profileM {
		at.Address, at.Context.SF = madeUpT32, false
	}
	stream := cfg.Append(nil, at)
	cut = len(stream) + max(0, min(cut, len(b)))
	stream = append(stream, b...)
	var offsets decode.CaptureOffsets
	for i := range stream {
		offsets.Append(decode.CaptureOffset(i+i/10), 1)
	}
	first := decode.Part{
		Data: stream[:cut:cut], Offsets: offsets.Slice(0, cut), Open: true, More: cut%4 > 0,
		Before: madeUpBefore(&cfg), Ahead: stream[cut:min(len(stream), cut+cfg.AheadBytes())],
	}
	rest := decode.Part{Data: stream[cut:], Offsets: offsets.Slice(cut, len(stream)), Continued: true, End: true}
	if bound > 0 && bound < len(rest.Data) {
		rest.Bounds = []int{bound}
	}
	if d := decodetest.WarmDifference(&cfg, mem, []decode.Part{first, rest}, uint8(cut)); d != "" {
		t.Fatalf("%+v: %s\npackets % x, cut at %d", cfg, d, stream, cut)
	}
}

// scene returns a small program and packets, most of them atoms and addresses.
func scene(r *rand.Rand, cfg *Config) (genome, stream []byte) {
	genome = make([]byte, 16+r.IntN(100))
	for i := range genome {
		genome[i] = byte(r.Uint32())
	}
	var often []Packet // what comes again
	for range 6 {
		often = append(often, scenePacket(r, cfg))
	}
	for range 5 + r.IntN(300) {
		p := often[r.IntN(len(often))]
		if r.IntN(4) == 0 {
			p = scenePacket(r, cfg)
		}
		stream = cfg.Append(stream, p)
	}
	if r.IntN(4) == 0 { // damage
		stream[r.IntN(len(stream))] = byte(r.Uint32())
	}
	return genome, stream
}

func scenePacket(r *rand.Rand, cfg *Config) Packet {
	address := Packet{Kind: Address, Form: ShortAddress, Address: uint64(r.IntN(0x100)) &^ 3, AddressBits: 9}
	switch r.IntN(24) {
	case 0:
		return Packet{Kind: Context, Context: ContextInfo{Sent: true, SF: r.IntN(3) > 0, NS: r.IntN(3) > 0, EL: uint8(r.IntN(2))}}
	case 1:
		return Packet{Kind: []Kind{TraceOn, Event, Ignore}[r.IntN(3)], Events: 1}
	case 2:
		return Packet{Kind: Timestamp, Timestamp: uint64(r.IntN(100)), TimestampBytes: 1}
	case 3:
		return Packet{Kind: Exception, Exception: uint16(r.IntN(15)), Return: Return(1 + r.IntN(2))}
	case 4:
		address.Form, address.Address, address.AddressBits = Long64, madeUpA64+uint64(r.IntN(0x40))<<2, 64
		return address
	case 5:
		address.Form, address.Address, address.AddressBits = Long32, []uint64{madeUpA32, madeUpT32, madeUpA64}[r.IntN(3)]+uint64(r.IntN(0x40))<<2, 32
		address.IS1 = address.Address >= madeUpT32
		return address
	case 6, 7:
		return Packet{Kind: Address, Form: ExactMatch, Entry: uint8(r.IntN(3))}
	case 8, 9, 10:
		address.IS1 = r.IntN(4) == 0
		if address.IS1 {
			address.AddressBits, address.Address = 8, address.Address&0xff
		}
		return address
	case 11, 12:
		if cfg.CycleCounting {
			return Packet{Kind: CycleCount, Format: 3, HasCycles: true, Cycles: Field{Value: uint32(r.IntN(4))}}
		}
	}
	a := atomHeaders[[]int{r.IntN(64), 0x35 + r.IntN(11), 0x35 + r.IntN(11)}[r.IntN(3)]]
	return Packet{Kind: Atoms, Atoms: a.atoms, AtomCount: a.count}
}

// FuzzWarm holds the fast path against the plain one.
func FuzzWarm(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range uint8(16) {
		cfg := modes(n)
		genome, stream := scene(random, &cfg)
		f.Add(genome, stream, n, 20, 30*int(n%3))
	}
	f.Fuzz(func(t *testing.T, genome, stream []byte, mode uint8, cut, bound int) {
		if len(genome) > 0x100 {
			return
		}
		checkWarm(t, madeUp(genome), modes(mode), stream, cut, bound)
	})
}

func TestWarmAgainstPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range need.Size(400, 100_000) {
		cfg := modes(uint8(i))
		genome, stream := scene(random, &cfg)
		checkWarm(t, madeUp(genome), cfg, stream, random.IntN(len(stream)), max(0, random.IntN(2*len(stream))-len(stream)))
	}
}

// Paths that push and pop, of a program of calls and returns, and nothing but atoms and a few addresses.
func TestPaths(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for i := range need.Size(80, 10_000) {
		genome := make([]byte, 12+random.IntN(12))
		for k := range genome {
			genome[k] = []byte{0, 2, 2, 3, 3, 4, 7, 10}[random.IntN(8)] | byte(random.IntN(10))<<4
		}
		cfg := modes(uint8(i)&2 | 1)
		headers := make([]byte, 4)
		for k := range headers {
			headers[k] = firstAtom + byte(random.IntN(64))
		}
		var stream []byte
		for range 1000 {
			if random.IntN(6) == 0 {
				stream = append(stream, 0x95, byte(random.IntN(len(genome))))
				continue
			}
			stream = append(stream, headers[random.IntN(len(headers))])
		}
		checkWarm(t, madeUp(genome), cfg, stream, 100+random.IntN(len(stream)-100), 0)
	}
}

// A tour is a capture of a loop that calls a function, so many times round.
func tour(cfg *Config, times int) (part decode.Part, mem *image.Memory) {
	// 0: bl 16; cbz 0; b 0; nop; 16: ret
	genome := []byte{0x42, 0x75, 0x61, 0x0a, 0x03}
	stream := cfg.Append(nil, Packet{Kind: AddressContext, Form: Long32, Address: madeUpA64, Context: ContextInfo{Sent: true, SF: true, NS: true}})
	for i := range times {
		stream = append(stream, 0xdb, 0x95, 0x01) // EE, 4
		if cfg.CycleCounting {
			stream = append(stream, 0x10|byte(i&3))
		}
		stream = append(stream, []byte{0xf7, 0xda}[i%2]) // E, NE
	}
	part = decode.Part{Data: stream, Before: madeUpBefore(cfg), Offsets: decode.OffsetsFrom(0, len(stream), decode.Form{}), End: true}
	return part, madeUp(genome)
}

// All but the first times round are decoded by the fast path.
func TestWarmShare(t *testing.T) {
	for i, want := range []decode.Wanted{{}, {Counted: true}, {}} {
		cfg := modes([]uint8{2, 2, 6}[i])
		part, mem := tour(&cfg, 1000)
		d := cfg.NewDecoder(mem, want).(*Decoder)
		d.BeginPart(&decode.Result{}, part)
		d.start()
		warm := int64(0)
		var p Packet
		for i := 0; i < len(part.Data); {
			from := d.Walk.Seq
			if next := d.decodeWarm(i); next > i {
				warm += d.Walk.Seq - from
				i = next
				continue
			}
			if err := cfg.Parse(&p, part.Data[i:]); err != nil {
				t.Fatal(err)
			}
			d.State.Apply(&cfg, &p)
			d.packet(&p, d.Rec.Offset(i))
			i += p.Len
		}
		d.release(nil, true) // the last atom may wait for its count
		if all := d.Walk.Seq; all != 3500 || warm < all*99/100 {
			t.Errorf("%+v: %d of %d instructions by the fast path, want 99 %% or more of 3500", want, warm, all)
		}
		if q := d.Rec.Segment.Quality; q.BranchesIndirect != 1000 || q.Branches != 1000 {
			t.Errorf("%+v: %+v, want 1000 indirect branches", want, q)
		}
	}
}

// Decoding allocates nothing once its result has the room.
func TestWarmAllocations(t *testing.T) {
	for n := range uint8(8) {
		cfg := modes(n)
		part, mem := tour(&cfg, 1000)
		part.Before = append(part.Before[:len(part.Before)-1], 0x01, n>>2) // Trace Info agrees on cycle counts
		d := cfg.NewDecoder(mem, decode.Wanted{})
		var r decode.Result
		if n := testing.AllocsPerRun(10, func() {
			r.Truncate(decode.Ends{})
			r.Blocks, r.Segments = r.Blocks[:0], r.Segments[:0]
			d.Decode(&r, part)
		}); n > 0 {
			t.Errorf("%+v: %v allocations for %d instructions, want none", cfg, n, r.Segments[0].Row.Instructions)
		}
	}
}
