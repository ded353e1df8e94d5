package pipeline

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// layUnits finds how the units of a source lie in its buffer, if they are not the
// bytes of it.
func (s *sourcePlan) layUnits() error {
	layouter, ok := s.protocol.(decode.Layouter)
	if !ok || s.buffer == nil {
		return nil
	}
	if s.buffer.clipped {
		return errSamples
	}
	layout, err := layouter.Layout(s.buffer.Size)
	if err != nil {
		return layoutError(s.buffer.Name, err)
	}
	s.layout, s.bytes = layout, layout.Units()
	if layout.Rest() > 0 {
		s.bytes++
	}
	return nil
}

// cutOff returns the loss of the unit that the end of the buffer cuts off, false if
// there is none, or only a sample was decoded.
func (s *sourcePlan) cutOff(decoded int64) (schema.Loss, bool) {
	if s.layout == nil || s.layout.Rest() == 0 || decoded < s.layout.Units() {
		return schema.Loss{}, false
	}
	return schema.Loss{
		Key: schema.Key{Offset: s.buffer.Size - s.layout.Rest()}, Bytes: 1, Reason: schema.LossTruncated,
		Detail: fmt.Sprintf("the buffer ends after %d bytes of a record of layout %s", s.layout.Rest(), s.layout.Name()),
	}, true
}

// loseCutOff accounts for the unit that the end of the buffer cuts off.
func (s *sourcePlan) loseCutOff(st *stitch.Stitcher) error {
	if loss, ok := s.cutOff(st.At()); ok {
		return st.Lose(loss)
	}
	return nil
}

// accountLayout says what the bytes of a buffer with a layout are.
func (s *sourcePlan) accountLayout(a *schema.BufferBytes) {
	overhead, rest := s.layout.Overhead(), s.layout.Rest()
	a.Bytes = s.buffer.Size
	a.Streams[schema.SourceText(s.ID)] = s.buffer.Size - overhead - rest
	a.Overhead["layout"], a.Overhead["incomplete"] = overhead, rest
}

// A laidStream is a stream by a layout: it names the buffer in errors, and keeps what
// the stream says at its end.
type laidStream struct {
	decode.Stream
	buffer string
	notes  *[]string
}

// Next implements [decode.Stream].
func (s laidStream) Next(p *decode.Piece) (broken bool, err error) {
	broken, err = s.Stream.Next(p)
	if errors.Is(err, io.EOF) {
		if noter, ok := s.Stream.(decode.Noter); ok {
			*s.notes = noter.Notes()
		}
		return broken, err
	}
	return broken, layoutError(s.buffer, err)
}

// layoutError names the buffer in what is wrong with its layout, nil if nothing is.
func layoutError(buffer string, err error) error {
	spoiled, isSpoiled := errors.AsType[*decode.SpoiledError](err)
	switch {
	case err == nil:
		return nil
	case isSpoiled:
		return &NothingError{Causes: []string{buffer + ": " + spoiled.Reason}}
	case errors.Is(err, decode.ErrRing):
		return &ringError{fmt.Errorf("%s: %w", buffer, err)}
	}
	return fmt.Errorf("%s: %w", buffer, err)
}

// A ringError says that the command line is wrong about where a ring starts.
type ringError struct{ error }

func (e *ringError) Unwrap() error { return e.error }

// Is reports that the error is one of usage.
func (e *ringError) Is(target error) bool { return target == capture.ErrUsage }
