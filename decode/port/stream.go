package port

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// pieceSamples is how many samples a piece of a stream has at most.
const pieceSamples = 64 << 10

// pieceLeast is how many samples a piece has room for at least: more than a cell has.
const pieceLeast = 8

// A stream is the samples of a capture in reading order. It implements
// [decode.Noter].
type stream struct {
	*capture
	buf  io.ReaderAt
	slot slot
	at   int64 // the next cell
	left int64 // cells
	err  error // from the start

	begun bool
	above int64 // cells with bits above the last slot
	// Of a sample file: the bits that are zero, by its header, and those that are
	// cleared, since the user said that the port or the version is another.
	reserved, trim Sample

	raw     []byte
	numbers []uint32
	records []byte
}

// Next implements [decode.Stream].
func (s *stream) Next(p *decode.Piece) (before decode.Break, err error) {
	if !s.begun && s.err == nil {
		s.begun, s.err = true, s.begin()
	}
	if s.err != nil {
		return decode.NoBreak, s.err
	}
	if s.left == 0 {
		return decode.NoBreak, io.EOF
	}
	room := len(p.Room(pieceLeast*SampleBytes)) / SampleBytes
	n := min(int64(min(pieceSamples, room)/s.slots), s.left, s.valid-s.at)
	if s.err = s.read(s.offset(s.at), int(n)); s.err != nil {
		return decode.NoBreak, s.err
	}
	p.Data = append(p.Data, s.records...)
	p.Offsets.SetForm(s.form())
	p.Offsets.Append(decode.CaptureOffset(s.offset(s.at)), int(n)*s.slots)
	s.left -= n
	if s.at += n; s.at == s.valid {
		s.at = 0
	}
	return decode.NoBreak, nil
}

// Notes implements [decode.Noter].
func (s *stream) Notes() []string {
	if s.above == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d words have bits set above their last sample, where layout %s of %d pins has none: "+
		"most likely the layout or the port size is another",
		s.above, s.Name(), s.cfg.Width)}
}

// begin checks the header and makes the buffers.
func (s *stream) begin() error {
	head := make([]byte, min(decode.HeaderBytes, s.size))
	if err := s.readAt(head, 0); err != nil {
		return err
	}
	if err := s.checkHeader(head); err != nil {
		return err
	}
	n := min(int64(pieceSamples/s.slots), s.left)
	s.raw = make([]byte, n*int64(s.cell))
	s.records = make([]byte, 0, n*int64(s.slots)*SampleBytes)
	return nil
}

// form is how the samples lie in the capture: those of a cell are adjacent.
func (s *stream) form() decode.Form {
	if s.slots == 1 {
		return decode.Form{Step: s.cell}
	}
	step := s.slotOffset(1)
	return decode.Form{Step: step, Group: s.slots, Gap: s.cell - s.slots*step}
}

// checkHeader checks the header against the size of the capture.
func (s *stream) checkHeader(head []byte) error {
	switch s.cfg.CaptureLayout {
	case LayoutETMS:
		h, err := parseETMS(head, s.size)
		s.reserved = reservedBits(h.number>>4, h.width)
		s.trim = reservedBits(s.cfg.Major(), s.cfg.Width) &^ s.reserved
		return err
	case LayoutDump, LayoutDumpOld:
		if err := checkDump(s.cfg.CaptureLayout, head, s.size); err != nil {
			return err
		}
		return s.checkUnpacked()
	}
	return nil
}

// read reads n cells at a capture offset and makes records of them.
func (s *stream) read(at int64, n int) error {
	s.raw = s.raw[:n*s.cell]
	if err := s.readAt(s.raw, at); err != nil {
		return err
	}
	s.records = s.records[:0]
	switch s.cfg.CaptureLayout {
	case LayoutETMS:
		s.records = s.raw
		if err := checkReserved(s.raw, s.reserved, at); err != nil {
			return err
		}
		clearBits(s.raw, s.trim)
	case LayoutDump, LayoutDumpOld:
		for b := s.raw; len(b) >= dumpRecordBytes; b = b[dumpRecordBytes:] {
			s.records = Append(s.records, dumpSample(b, s.cfg.Width))
		}
	default:
		var above int
		s.numbers = s.cfg.loadCells(s.numbers[:0], s.raw, s.cell)
		s.records, above = s.slot.unpack(s.records, s.numbers, s.slots)
		s.above += int64(above)
	}
	return nil
}

func (s *stream) readAt(b []byte, at int64) error {
	if _, err := io.ReadFull(io.NewSectionReader(s.buf, at, int64(len(b))), b); err != nil {
		return fmt.Errorf("read capture at offset 0x%x: %w", at, err)
	}
	return nil
}
