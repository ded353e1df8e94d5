package pipeline

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// This file is the layouts of the made-up protocol of sampleprotocol_test.go.

// A sampleLayout is how a buffer holds samples: their records one after another, or
// after a header of 16 bytes, each with 4 bytes of padding before it.
type sampleLayout uint64

const (
	plainSamples sampleLayout = iota
	paddedSamples

	sampleHeaderBytes = 16
	samplePadBytes    = 4
)

var sampleLayoutNames = []string{"plain", "padded"}

// record returns where the first record is, and how far one is from the next.
func (l sampleLayout) record() (first, step int64) {
	if l == paddedSamples {
		return sampleHeaderBytes, samplePadBytes + sampleBytes8
	}
	return 0, sampleBytes8
}

// Layout implements [decode.Layouter].
func (p sampleProtocol) Layout(size int64) (decode.Layout, error) {
	if first, _ := p.layout.record(); size < first {
		return nil, fmt.Errorf("has %d bytes, but its header has %d", size, first)
	}
	return laidSamples{p.layout, size}, nil
}

// laidSamples are samples in a buffer of a size.
type laidSamples struct {
	sampleLayout
	size int64
}

func (l laidSamples) Name() string { return sampleLayoutNames[l.sampleLayout] }

func (l laidSamples) Units() int64 {
	first, step := l.record()
	return (l.size - first) / step
}

func (l laidSamples) Rest() int64 {
	first, step := l.record()
	return (l.size - first) % step
}

func (l laidSamples) Overhead() int64 {
	return l.size - l.Rest() - l.Units()*sampleBytes8
}

func (l laidSamples) Stream(buf io.ReaderAt, ringStart int64) decode.Stream {
	first, step := l.record()
	return &sampleReader{laid: l, buf: buf, ringStart: ringStart, start: max(0, ringStart-first) / step}
}

// A sampleReader reads samples, a few at a time.
type sampleReader struct {
	laid      laidSamples
	buf       io.ReaderAt
	start     int64 // sample that is the oldest, at the byte
	ringStart int64
	read      int64
}

// errOddPadding is what a sample stream fails with.
var errOddPadding = errors.New("padding is not zero")

// Next implements [decode.Stream].
func (r *sampleReader) Next(p *decode.Piece) (decode.Break, error) {
	const few = 3
	first, step := r.laid.record()
	n := r.laid.Units()
	given := 0
	switch start, spoiled := r.ringStart-first, make([]byte, 1); {
	case r.ringStart > 0 && start%step != 0:
		return decode.NoBreak, fmt.Errorf("%d is inside a record: %w", r.ringStart, decode.ErrRing)
	case step > sampleBytes8:
		if _, err := r.buf.ReadAt(spoiled, 8); err != nil {
			return decode.NoBreak, err
		}
		if spoiled[0] != 0 {
			return decode.NoBreak, &decode.SpoiledError{Reason: "its writer dropped payloads"}
		}
	}
	for given < few && r.read < n {
		at := first + (r.start+r.read)%n*step
		record := make([]byte, step)
		if _, err := r.buf.ReadAt(record, at); err != nil {
			return decode.NoBreak, err
		}
		if step > sampleBytes8 && record[0] != 0 {
			return decode.NoBreak, fmt.Errorf("offset 0x%x: %w", at, errOddPadding)
		}
		p.Data = append(p.Data, record[step-sampleBytes8:]...)
		p.Offsets.Append(decode.CaptureOffset(at), 1)
		r.read++
		given++
	}
	if given == 0 {
		return decode.NoBreak, io.EOF
	}
	return decode.NoBreak, nil
}

var _ decode.Layouter = sampleProtocol{}
