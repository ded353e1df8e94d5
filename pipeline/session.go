package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/archive"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A session is an open capture with the plan for each source. Every verb over a
// capture begins with one.
type session struct {
	archive  *archive.Archive  // nil: the input is none
	unpacked *capture.Unpacked // nil: the input is read where it is
	capture  *capture.Capture
	options  capture.Options // with which it was opened
	inputs   []input
	plan     *plan
	window   *windowing // nil: all is decoded
	tokens   engine.Workers
	decoded  *engine.Budget // units that wait to be stitched
	// packetsOnly reports that sources are judged by their packets alone.
	packetsOnly bool
	attempts    decode.Pool // what attempts decode into
}

// sessionOptions say what to open.
type sessionOptions struct {
	capture capture.Options
	sources []uint8 // to decode; nil: all
	workers int     // at least 1
	// packetsOnly reports that no program is wanted.
	packetsOnly bool
	// protocols are those that are decoded; nil: those of protocols.go.
	protocols []decode.Family
	window    *Window // to decode; nil: all
	// near are the offsets of which the bytes are counted; nil: all.
	near *stretch
	// sample limits the session to the first part of the capture (limits.go),
	// and opens one without trace too.
	sample bool
}

// openSession opens the capture at input and plans its sources. The caller
// closes the session.
func openSession(ctx context.Context, input string, opt sessionOptions) (*session, error) {
	if opt.protocols == nil {
		opt.protocols = protocols()
	}
	var unpacked *capture.Unpacked
	if opt.capture.Unpacked == nil {
		var err error
		if unpacked, err = capture.Unpack(ctx, input, &opt.capture); err != nil {
			return nil, err
		}
		opt.capture.Unpacked = unpacked
	}
	archived, err := openArchive(input, &opt)
	if err != nil {
		return nil, errors.Join(err, unpacked.Close())
	}
	s := &session{
		archive: archived, unpacked: unpacked, options: opt.capture, tokens: engine.NewWorkers(max(1, opt.workers)), decoded: engine.NewBudget(engine.DecodedBytes * int64(opt.workers)),
		packetsOnly: opt.packetsOnly,
	}
	if err := s.open(ctx, input, &opt); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// open opens the capture and plans its sources. If it fails, the caller closes the
// session all the same.
func (s *session) open(ctx context.Context, input string, opt *sessionOptions) (err error) {
	if s.capture, err = capture.Open(input, opt.protocols, opt.capture); err != nil {
		return err
	}
	if s.archive != nil {
		if err := s.archive.CheckInputs(s.capture.Inputs); err != nil {
			return err
		}
	}
	if s.inputs, err = inputsOf(s.capture); err != nil {
		return err
	}
	if opt.window != nil {
		if err := s.openWindow(input, opt.window); err != nil {
			return err
		}
	}
	if s.plan, err = opt.plan(ctx, s.capture, s.tokens, s.window); err != nil {
		return err
	}
	return s.window.place(s.plan)
}

func (o *sessionOptions) plan(ctx context.Context, c *capture.Capture, tokens engine.Workers, w *windowing) (*plan, error) {
	if err := c.Check(); err != nil && (!o.sample || errors.Is(err, capture.ErrEmpty)) {
		return nil, err
	}
	p, err := makePlan(ctx, c, tokens, planOptions{protocols: o.protocols, sample: o.sample, window: w, near: o.near})
	if err != nil {
		return nil, err
	}
	return p, p.selectSources(o.sources)
}

func (s *session) close() {
	if s.capture != nil {
		s.capture.Close()
	}
	if s.archive != nil {
		s.archive.Close()
	}
	s.unpacked.Close()
	s.window.close()
}

// openArchive opens input if it is an archive, and sets the options to open the capture
// in it: those that are not given are as they were recorded. It returns nil if it is
// none.
func openArchive(input string, opt *sessionOptions) (*archive.Archive, error) {
	if opt.capture.Unpacked != nil || opt.capture.Stored != nil || !archive.Is(input) {
		return nil, noStore(input, &opt.capture)
	}
	a, err := archive.Open(input, opt.capture.ImageStore)
	if err != nil {
		return nil, err
	}
	with, missing := a.Apply(opt.capture)
	if opt.sources == nil {
		opt.sources = sourcesOf(&a.Index.Options.Options)
	}
	for _, x := range missing {
		with.Notes = append(with.Notes, x.File+" is not in the archive: give it again, or where it is with --images DIR")
	}
	opt.capture = with
	return a, nil
}

// noStore fails if images of an archive are given, but the input is none.
func noStore(input string, opt *capture.Options) error {
	if opt.ImageStore == "" {
		return nil
	}
	return &capture.InputError{
		File: input, Problem: "is no archive, and --images is where archives keep program memory", Remedy: "leave it out; --image FILE@ADDR is program memory", Err: capture.ErrUsage,
	}
}

// decode decodes a source into sinks and sets its outcome. A source without a
// decoder is one loss. After each unit progress, if not nil, is called with the
// totals of the source so far.
func (s *session) decode(ctx context.Context, src *sourcePlan, to stitch.Sinks, progress func(*schema.Totals)) error {
	var err error
	switch {
	case src.status == schema.StatusDecoded:
		err = s.follow(ctx, src, src.causes.tap(to), progress)
		s.plan.noteStream(src)
		s.plan.warnUndefined(src)
		s.plan.warnExpansion(src)
	case src.bytes > 0:
		err = src.lose(to)
	}
	if err != nil {
		return fmt.Errorf("source %s: %w", schema.SourceText(src.ID), err)
	}
	return nil
}

// follow decodes the stream of a source, or its window.
func (s *session) follow(ctx context.Context, src *sourcePlan, to stitch.Sinks, progress func(*schema.Totals)) error {
	st, check, err := s.window.prepare(src, to)
	if err != nil {
		return err
	}
	stream, lead, err := src.begin()
	if err != nil {
		return s.window.explain(err)
	}
	units := engine.SplitFrom(stream, src.protocol, engine.Usual(src.protocol), lead)
	err = s.stitch(ctx, src, units, st, to.Wanted(), progress)
	if errors.Is(err, errPastWindow) {
		s.decoded, err = engine.NewBudget(s.decoded.Limit()), nil // units after it were dropped
	} else if err == nil {
		err = src.loseCutOff(st)
	}
	if err == nil {
		err = st.Finish()
	}
	src.outcome = st.Outcome
	if err == nil {
		err = s.window.finish(src, check)
	}
	return err
}

// stitch decodes units and stitches them, up to the end of a window: it then fails with
// errPastWindow.
func (s *session) stitch(ctx context.Context, src *sourcePlan, units iter.Seq2[*engine.Unit, error], st *stitch.Stitcher, wanted decode.Wanted, progress func(*schema.Totals)) error {
	src.looked = &image.Pages{}
	memory := src.Memory.Watched(src.looked)
	pool := engine.NewDecoders(&decode.Pool{}, func() decode.Decoder { return src.protocol.NewDecoder(memory, wanted) })
	return engine.Ordered(ctx, s.tokens, engine.Throttled(ctx, s.decoded, units), func(ctx context.Context, u *engine.Unit) (engine.Decoded, error) {
		d, err := pool.Decode(ctx, u)
		s.decoded.Take(d.Bytes)
		return d, err
	}, func(d engine.Decoded) error {
		defer s.decoded.Give(d.Bytes)
		err := st.Stitch(d.Unit)
		if err == nil && progress != nil {
			progress(&st.Outcome.Totals)
		}
		if err == nil && st.Past() {
			err = errPastWindow
		}
		return err
	})
}

// lose accounts for the bytes of a source that is not decoded.
func (s *sourcePlan) lose(to stitch.Sinks) error {
	var piece decode.Piece
	if _, err := s.stream().Next(&piece); err != nil {
		return err
	}
	st := stitch.New(s.ID, decode.TimestampCode{}, to)
	err := st.Stitch(&stitch.Unit{Rows: &decode.Result{}, Losses: []schema.Loss{{
		Key: schema.Key{Offset: int64(piece.Offsets.At(0))}, Bytes: s.bytes, Reason: s.lossReason(), Detail: s.problem,
	}}})
	if err == nil {
		err = st.Finish()
	}
	s.outcome = st.Outcome
	return err
}
