package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

const (
	// inspectBytes is how much of a buffer is looked at.
	inspectBytes = 64 << 20
	// sampleBytes is how much of each source is decoded.
	sampleBytes = 1 << 20
)

// An Inspection is what is in a capture and whether it would decode.
type Inspection struct {
	SchemaVersion int                `json:"schema_version"`
	Input         string             `json:"input"`
	Description   string             `json:"description,omitempty"`
	TimestampHz   uint64             `json:"timestamp_hz,omitempty"`
	Buffers       []BufferInspection `json:"buffers"`
	Sources       []SourceInspection `json:"sources"`
	Images        []ImageInspection  `json:"images"`
	Notes         []string           `json:"notes"`
}

// A BufferInspection is what is in a buffer.
type BufferInspection struct {
	schema.BufferBytes
	Format      string `json:"format"`
	FrameOffset int64  `json:"frame_offset"`
	Looked      int64  `json:"looked_at"` // bytes of it that were counted
}

// A SourceInspection is a source and what a sample of it came to.
type SourceInspection struct {
	Source    string            `json:"source"` // hex
	Name      string            `json:"name,omitempty"`
	Protocol  string            `json:"protocol,omitempty"`
	Version   string            `json:"version,omitempty"`
	Core      string            `json:"core,omitempty"`
	Buffer    string            `json:"buffer,omitempty"`
	Status    string            `json:"status"`
	Problem   string            `json:"problem,omitempty"`
	Bytes     int64             `json:"bytes"`
	Settings  []string          `json:"settings,omitempty"` // what the registers say, in words
	Registers map[string]string `json:"registers"`
	Sample    *Sample           `json:"sample,omitempty"`
}

// A Sample is what the first bytes of a stream came to.
type Sample struct {
	Bytes        int64    `json:"bytes"`
	Asyncs       int64    `json:"a_syncs"`
	Segments     int64    `json:"segments"`
	FirstCut     *int64   `json:"first_cut,omitempty"` // capture offset of the first I-sync decoded
	BytesDecoded int64    `json:"bytes_decoded"`
	BytesLost    int64    `json:"bytes_lost"`
	Unplaced     int64    `json:"bytes_unplaced"`
	Instructions int64    `json:"instructions"`
	Exceptions   int64    `json:"exceptions"`
	Estimate     int64    `json:"instructions_estimated"` // for the whole stream
	Missing      []string `json:"missing_memory"`         // most wanted first
	Verdict      string   `json:"verdict"`
}

// An ImageInspection is a region of program memory.
type ImageInspection struct {
	File    string `json:"file"`
	BuildID string `json:"build_id,omitempty"`
	Address string `json:"address"` // hex
	Bytes   int64  `json:"bytes"`
	Space   string `json:"space,omitempty"`
	Core    string `json:"core,omitempty"`
}

// Inspect looks at the first part of a capture: 64 MiB of each buffer and 1 MiB
// of each source, so that its time is bounded.
func Inspect(ctx context.Context, input string, opt capture.Options) (*Inspection, error) {
	c, err := capture.Open(input, opt)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Check(); errors.Is(err, capture.ErrEmpty) {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, b := range c.Buffers {
		sizes[b.Name] = b.Size
		b.Size = min(b.Size, inspectBytes)
	}
	p, err := makePlan(ctx, c)
	if err != nil {
		return nil, err
	}
	in := &Inspection{
		SchemaVersion: schema.Version,
		Input:         input, Description: c.Description, TimestampHz: c.TimestampHz,
		Buffers: []BufferInspection{}, Sources: []SourceInspection{}, Images: []ImageInspection{}, Notes: p.notes,
	}
	if in.Notes == nil {
		in.Notes = []string{}
	}
	for _, b := range p.buffers {
		bi := BufferInspection{BufferBytes: p.account(b), Format: b.Format.String(), FrameOffset: b.layout.Offset, Looked: b.Size}
		bi.Bytes = sizes[b.Name]
		in.Buffers = append(in.Buffers, bi)
	}
	for _, s := range p.sources {
		scale := 1.0
		if s.buffer != nil && s.buffer.Size > 0 {
			scale = float64(sizes[s.buffer.Name]) / float64(s.buffer.Size)
		}
		si, err := s.inspect(ctx, scale)
		if err != nil {
			return nil, err
		}
		in.Sources = append(in.Sources, si)
	}
	for i := range c.Regions {
		r := imageRegion(&c.Regions[i])
		in.Images = append(in.Images, ImageInspection{
			File: r.File, BuildID: r.BuildID, Address: fmt.Sprintf("0x%08x", r.Address), Bytes: r.Bytes, Space: r.Space, Core: r.Core,
		})
	}
	return in, nil
}

// inspect looks at a source. scale is how many times more of it there is than
// was counted.
func (s *sourcePlan) inspect(ctx context.Context, scale float64) (SourceInspection, error) {
	si := SourceInspection{
		Source: fmt.Sprintf("%02x", s.ID), Name: s.Name, Protocol: s.Protocol, Version: s.Version, Core: s.Core,
		Status: schema.SourceStatusNames[s.status], Problem: s.problem, Bytes: s.bytes, Registers: map[string]string{},
	}
	if s.buffer != nil {
		si.Buffer = s.buffer.Name
	}
	for i := range s.Registers {
		name, value := s.Registers[i].Text()
		si.Registers[name] = value
	}
	if s.protocol == nil {
		return si, nil
	}
	si.Version, si.Settings = s.protocol.Version(), s.protocol.Words()
	if s.status != schema.StatusDecoded {
		return si, nil
	}
	sample, err := s.sample(ctx)
	if err != nil {
		return si, err
	}
	if sample.Bytes > 0 {
		sample.Estimate = int64(float64(sample.Instructions) * scale * float64(s.bytes) / float64(sample.Bytes))
	}
	si.Sample = sample
	return si, nil
}

// sample decodes the first bytes of a source.
func (s *sourcePlan) sample(ctx context.Context) (*Sample, error) {
	stream := &sampled{Stream: s.stream(), left: sampleBytes}
	st := newStitcher(s.ID, s.protocol.TimestampCode(), tables{})
	out := &Sample{Missing: []string{}}
	pool := &decoders{new: func() decode.Decoder { return s.protocol.NewDecoder(s.Memory, false) }}
	err := ordered(ctx, newWorkers(1), split(stream, s.protocol), func(ctx context.Context, u *unit) (decoded, error) {
		for _, p := range u.parts {
			out.Asyncs += int64(len(p.Bounds))
		}
		return pool.decode(ctx, u)
	}, func(d decoded) error {
		if out.FirstCut == nil && len(d.rows.Segments) > 0 {
			first := d.rows.Segments[0].Row.Offset
			out.FirstCut = &first
		}
		return st.stitch(d)
	})
	if err == nil {
		err = st.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("source 0x%02x: %w", s.ID, err)
	}
	t := &st.totals
	out.Bytes, out.BytesDecoded, out.BytesLost, out.Unplaced = t.Bytes, t.BytesDecoded, t.BytesLost, t.BytesUnplaced
	out.Segments, out.Instructions, out.Exceptions = t.Segments, t.Instructions, t.Exceptions
	missing := st.missing.Ranges()
	for _, r := range missing[:min(len(missing), 5)] {
		out.Missing = append(out.Missing, fmt.Sprintf("0x%08x-0x%08x (%d stops)", r.First, r.Last, r.Stops))
	}
	out.Verdict = "decodes"
	switch {
	case t.Instructions == 0 && t.DataAccesses == 0:
		out.Verdict = s.cause(t, missing)
	case len(missing) > 0:
		out.Verdict = "decodes in part: program memory is missing"
	case t.BytesLost > 0:
		out.Verdict = fmt.Sprintf("decodes, but for %d bytes lost", t.BytesLost)
	}
	return out, nil
}

// A sampled stream ends early.
type sampled struct {
	decode.Stream
	left int
}

func (s *sampled) Next() (decode.Piece, error) {
	if s.left == 0 {
		return decode.Piece{}, io.EOF
	}
	p, err := s.Stream.Next()
	p.Data = p.Data[:min(len(p.Data), s.left)]
	s.left -= len(p.Data)
	return p, err
}
