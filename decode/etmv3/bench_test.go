package etmv3

import (
	"math/rand/v2"
	"testing"

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

// randomPacket returns one of 77 % P-headers, 22 % branch addresses (in
// cycle-accurate mode 95, 2), and few others; with data trace half of all are
// data.
func randomPacket(cfg *Config, r *rand.Rand) Packet {
	if cfg.DataValue && r.IntN(2) == 0 {
		return randomData(r)
	}
	kind := r.IntN(1000)
	pheaders, branches := 770, 990
	if cfg.CycleAccurate {
		pheaders, branches = 950, 970
	}
	switch {
	case kind < pheaders:
		e := uint8(1 + r.IntN(7))
		a := Atoms{N: uint16(r.IntN(2)) << (e - 1), Count: e, Format: 1}
		if cfg.CycleAccurate {
			a.Waits, a.Between = 1, 1
			if r.IntN(2) == 0 {
				a = Atoms{Waits: e, Format: 3}
			}
		}
		return Packet{Kind: PHeader, Atoms: a}
	case kind < branches:
		branch := Branch{Bytes: []uint8{1, 2, 2, 2, 2, 3, 3, 5}[r.IntN(8)], Address: schema.Address(r.Uint32N(64)), ISA: schema.T32}
		if branch.Bytes == 5 && r.IntN(10) == 0 {
			branch.Info, branch.Exception = 1, 14
		}
		return Packet{Kind: BranchAddress, Branch: branch}
	case kind < 995:
		return Packet{Kind: ISync, Address: schema.Address(r.Uint32() &^ 3), Reason: schema.ISyncTraceOn}
	case kind < 997:
		return Packet{Kind: ASync, Len: 6}
	default:
		return Packet{Kind: Timestamp, TimestampBytes: 4, Timestamp: uint64(r.Uint32N(1 << 28))}
	}
}

func randomData(r *rand.Rand) Packet {
	p := Packet{Kind: NormalData, ValueBytes: valueBytes[r.IntN(4)], Value: r.Uint32()}
	if r.IntN(2) == 0 {
		p.NewAddress, p.AddressBytes, p.Address = true, uint8(1+r.IntN(5)), schema.Address(r.Uint32())
	}
	return p
}

func BenchmarkParse(b *testing.B) {
	const packets = 10000
	for _, mode := range []struct {
		name string
		cfg  Config
	}{
		{"plain", plain},
		{"cycle-accurate", counted},
		{"data", dataBoth},
	} {
		b.Run(mode.name, func(b *testing.B) {
			benchmarkParse(b, &mode.cfg, mixed(&mode.cfg, packets), packets)
		})
	}
}

func benchmarkParse(b *testing.B, cfg *Config, stream []byte, packets int) {
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		var p Packet
		for i := 0; i < len(stream); i += p.Len {
			if err := cfg.Parse(&p, stream[i:]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(packets), "ns/packet")
}
