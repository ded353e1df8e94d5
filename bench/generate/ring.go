package generate

import "github.com/tracelake/tracelake/decode/frame"

// A ring is a trace buffer that has the last bytes written to it
// (docs/containers.md §4).
type ring struct {
	bytes   []byte
	written int64
}

// Write writes modulo the size of r.
func (r *ring) Write(b []byte) (int, error) {
	n := len(b)
	if over := n - len(r.bytes); over > 0 {
		r.written += int64(over)
		b = b[over:]
	}
	for len(b) > 0 {
		k := copy(r.bytes[r.written%int64(len(r.bytes)):], b)
		r.written += int64(k)
		b = b[k:]
	}
	return n, nil
}

// lost is how many bytes were written over.
func (r *ring) lost() int64 { return max(0, r.written-int64(len(r.bytes))) }

// unrolled returns what r has, the oldest byte first.
func (r *ring) unrolled() []byte {
	if r.lost() == 0 {
		return r.bytes[:r.written]
	}
	oldest := int(r.written % int64(len(r.bytes)))
	return append(r.bytes[oldest:len(r.bytes):len(r.bytes)], r.bytes[:oldest]...)
}

const (
	frameBytes = 16
	auxiliary  = 15 // the last byte of a frame
)

// streamBytes counts the bytes of each source in frames. Those in front of the
// first ID byte are of no one knows whom.
func streamBytes(frames []byte) map[uint8]int64 {
	count := map[uint8]int64{}
	var id uint8
	named := false
	take := func(n int64) {
		if named && frame.IsSource(id) {
			count[id] += n
		}
	}
	for ; len(frames) >= frameBytes; frames = frames[frameBytes:] {
		for even := 0; even < auxiliary; even += 2 {
			hasOdd := int64(1)
			if even+1 == auxiliary {
				hasOdd = 0
			}
			delayed := frames[auxiliary]>>(even/2)&1 == 1
			switch b := frames[even]; {
			case b&1 == 0:
				take(1 + hasOdd)
			case delayed: // the odd byte is still of the old source
				take(hasOdd)
				id, named = b>>1, true
			default:
				id, named = b>>1, true
				take(hasOdd)
			}
		}
	}
	return count
}
