package pft

import (
	"errors"
	"io"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/schema"
)

// FuzzPacket checks any bytes under any configuration: Parse returns a documented
// error and leaves the packet unchanged, or it returns a packet that no fewer bytes
// give, and Append writes the same bytes again, except for ignored bits.
func FuzzPacket(f *testing.F) {
	for _, s := range []string{
		"000000000080", "080010000021", "0800800000 61 c401 44332211", "84", "fcffffff7f", "4d",
		"cdbab9fb0f", "99f5f2f61f", "b1eae5ed3f", "8d808080481c", "8b808080488720", "8d80808048 9d20 04",
		"728510", "7299f5f2f65f40", "0c", "6e78563412", "3c05", "42f3e8247c02", "4680808080808080ff00", "76", "66", "02",
	} {
		for registers := range uint8(16) {
			f.Add(unhex(f, s), registers)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, registers uint8) {
		cfg := Config{
			Minor:          1,
			CycleAccurate:  registers&1 != 0,
			Timestamp64:    registers&2 != 0,
			ContextIDBytes: []int{0, 1, 2, 4}[registers>>2&3],
		}
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
		if _, err := cfg.ParsePacket(b); err != nil {
			t.Errorf("Parse succeeds, ParsePacket fails: %v", err)
		}
	})
}

// ignoredBits has a 1 for each bit of p's bytes that no field has.
func ignoredBits(cfg *Config, p *Packet) []byte {
	mask := make([]byte, p.Len)
	at := 0 // first byte after the address and information
	switch p.Kind {
	case ISync:
		mask[5] = 1<<7 | 1<<4 | 1<<0
		at = 6
	case BranchAddress:
		maskFifthByte(mask, p)
		at = int(p.AddressBytes)
		if p.Info > 0 {
			mask[at] = 1 << 5
		}
		if p.Info > 1 {
			mask[at+1] = 3 << 6
		}
		at += int(p.Info)
	case WaypointUpdate:
		mask[1] = 1 << 0
		if n := p.AddressBytes; n > 1 && n < 5 {
			mask[n] = 1 << 6
		}
		maskFifthByte(mask[1:], p)
		if p.Info > 0 {
			mask[p.Len-1] = 0xff &^ (1 << 6)
		}
	case Timestamp:
		at = 1 + int(p.TimestampBytes)
		if p.TimestampBytes == 7 && !cfg.Timestamp64 {
			mask[7] = 3 << 6
		}
	case Atom:
		if p.HasCycles && p.CycleBytes == 4 {
			mask[4] = 1 << 7
		}
		return mask
	}
	if p.HasCycles {
		mask[at] = 1<<7 | 3
		if p.CycleBytes == 5 {
			mask[at+4] = 1 << 7
		}
	}
	return mask
}

func maskFifthByte(mask []byte, p *Packet) {
	if p.AddressBytes < 5 {
		return
	}
	mask[4] = 1 << 7
	if p.ISA == schema.A32 {
		mask[4] |= 1 << 3
	}
}

// FuzzFindISync checks for any bytes that FindISync passes whole packets of other
// kinds, that an I-sync follows if it returns ISyncFound, and that bytes in one
// piece or in two give the same result.
func FuzzFindISync(f *testing.F) {
	f.Add(unhex(f, "844d420108001000000184"), uint8(0), 9)
	f.Add(unhex(f, "8408000000000080"), uint8(12), 6)
	f.Fuzz(func(t *testing.T, b []byte, registers uint8, part int) {
		cfg := Config{CycleAccurate: registers&1 != 0, ContextIDBytes: []int{0, 1, 2, 4}[registers>>2&3]}
		n, found := cfg.FindISync(b)
		var p Packet
		for i := 0; i < n; i += p.Len {
			if err := cfg.Parse(&p, b[i:n]); err != nil || p.Kind == ISync || p.Kind == ASync {
				t.Fatalf("at %d of %d that were passed: %+v, %v", i, n, p, err)
			}
		}
		if found == async.ISyncFound {
			if err := cfg.Parse(&p, b[n:]); err != nil || p.Kind != ISync {
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
