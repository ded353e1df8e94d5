package frame

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// TestNewReaderAt begins at every byte of a stream in frames of memory and of a trace port,
// and demands the rest of the stream; at an auxiliary byte, an error.
func TestNewReaderAt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		writer func(io.Writer) *Writer
		layout Layout
	}{
		{"memory", NewWriter, Layout{Steady: true}},
		{"port", func(w io.Writer) *Writer { return NewPortWriter(w, 3) }, Layout{Sync: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := tt.writer(&b)
			for i := range 100 {
				check(t, w.Write(0x10, bytes.Repeat([]byte{byte(i)}, i%7)))
				check(t, w.Write(0x20, bytes.Repeat([]byte{0xee}, i%5)))
			}
			check(t, w.Flush())
			size := int64(b.Len())
			whole := readStream(t, NewReader(bytes.NewReader(b.Bytes()), size, tt.layout, 0x10))
			next := 0
			for offset := range size {
				r, err := NewReaderAt(bytes.NewReader(b.Bytes()), size, tt.layout, 0x10, offset)
				if next == len(whole.Data) || int64(whole.Offsets.At(next)) != offset {
					if tt.layout.Steady && offset%frameSize == auxByte && !errors.Is(err, ErrNoByte) {
						t.Fatalf("offset %d: %v", offset, err)
					}
					continue
				}
				check(t, err)
				rest := readStream(t, r)
				if !bytes.Equal(rest.Data, whole.Data[next:]) || rest.Offsets.At(0) != whole.Offsets.At(next) {
					t.Fatalf("from offset %d: %x at %d, want %x", offset, rest.Data, rest.Offsets.At(0), whole.Data[next:])
				}
				next++
			}
			if next != len(whole.Data) {
				t.Errorf("%d of %d bytes", next, len(whole.Data))
			}
		})
	}
}

func readStream(t *testing.T, r *Reader) (p decode.Piece) {
	t.Helper()
	for {
		switch _, err := r.Next(&p); {
		case errors.Is(err, io.EOF):
			return p
		default:
			check(t, err)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
