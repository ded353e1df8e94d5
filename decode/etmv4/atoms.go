package etmv4

// firstAtom is the first of the headers of atom packets, which are all up to FF.
const firstAtom = 0xc0

// atomSequence is what an atom packet has, as [Packet] has it.
type atomSequence struct {
	atoms uint32
	count uint8
}

// sequence reads "EEN", oldest first.
func sequence(s string) (a atomSequence) {
	for i := range len(s) {
		if s[i] == 'E' {
			a.atoms |= 1 << i
		}
	}
	a.count = uint8(len(s))
	return a
}

// fewAtoms are the atoms of mispredicts and of cancels of format 2, by bits 1:0 of the
// header.
var fewAtoms = [...]atomSequence{sequence(""), sequence("E"), sequence("EE"), sequence("N")}

// atomHeaders are the atoms of the headers from firstAtom on.
var atomHeaders = makeAtoms()

// The headers of formats 1 to 5; of format 6 are all others.
const (
	headerAtoms5 = 0xd5
	headerAtoms2 = 0xd8
	headerAtoms4 = 0xdc
	headerAtomsN = 0xe0 // format 6 that ends in N
	headerAtoms1 = 0xf5 // with one of format 5
	headerAtoms3 = 0xf8
)

func makeAtoms() (t [0x100 - firstAtom]atomSequence) {
	for h := firstAtom; h < headerAtoms1; h++ {
		const others = 3
		n := h&0x1f + others + 1
		t[h-firstAtom] = atomSequence{atoms: 1<<n - 1, count: uint8(n)}
		if h >= headerAtomsN {
			t[h-firstAtom].atoms >>= 1
		}
	}
	for h, atoms := range map[int][]string{
		headerAtoms5: {"NNNNN", "NENEN", "ENENE"},
		headerAtoms2: {"NN", "EN", "NE", "EE"},
		headerAtoms4: {"NEEE", "NNNN", "NENE", "ENEN"},
		headerAtoms1: {"NEEEE", "N", "E"},
		headerAtoms3: {"NNN", "ENN", "NEN", "EEN", "NNE", "ENE", "NEE", "EEE"},
	} {
		for i, s := range atoms {
			t[h-firstAtom+i] = sequence(s)
		}
	}
	return t
}

// atomHeader returns the header of the atom packet with those atoms, false if there is none.
func atomHeader(a atomSequence) (byte, bool) {
	for i := range atomHeaders {
		if atomHeaders[i] == a {
			return byte(firstAtom + i), true
		}
	}
	return 0, false
}

// atomString returns the atoms of p, oldest first, as "EEN".
func (p *Packet) atomString() string {
	s := make([]byte, p.AtomCount)
	for i := range s {
		s[i] = "NE"[p.Atoms>>i&1]
	}
	return string(s)
}
