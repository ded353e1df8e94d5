package port

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A File is a capture to be written.
type File struct {
	Config
	ETMCR uint32
	// Samples is how many samples follow; 0: not known, which a dump cannot say.
	Samples uint32
	Dropped bool // without the droppable samples
}

// Header returns the header of the file: nothing in layouts that have none.
func (f *File) Header() []byte {
	switch f.CaptureLayout {
	case LayoutETMS:
		h := etmsHeader{number: f.Number, width: f.Width, dropped: f.Dropped, etmcr: f.ETMCR, samples: f.Samples}
		return h.append(nil)
	case LayoutDump, LayoutDumpOld:
		return appendDumpHeader(nil, f.CaptureLayout, f.ETMCR, f.Samples)
	}
	return nil
}

// A Writer writes the samples of a capture in its layout.
type Writer struct {
	file    File
	grid    grid
	slot    slot
	w       *bufio.Writer
	number  uint32 // of the cell begun
	filled  int    // slots of it
	written int64  // cells
	cell    []byte
}

// NewWriter returns a writer of f and writes its header.
func NewWriter(w io.Writer, f File) (*Writer, error) {
	if err := f.checkLayout(); err != nil {
		return nil, err
	}
	if f.CaptureLayout == LayoutBytes && f.Width != 4 {
		return nil, fmt.Errorf("layout bytes is of 4 pins, not of %d", f.Width)
	}
	out := &Writer{file: f, grid: f.grid(), slot: f.slot(), w: bufio.NewWriter(w)}
	_, err := out.w.Write(f.Header())
	return out, err
}

// Write writes the samples of whole records.
func (w *Writer) Write(records []byte) (int, error) {
	if len(records)%SampleBytes != 0 {
		return 0, errors.New("port: a record is cut off")
	}
	for i := 0; i < len(records); i += SampleBytes {
		if err := w.write(At(records[i:])); err != nil {
			return i, err
		}
	}
	return len(records), nil
}

func (w *Writer) write(s Sample) error {
	w.cell = w.cell[:0]
	switch w.file.CaptureLayout {
	case LayoutETMS:
		w.cell = Append(w.cell, s)
	case LayoutDump, LayoutDumpOld:
		w.cell = appendDumpRecord(w.cell, s, w.file.Width)
	default:
		w.number |= w.slot.number(s) << (w.filled * w.grid.bits)
		if w.filled++; w.filled < w.grid.slots {
			return nil
		}
		w.cell = w.file.appendCell(w.cell, w.number, w.grid.cell)
		w.number, w.filled = 0, 0
	}
	w.written++
	_, err := w.w.Write(w.cell)
	return err
}

// Close fills the last record with droppable samples: a slot of zeros would be an
// instruction. It does not close what w writes to.
func (w *Writer) Close() error {
	for w.filled > 0 || w.written%int64(w.grid.turn) != 0 {
		if err := w.write(StatusTD); err != nil {
			return err
		}
	}
	return w.w.Flush()
}
