package etmv3

import (
	"errors"
	"io"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
)

// fuzzConfig is a configuration by the bits of a number.
func fuzzConfig(n uint16) Config {
	return Config{
		Minor:          uint8(n&7) % 6,
		CycleAccurate:  n>>3&1 != 0,
		ContextIDBytes: decode.ContextIDBytes[n>>4&3],
		AltBranch:      n>>6&1 != 0,
		Timestamp64:    n>>7&1 != 0,
		DataAddress:    n>>8&1 != 0,
		DataValue:      n>>9&1 != 0,
		DataOnly:       n>>10&1 != 0,
		Virtualization: n>>11&1 != 0,
		ProfileM:       n>>12&1 != 0,
	}
}

// FuzzPacket checks any bytes under any configuration: Parse returns a documented
// error and leaves the packet unchanged, or it returns a packet that no fewer bytes
// give, and Append writes the same bytes again, except for ignored bits.
func FuzzPacket(f *testing.F) {
	for _, s := range []string{
		"000000000080", "80", "c8", "92", "048f3c", "04ffffffffff", "0821008000 00", "087856341225018000 00", "70ffffffffff2a2101800000",
		"08a1008000008180848048b0a075", "0831058000 00", "f105", "b7fdd601", "d9e395c00b", "8d808080c8", "8d808080488720", "8142b08145",
		"42818283848586c7", "46ffffffffffffffffff", "2e8401ddccbbaa", "2e80808080f201000000", "748401", "2c04030201", "50", "62", "7a8401",
		"6e78563412", "3c07", "0c", "66", "76", "7e", "10",
	} {
		for _, registers := range []uint16{5, 2 | 1<<3 | 3<<4, 4 | 1<<6 | 1<<7 | 3<<8 | 1<<12, 5 | 1<<4 | 3<<8 | 3<<10, 5 | 1<<8, 0 | 1<<9} {
			f.Add(unhex(f, s), registers)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, registers uint16) {
		cfg := fuzzConfig(registers)
		p := sentinel
		if err := cfg.Parse(&p, b); err != nil {
			if syntax := (*decode.SyntaxError)(nil); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.As(err, &syntax) {
				t.Fatalf("Parse: error of an undocumented type %T: %v", err, err)
			}
			if p != sentinel {
				t.Fatalf("Parse failed and left %+v", p)
			}
			return
		}
		if p.Len < 1 || p.Len > len(b) {
			t.Fatalf("packet of %d bytes out of %d", p.Len, len(b))
		}
		if p.Len < 100 { // a long A-sync would take long
			checkPrefixes(t, &cfg, b[:p.Len])
		}
		got := cfg.Append(nil, p)
		if len(got) != p.Len {
			t.Fatalf("Append(%+v) = % x, parsed from % x", p, got, b[:p.Len])
		}
		var again Packet
		if err := cfg.Parse(&again, got); err != nil || again != p {
			t.Fatalf("Parse(Append(p)) = %+v, %v\nwant %+v", again, err, p)
		}
		mask := ignoredBits(&cfg, &p)
		for i := range got {
			if (got[i]^b[i])&^mask[i] != 0 {
				t.Fatalf("Append(%+v) = % x\nparsed from % x, ignored are % x", p, got, b[:p.Len], mask)
			}
		}
		text, err := cfg.ParsePacket(b)
		if err != nil {
			t.Fatalf("Parse succeeds, ParsePacket fails: %v", err)
		}
		text.JSON()
	})
}

// ignoredBits has a 1 for each bit of p's bytes that no field has.
func ignoredBits(cfg *Config, p *Packet) []byte {
	mask := make([]byte, p.Len)
	if p.HasCycles && p.CycleBytes == 5 {
		mask[5] = 0xf0
	}
	switch p.Kind {
	case BranchAddress:
		maskInformation(cfg, mask, &p.Branch)
	case ISync:
		info := 1 + int(p.CycleBytes) + cfg.ContextIDBytes
		mask[info] = 1 << 0
		if !cfg.Virtualization {
			mask[info] |= 1 << 1
		}
		if cfg.Minor < 3 || cfg.DataOnly {
			mask[info] |= 1 << 2
		}
		if cfg.DataOnly {
			mask[info] |= 1<<7 | 1<<4
		}
		if p.LSiP {
			mask[info+5] = 1 << 0
			maskInformation(cfg, mask[info+5:], &p.Branch)
		}
	case NormalData, OutOfOrderPlaceholder, ValueNotTraced:
		if p.AddressBytes == 5 {
			mask[5] = 0xe0
		}
	case Timestamp:
		if p.TimestampBytes == 7 && !cfg.Timestamp64 {
			mask[7] = 3 << 6
		}
	default: // every bit is in a field
	}
	return mask
}

func maskInformation(cfg *Config, mask []byte, r *Branch) {
	info := mask[r.Bytes:]
	if r.hasByte1() && !cfg.Virtualization {
		info[1] = 1 << 5
	}
	if r.HasResume {
		info[r.Info-1] = 3 << 4
	}
}

// FuzzFindISync checks for any bytes that FindISync passes whole packets that are
// no cut, that a good I-sync follows if it returns ISyncFound, and that bytes in
// one piece or in two give the same result.
func FuzzFindISync(f *testing.F) {
	f.Add(unhex(f, "844d4201082101100000 84"), uint16(5), 9)
	f.Add(unhex(f, "84081100000000000080"), uint16(3<<4), 6)
	f.Add(unhex(f, "0825001000007005a1001000000b84"), uint16(5|1<<3), 8)
	f.Fuzz(func(t *testing.T, b []byte, registers uint16, part int) {
		cfg := fuzzConfig(registers)
		n, found := cfg.FindISync(b)
		var p Packet
		for i := 0; i < n; i += p.Len {
			if err := cfg.Parse(&p, b[i:n]); err != nil || p.Kind == ISync && !p.Bad || p.Kind == ASync {
				t.Fatalf("at %d of %d that were passed: %+v, %v", i, n, p, err)
			}
		}
		if found == async.ISyncFound {
			if err := cfg.Parse(&p, b[n:]); err != nil || p.Kind != ISync || p.Bad {
				t.Fatalf("at %d: %+v, %v, want an I-sync", n, p, err)
			}
		}
		if part < 0 || part >= len(b) {
			return
		}
		m, foundFirst := cfg.FindISync(b[:part])
		if foundFirst == async.ISyncUnknown {
			var more int
			if more, foundFirst = cfg.FindISync(b[m:]); foundFirst != async.NoISync {
				m += more
			} else {
				m = 0
			}
		}
		if m != n || foundFirst != found {
			t.Errorf("in one piece %d, %d; cut at %d %d, %d", n, found, part, m, foundFirst)
		}
	})
}
