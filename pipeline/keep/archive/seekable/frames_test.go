package seekable

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// The frames of a file that was cut off anywhere are those that are whole; a packer knows which
// block each holds.
func TestFrames(t *testing.T) {
	p, err := NewPacker("fastest")
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 300<<10) // blocks that cannot be packed
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(noise)
	blocks := [][]byte{bytes.Repeat([]byte{7}, 200<<10), noise, []byte("a"), bytes.Repeat([]byte("abcdefg "), 50<<10)}
	var file []byte
	var ends []int
	for _, b := range blocks {
		file = append(file, p.Pack(b)...)
		ends = append(ends, len(file))
	}
	for _, size := range []int{0, 1, 3, 4, 10, ends[0] - 1, ends[0], ends[0] + 5, ends[1] - 4, ends[1], ends[2] - 1,
		ends[2], len(file) - 1, len(file)} {
		frames := NewFrames(bytes.NewReader(file[:size]))
		at := 0
		for i, b := range blocks {
			frame := frames.Next()
			if whole := ends[i] <= size; whole != (len(frame) > 0) {
				t.Fatalf("cut off at %d: frame %d has %d bytes", size, i, len(frame))
			}
			if len(frame) == 0 {
				break
			}
			if !bytes.Equal(frame, file[at:ends[i]]) || !p.Holds(frame, b) || p.Holds(frame, b[1:]) ||
				p.Holds(frame, append(bytes.Clone(b), 0)) {
				t.Errorf("frame %d is another", i)
			}
			at = ends[i]
		}
		if frame := frames.Next(); len(frame) > 0 {
			t.Errorf("cut off at %d: one more frame of %d bytes", size, len(frame))
		}
	}
}

// Whatever is in a file, its frames are what is in it, one after another.
func FuzzFrames(f *testing.F) {
	p, err := NewPacker("fastest")
	if err != nil {
		f.Fatal(err)
	}
	one := p.Pack([]byte("a block"))
	f.Add(one)
	f.Add(append(bytes.Clone(one), one[:9]...))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd})
	f.Add([]byte{0x5e, 0x2a, 0x4d, 0x18, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, file []byte) {
		frames, at := NewFrames(bytes.NewReader(file)), 0
		for frame := frames.Next(); len(frame) > 0; frame = frames.Next() {
			if !bytes.HasPrefix(file[at:], frame) {
				t.Fatalf("a frame at %d that is not there", at)
			}
			at += len(frame)
			p.Holds(frame, []byte("a block"))
		}
	})
}
