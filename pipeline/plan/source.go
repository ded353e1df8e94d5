package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Source is a source that was configured or seen, and how it is decoded. It does not change once
// the plan is made.
type Source struct {
	*capture.Source
	Bound   decode.Protocol // its protocol with its settings; nil: Problem says why
	Version string          // of the protocol; "" if it is not known
	Problem string          // why it is not decoded
	Sync    decode.SyncNames
	Status  schema.SourceStatus

	Buffer *Buffer       // nil: none is configured for it
	Layout decode.Layout // of a protocol whose units are not the bytes of the buffer
	Bytes  int64         // units of its stream: see [decode.Protocol]
	// Trials are those of settings that were left to be found, the best first.
	Trials []decode.Trial

	notes []string // about its protocol, for the user
}

// bindSource binds a source to its protocol and its registers.
func bindSource(s *capture.Source, families []decode.Family) *Source {
	bound := &Source{Source: s, Version: s.Version}
	f, err := family(s, families), error(nil)
	switch {
	case s.Problem != "":
		err = errors.New(s.Problem)
	case f == nil:
		err = fmt.Errorf("source %s is %s, which is not supported", s.Name, cmp.Or(s.Type, "of unknown type"))
	default:
		bound.Sync = f.Sync
		bound.Bound, bound.notes, err = f.Bind(decode.Source{
			Registers: s.Registers, CoreType: s.CoreType,
			Profile: string(s.Profile),
		})
	}
	if err != nil {
		bound.refuse(err.Error())
	} else {
		bound.Version = bound.Bound.Version()
	}
	return bound
}

// family returns the family of a source's protocol, nil if it is none of these.
func family(s *capture.Source, families []decode.Family) *decode.Family {
	i := slices.IndexFunc(families, func(f decode.Family) bool { return f.Name == s.Protocol })
	if i < 0 {
		return nil
	}
	return &families[i]
}

// refuse says why a source is not decoded.
func (s *Source) refuse(problem string) {
	s.Bound, s.Version, s.Status, s.Problem = nil, s.Source.Version, schema.StatusUnsupported, problem
}

// As returns the source as another protocol reads it.
func (s *Source) As(p decode.Protocol) (*Source, error) {
	other := &Source{Source: s.Source, Bound: p, Buffer: s.Buffer, Bytes: s.Bytes}
	return other, other.layUnits()
}

// dialect is how the code of its core is read.
func (s *Source) dialect() isa.Dialect {
	if r, ok := s.Bound.(decode.CodeReader); ok {
		return r.Dialect()
	}
	return isa.PFT
}

// layUnits finds how the units of a source lie in its buffer, if they are not the
// bytes of it.
func (s *Source) layUnits() error {
	layouter, ok := s.Bound.(decode.Layouter)
	if !ok || s.Buffer == nil {
		return nil
	}
	if s.Buffer.Clipped {
		return errSamples
	}
	layout, err := layouter.Layout(s.Buffer.Size)
	if err != nil {
		return layoutError(s.Buffer.Name, err)
	}
	s.Layout, s.Bytes = layout, layout.Units()
	return nil
}

// settingsBytes is how much of a source's stream settings are tried on.
const settingsBytes = 256 << 10

// FindSettings finds those settings of the protocol that are left to be found, by its stream: it is
// part of planning.
func (s *Source) FindSettings(stream decode.Stream) error {
	tuner, ok := s.Bound.(decode.Tuner)
	if !ok {
		return nil
	}
	p, err := decode.ReadAll(First(stream, s.UnitBytes(), settingsBytes))
	if err != nil {
		return fmt.Errorf("source %s: %w", s.Name, err)
	}
	s.Bound, s.Trials = tuner.Tune(p.Data)
	return nil
}

// Stream returns the bytes of the source. notes, if not nil, gets what the stream says of itself at
// its end.
func (s *Source) Stream(notes *[]string) decode.Stream {
	switch b := s.Buffer; {
	case b.Framed:
		return frame.NewReader(b.Data, b.Looked, b.Layout, s.ID)
	case s.Layout != nil:
		return laidStream{s.Layout.Stream(b.Data, b.RingStart), b.Name, notes}
	default:
		return newRawStream(b, b.From)
	}
}

// StreamFrom returns the stream from a capture offset on, or all of it if it cannot be told where
// it is there: late says which.
func (s *Source) StreamFrom(offset int64) (stream decode.Stream, late bool) {
	b := s.Buffer
	switch {
	case offset == 0, s.Layout != nil, b.RingStart != 0, b.Framed && !b.inStep && !b.Layout.Sync:
		return s.Stream(nil), false
	case b.Framed:
		layout := b.Layout
		layout.SkipTo(offset)
		return frame.NewReader(b.Data, b.Looked, layout, s.ID), true
	}
	return newRawStream(b, min(offset, b.Looked)), true
}

// StreamAt returns the stream from the unit at a place in it, which has that capture offset; and lead
// bytes before it, which the decoder has to see. notes are as of [Source.Stream].
func (s *Source) StreamAt(place, offset int64, lead decode.Lead, notes *[]string) (decode.Stream, error) {
	switch b := s.Buffer; {
	case b.Framed && (b.Layout.Steady || b.Layout.Sync && b.RingStart == 0):
		if lead.Bytes > 0 {
			offset = lead.Offset
		}
		return frame.NewReaderAt(b.Data, b.Looked, b.Layout, s.ID, offset)
	case b.Framed || s.Layout != nil:
		return After(s.Stream(notes), s.UnitBytes(), place*int64(s.UnitBytes())-int64(lead.Bytes)), nil
	default:
		return newRawStream(b, min(max(place-int64(lead.Bytes), 0), b.Looked)), nil
	}
}

// UnitBytes returns the bytes of one unit of the source's stream.
func (s *Source) UnitBytes() int {
	if s.Bound == nil {
		return 1
	}
	return s.Bound.UnitBytes()
}

// Unit returns the unit in which lengths of the source are counted.
func (s *Source) Unit() schema.SourceUnit { return UnitOf(s.Bound) }

// UnitOf returns the unit of a protocol, that of bytes if it is nil.
func UnitOf(p decode.Protocol) schema.SourceUnit {
	if p != nil && p.UnitBytes() > 1 {
		return schema.UnitSamples
	}
	return schema.UnitBytes
}

// RegisterTexts returns the values of the source's registers by name.
func (s *Source) RegisterTexts() map[string]string {
	values := map[string]string{}
	for i := range s.Registers {
		name, value := s.Registers[i].Text()
		values[name] = value
	}
	return values
}

// CutOff returns the loss of the unit that the end of the buffer cuts off, which is none of the source's; false if
// there is none, or only some units were decoded.
func (s *Source) CutOff(decoded int64) (schema.Loss, bool) {
	if s.Layout == nil || s.Layout.Rest() == 0 || decoded < s.Layout.Units() {
		return schema.Loss{}, false
	}
	return schema.Loss{
		Key: schema.Key{Offset: s.Buffer.Size - s.Layout.Rest()}, Reason: schema.LossTruncated,
		Detail: fmt.Sprintf("the buffer ends after %s of a record of layout %s", figures.Count(s.Layout.Rest(), "byte"),
			s.Layout.Name()),
	}, true
}

// Loss returns the loss of all bytes of a source that is not decoded.
func (s *Source) Loss() (schema.Loss, error) {
	var piece decode.Piece
	if _, err := s.Stream(nil).Next(&piece); err != nil {
		return schema.Loss{}, err
	}
	reason := schema.LossUnsupported
	if s.Status == schema.StatusUnconfigured {
		reason = schema.LossUnconfigured
	}
	return schema.Loss{
		Key: schema.Key{Offset: int64(piece.Offsets.At(0))}, Bytes: s.Bytes, Reason: reason,
		Detail: s.Problem,
	}, nil
}
