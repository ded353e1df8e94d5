package etmv3

// Atoms are the contents of a P-header (§7.3.1, docs/etmv3.md §3.2): atoms E
// (executed) and N (executed, failed its condition), and the cycle boundaries W
// before them.
//
//	Waits × W, atom, (Between × W, atom) …
//
// No W follows the last atom.
type Atoms struct {
	N       uint16 // bit i is atom i, oldest first; 1 is N
	Count   uint8  // number of atoms, 0 to 16
	Waits   uint8  // Ws before the first atom, or alone: 0 to 8
	Between uint8  // Ws before every other atom, 0 or 1
	// Format is the number of the P-header's format in its mode, 1 to 2, in
	// cycle-accurate mode 0 to 4. Several formats may encode the same atoms.
	Format uint8
}

// String spells the atoms, oldest first, as "WEWEN".
func (a Atoms) String() string {
	var s []byte
	waits := a.Waits
	for i := range a.Count {
		s = appendWaits(s, waits)
		s = append(s, "EN"[a.N>>i&1])
		waits = a.Between
	}
	if a.Count == 0 {
		s = appendWaits(s, waits)
	}
	return string(s)
}

func appendWaits(s []byte, n uint8) []byte {
	for range n {
		s = append(s, 'W')
	}
	return s
}

// The headers of the formats, without their variable bits, and these.
const (
	pheaderFormat0 = 0x80 // 1000 0000, cycle-accurate v3.0
	pheaderFormat1 = 0x80 // 1NEE EE00, cycle-accurate 1N0E EE00
	pheaderFormat2 = 0x82 // 1000 FF10
	pheaderFormat3 = 0xa0 // 1E1W WW00, cycle-accurate
	pheaderFormat4 = 0x92 // 1001 0F10, cycle-accurate v3.3 on

	pheaderLast   = 1 << 6 // N of format 1, E of format 3
	pheaderRun    = 2      // shift of EEEE and WWW
	pheaderFirst  = 1 << 3 // F of the first atom of two
	pheaderSecond = 1 << 2 // F of the second or only atom
)

// A pheaderTable has the meaning of every P-header, by its bits 6:1. A zero
// entry is a reserved one.
type pheaderTable [64]Atoms

// reserved reports whether a is zero: format 0 has a W.
func (a *Atoms) reserved() bool { return a.Format == 0 && a.Waits == 0 }

// The tables of the two modes and of the versions that differ.
var (
	plainPHeaders   = newPHeaderTable(plainPHeader)
	cyclePHeadersV0 = newPHeaderTable(func(h byte) Atoms { return cyclePHeader(h, 0) })
	cyclePHeadersV1 = newPHeaderTable(func(h byte) Atoms { return cyclePHeader(h, 1) })
	cyclePHeadersV3 = newPHeaderTable(func(h byte) Atoms { return cyclePHeader(h, 3) })
)

func newPHeaderTable(decode func(h byte) Atoms) *pheaderTable {
	var t pheaderTable
	for i := range t {
		t[i] = decode(0x80 | byte(i)<<1)
	}
	return &t
}

// plainPHeader decodes a P-header outside cycle-accurate mode.
func plainPHeader(h byte) Atoms {
	switch {
	case h&0x83 == pheaderFormat1:
		return runOfE(h, h>>pheaderRun&0x0f)
	case h&0xf3 == pheaderFormat2:
		return twoAtoms(h)
	default:
		return Atoms{}
	}
}

// cyclePHeader decodes a P-header in the cycle-accurate mode of v3.minor.
func cyclePHeader(h byte, minor uint8) Atoms {
	switch {
	case h == pheaderFormat0: // before format 1, which would be empty
		if minor > 0 {
			return Atoms{}
		}
		return Atoms{Waits: 1, Format: 0}
	case h&0xa3 == pheaderFormat1:
		a := runOfE(h, h>>pheaderRun&0x07)
		a.Waits, a.Between = 1, 1
		return a
	case h&0xf3 == pheaderFormat2:
		a := twoAtoms(h)
		a.Waits = 1
		return a
	case h&0xa3 == pheaderFormat3:
		return Atoms{Count: bit(h, pheaderLast), Waits: h>>pheaderRun&0x07 + 1, Format: 3}
	case h&0xfb == pheaderFormat4 && minor >= 3:
		return Atoms{N: uint16(bit(h, pheaderSecond)), Count: 1, Format: 4}
	default:
		return Atoms{}
	}
}

// runOfE are the atoms of format 1: e times E, then N times N.
func runOfE(h, e uint8) Atoms {
	n := bit(h, pheaderLast)
	return Atoms{N: uint16(n) << e, Count: e + n, Format: 1}
}

// twoAtoms are the atoms of format 2.
func twoAtoms(h byte) Atoms {
	return Atoms{N: uint16(bit(h, pheaderFirst) | bit(h, pheaderSecond)<<1), Count: 2, Format: 2}
}

func bit(h, mask byte) uint8 {
	if h&mask != 0 {
		return 1
	}
	return 0
}

// pheaders returns the table for the mode and version of c.
func (c *Config) pheaders() *pheaderTable {
	switch {
	case !c.CycleAccurate:
		return plainPHeaders
	case c.Minor >= 3:
		return cyclePHeadersV3
	case c.Minor >= 1:
		return cyclePHeadersV1
	default:
		return cyclePHeadersV0
	}
}

func (c *Config) parsePHeader(p *Packet, h byte) error {
	a := &c.pheaders()[h>>1&0x3f]
	if a.reserved() {
		return protocol.Reserved(h, "a P-header that v"+c.Version()+" reserves in this mode")
	}
	*p = Packet{}
	p.Kind, p.Len, p.Atoms = PHeader, 1, *a
	return nil
}

// header returns the P-header that encodes a.
func (a Atoms) header() byte {
	n := byte(0)
	if a.N != 0 {
		n = 1
	}
	switch a.Format {
	case 0:
		return pheaderFormat0
	case 1:
		return pheaderFormat1 | n*pheaderLast | (a.Count-n)<<pheaderRun
	case 2:
		return pheaderFormat2 | byte(a.N&1)*pheaderFirst | byte(a.N>>1&1)*pheaderSecond
	case 3:
		return pheaderFormat3 | a.Count*pheaderLast | (a.Waits-1)<<pheaderRun
	default:
		return pheaderFormat4 | byte(a.N&1)*pheaderSecond
	}
}
