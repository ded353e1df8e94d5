package pft

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// mixed returns a stream of the given number of packets, in about the
// proportions and sizes of captured ones.
func mixed(cfg *Config, packets int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var stream []byte
	for range packets {
		stream = cfg.Append(stream, randomPacket(cfg, r))
	}
	return stream
}

// randomPacket returns one of 60 % atoms, 40 % branch addresses (in
// cycle-accurate mode 72, 18, and 8 % I-syncs, 2 % timestamps), and few others.
func randomPacket(cfg *Config, r *rand.Rand) Packet {
	cycles := func(p Packet, atom uint8) Packet {
		if cfg.CycleAccurate {
			p.HasCycles = true
			p.Cycles = uint32(r.ExpFloat64() * 20)
			p.CycleBytes = uint8(1+max(0, bits.Len32(p.Cycles)-4+6)/7) - atom
		}
		return p
	}
	kind := r.IntN(1000)
	atoms, branches, isyncs := 600, 995, 997
	if cfg.CycleAccurate {
		atoms, branches, isyncs = 720, 900, 975
	}
	switch {
	case kind < atoms:
		n := 1 + r.IntN(5)
		if cfg.CycleAccurate {
			n = 1
		}
		return cycles(Packet{Kind: Atom, AtomCount: uint8(n), Atoms: uint8(r.IntN(1 << n))}, 1)
	case kind < branches:
		n := []uint8{1, 2, 2, 2, 2, 3, 3, 5}[r.IntN(8)]
		p := Packet{Kind: BranchAddress, AddressBytes: n, Address: schema.Address(r.Uint32N(64)), ISA: schema.T32}
		if n == 5 && r.IntN(10) == 0 {
			p.Info, p.Exception = 1, 14
		}
		return cycles(p, 0)
	case kind < isyncs:
		return cycles(Packet{Kind: ISync, Address: schema.Address(r.Uint32() &^ 3), Reason: schema.ISyncTraceOn}, 0)
	case kind < 998:
		return Packet{Kind: ASync, Len: 6}
	default:
		return cycles(Packet{Kind: Timestamp, TimestampBytes: 4, Timestamp: uint64(r.Uint32N(1 << 28))}, 0)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, mode := range []struct {
		name string
		cfg  Config
	}{
		{"plain", plain},
		{"cycle-accurate", counted},
	} {
		b.Run(mode.name, func(b *testing.B) {
			const packets = 10000
			stream := mixed(&mode.cfg, packets)
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				var p Packet
				for i := 0; i < len(stream); i += p.Len {
					if err := mode.cfg.Parse(&p, stream[i:]); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/packets, "ns/packet")
		})
	}
}

// What one worker makes of a segment, its result used again.
func BenchmarkDecode(b *testing.B) {
	for _, tt := range tours[:2] {
		name := "plain"
		if tt.cfg.CycleAccurate {
			name = "cycle-accurate"
		}
		b.Run(name, func(b *testing.B) {
			stream, mem := tt.capture(10_000)
			d := tt.cfg.NewDecoder(mem, decode.Wanted{})
			part := decode.Part{Data: stream, Offsets: decode.OffsetsFrom(0, len(stream), decode.Form{}), End: true}
			var result decode.Result
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				decodeAgain(d, &result, part)
			}
			instructions := float64(result.Segments[0].Row.Instructions)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/instructions, "ns/instruction")
		})
	}
}
