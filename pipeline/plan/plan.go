// Package plan says what is in the buffers of a capture, and how each source is decoded: by which
// protocol, with which settings and program. It reads the first bytes of a source and the frames of a
// buffer, and decodes nothing.
//
// Its API is not stable (docs/guide/library.md).
package plan

import (
	"context"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Plan is the buffers of a capture and its sources.
type Plan struct {
	Capture  *capture.Capture
	Families []decode.Family
	Buffers  []*Buffer
	Sources  []*Source // by buffer, then as configured, then by ID
	Notes    []string  // for the user
}

// Options say what to plan.
type Options struct {
	Families []decode.Family // protocols that are decoded
	Sources  []uint8         // trace IDs; nil: all
	Looked   int64           // bytes of each buffer to look at; 0: all
	Near     *Range          // of whose bytes the frames are counted; nil: all
	// Clip, if not nil, leaves only some bytes of a buffer.
	Clip func(*Buffer) error
	// Index says what is in the frames of a buffer.
	Index func(context.Context, *Buffer) (*frame.Census, error)
}

// TracesData says whether a source that is decoded traces data.
func (p *Plan) TracesData() bool {
	return slices.ContainsFunc(p.Decoded(), func(s *Source) bool { return s.Bound.TracesData() })
}

// Decoded returns the sources that have bytes and a decoder.
func (p *Plan) Decoded() []*Source {
	var decoded []*Source
	for _, s := range p.Sources {
		if s.Status == schema.StatusDecoded {
			decoded = append(decoded, s)
		}
	}
	return decoded
}

// Dialect is how the code of a core is read: as the first source of it that is decoded does, of "" the
// first of any core.
func (p *Plan) Dialect(core string) isa.Dialect {
	for _, s := range p.Decoded() {
		if core == "" || s.Core == core {
			return s.dialect()
		}
	}
	return isa.PFT
}

// Account says what the bytes of a buffer are.
func (p *Plan) Account(b *Buffer) schema.BufferBytes {
	a := schema.BufferBytes{
		Name: b.Name, Bytes: b.Looked - b.From, Streams: map[string]int64{},
		Overhead: map[string]int64{},
	}
	if b.Index == nil {
		for _, s := range p.Sources {
			switch {
			case s.Buffer != b:
			case s.Layout != nil:
				overhead, rest := s.Layout.Overhead(), s.Layout.Rest()
				a.Bytes = b.Size
				a.Streams[schema.SourceText(s.ID)] = b.Size - overhead - rest
				a.Overhead["layout"], a.Overhead["incomplete"] = overhead, rest
			default:
				a.Streams[schema.SourceText(s.ID)] = s.Bytes
			}
		}
		return a
	}
	for id, n := range b.Index.Streams {
		if n > 0 && frame.IsSource(uint8(id)) {
			a.Streams[schema.SourceText(uint8(id))] = n
		}
	}
	o := &b.Index.Overhead
	a.Overhead = map[string]int64{
		"id": o.ID, "aux": o.Aux, "padding": o.Padding, "reserved": o.Reserved, "flush": o.Flush, "trigger": o.Trigger,
		"unknown": o.Unknown, "sync": o.Sync, "unaligned": o.Unaligned - b.From, "incomplete": o.Incomplete,
	}
	return a
}
