package identify

// isITM says whether bytes are packets of an ITM and its DWT (DDI 0403E, appendix D4). Nearly any byte is the header of a packet: so it goes by headers that are reserved, and
// packets of the DWT that it never sends. Of those there may be some, at the start and after a loss.
func isITM(data []byte) bool {
	const least, perHundred = 64, 1
	w := itmWalk{left: data, headers: map[byte]bool{}, values: map[byte]bool{}}
	for len(w.left) > 0 {
		w.next()
	}
	several := (len(w.headers) >= 3 || len(w.values) >= 8) && w.sources*4 >= w.packets
	return w.packets >= least && w.wrong <= 2+w.packets*perHundred/100 && (several || w.text == w.packets)
}

// An itmWalk is what was seen in bytes that may be packets of an ITM.
type itmWalk struct {
	left    []byte
	packets int
	wrong   int           // headers that no ITM sends
	sources int           // packets of software or of the DWT
	text    int           // packets of software that are a character
	headers map[byte]bool // of sources
	values  map[byte]bool // the first bytes after them
}

// next takes a packet, or a byte that begins none.
func (w *itmWalk) next() {
	h := w.left[0]
	switch n := itmLength(w.left); {
	case n == 0:
		w.wrong++
		w.left = w.left[1:]
	case n > len(w.left):
		w.left = nil // cut off
	default:
		w.packets++
		if h&3 != 0 {
			w.sources++
			w.headers[h], w.values[w.left[1]] = true, true
		}
		if h&7 == 1 && isCharacter(w.left[1]) {
			w.text++
		}
		w.left = w.left[n:]
	}
}

func isCharacter(b byte) bool {
	return b >= ' ' && b < 0x7f || b == '\n' || b == '\r' || b == '\t' || b == 0x1b
}

// itmLength returns how many bytes the first packet has, 0 if there is none.
func itmLength(b []byte) int {
	const (
		overflow, global1, global2 = 0x70, 0x94, 0xb4
		syncZeros                  = 5 // with 0x80: 47 bits 0 and one that is set
	)
	switch h := b[0]; {
	case h == 0:
		n := 0
		for n < len(b) && b[n] == 0 {
			n++
		}
		if n < syncZeros || n < len(b) && b[n] != 0x80 {
			return 0
		}
		return n + 1
	case h&3 != 0:
		return sourceLength(b)
	case h == overflow:
		return 1
	case h == global1:
		return continued(b, 4)
	case h == global2:
		return continued(b, 6)
	case h&0xf == 0 && h < 0x80, h&0x8b == 0x08: // local timestamp of one byte, extension
		return 1
	case h&0xcf == 0xc0, h&0x8b == 0x88: // of several
		return continued(b, 4)
	}
	return 0
}

// continued returns the length of a packet of a header and bytes of which bit 7 says that there is another,
// 0 if there are more than most.
func continued(b []byte, most int) int {
	for n := 1; n <= most; n++ {
		if n >= len(b) || b[n] < 0x80 {
			return n + 1
		}
	}
	return 0
}

// sourceLength returns the length of a packet of software, or of one that the DWT sends.
func sourceLength(b []byte) int {
	size := 1 << (b[0]&3 - 1)
	if b[0]&4 == 0 {
		return 1 + size
	}
	const (
		counters, exception, pc = 0, 1, 2
		data, values, end       = 8, 16, 24
	)
	switch id := b[0] >> 3; {
	case id == counters && size == 1, id == pc && size == 4, id >= values && id < end,
		id >= data && id < values && (size == 4 && id%2 == 0 || size == 2 && id%2 == 1):
		return 1 + size
	case id == pc && size == 1 && (len(b) < 2 || b[1] == 0 || b[1] == 0xff): // asleep
		return 2
	case id == exception && size == 2 && (len(b) < 3 || b[2]&0xce == 0 && b[2]&0x30 != 0):
		return 3
	}
	return 0
}
