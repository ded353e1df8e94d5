package plan

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// rawPieceBytes is how much of a raw stream is read at a time.
const rawPieceBytes = 256 << 10

// A rawStream is a buffer that holds the bytes of one source, in reading order: a
// ring starts at its oldest byte.
type rawStream struct {
	data       io.ReaderAt
	size       int64
	ringStart  int64
	runs       []int64 // those that begin after what was read
	read       int64
	begun, cut bool // something was returned; a run begins after that
}

// newRawStream returns the stream of a buffer after its first bytes, so many of them.
func newRawStream(b *Buffer, after int64) *rawStream {
	s := &rawStream{data: b.Data, size: b.Looked, ringStart: b.RingStart, runs: b.Runs, read: after}
	s.skipRuns()
	return s
}

// skipRuns leaves the runs that begin after what was read.
func (s *rawStream) skipRuns() {
	for len(s.runs) > 0 && s.runs[0] <= s.read {
		s.cut = s.begun && s.runs[0] == s.read
		s.runs = s.runs[1:]
	}
}

// Next implements [decode.Stream].
func (s *rawStream) Next(p *decode.Piece) (before decode.Break, err error) {
	if s.read == s.size {
		return decode.NoBreak, io.EOF
	}
	at, left := s.adjacent()
	room := p.Data[len(p.Data):cap(p.Data)]
	if len(room) == 0 {
		room = p.Room(int(min(rawPieceBytes, left)))
	}
	n := min(int64(len(room)), rawPieceBytes, left)
	if got, err := s.data.ReadAt(room[:n], at); int64(got) < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return decode.NoBreak, fmt.Errorf("read capture at offset 0x%x: %w", at, err)
	}
	p.Data = p.Data[:len(p.Data)+int(n)]
	p.Offsets.Append(decode.CaptureOffset(at), int(n))
	if s.cut {
		before = decode.NewRun
	}
	s.read, s.begun, s.cut = s.read+n, true, false
	s.skipRuns()
	return before, nil
}

// adjacent returns where the next bytes are in the buffer, and how many lie there one after
// another: up to its end, the end of the run, or of the stream.
func (s *rawStream) adjacent() (at, n int64) {
	at, n = s.ringStart+s.read, s.size-s.ringStart-s.read
	if n <= 0 {
		at -= s.size
		n = s.ringStart - at
	}
	if len(s.runs) > 0 {
		n = min(n, s.runs[0]-s.read)
	}
	return at, n
}

// A laidStream is a stream by a layout: it names the buffer in errors, and keeps what
// the stream says at its end.
type laidStream struct {
	decode.Stream
	buffer string
	notes  *[]string // nil: nobody wants them
}

// Next implements [decode.Stream].
func (s laidStream) Next(p *decode.Piece) (before decode.Break, err error) {
	before, err = s.Stream.Next(p)
	if !errors.Is(err, io.EOF) {
		return before, layoutError(s.buffer, err)
	}
	if noter, ok := s.Stream.(decode.Noter); ok && s.notes != nil {
		*s.notes = noter.Notes()
	}
	return before, err
}

// First returns the first bytes of a stream, so many of them.
func First(stream decode.Stream, unitBytes, bytes int) decode.Stream {
	return &firstStream{Stream: stream, unitBytes: unitBytes, left: bytes}
}

// A firstStream ends early.
type firstStream struct {
	decode.Stream
	unitBytes int
	left      int // bytes to give
}

// Next implements [decode.Stream].
func (s *firstStream) Next(p *decode.Piece) (before decode.Break, err error) {
	if s.left == 0 {
		return decode.NoBreak, io.EOF
	}
	from := len(p.Data)
	before, err = s.Stream.Next(p)
	if excess := len(p.Data) - from - s.left; excess > 0 {
		p.Drop(excess, s.unitBytes)
	}
	s.left -= len(p.Data) - from
	return before, err
}

// After returns a stream without its first bytes, so many of them. It begins without a break.
func After(stream decode.Stream, unitBytes int, bytes int64) decode.Stream {
	return &skippedStream{Stream: stream, unitBytes: unitBytes, left: bytes}
}

// A skippedStream begins late.
type skippedStream struct {
	decode.Stream
	unitBytes int
	left      int64 // bytes to leave out
}

// Next implements [decode.Stream].
func (s *skippedStream) Next(p *decode.Piece) (before decode.Break, err error) {
	var skipped decode.Piece
	begins := s.left > 0
	for s.left > 0 {
		skipped.Clear()
		if before, err = s.Stream.Next(&skipped); err != nil {
			return before, err
		}
		n := int(min(s.left, int64(len(skipped.Data))))
		s.left -= int64(n)
		if n < len(skipped.Data) {
			p.Data = append(p.Data, skipped.Data[n:]...)
			p.Offsets.AppendAll(skipped.Offsets.Slice(n/s.unitBytes, skipped.Offsets.Len()))
			return decode.NoBreak, nil
		}
	}
	if before, err = s.Stream.Next(p); begins {
		before = decode.NoBreak
	}
	return before, err
}
