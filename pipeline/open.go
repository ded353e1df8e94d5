package pipeline

import (
	"context"
	"errors"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/pipeline/window"
)

// A session is an open capture and the plan for each source.
type session struct {
	*keep.Input
	plan   *plan.Plan
	window *window.Opened // nil: all is decoded
	engine *engine.Engine
}

// open opens the capture at input and plans its sources: of opt it takes Capture, Families, Sources, Window and
// Workers. near, if not nil, is of which the bytes are counted. The caller closes it.
func open(ctx context.Context, input string, opt Options, near *plan.Range) (*session, error) {
	opt.Families = orAll(opt.Families)
	in, err := keep.Open(ctx, input, opt.Families, opt.Capture)
	if err != nil {
		return nil, identified(ctx, input, opt.Capture, err)
	}
	s := &session{Input: in, engine: engine.New(orProcessors(opt.Workers))}
	if err := s.makePlan(ctx, input, &opt, near); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// identified returns, of a file that does not say what its protocol is, what it is if it is no trace that is
// decoded, and of a dataset that it is one; else err.
func identified(ctx context.Context, input string, opt capture.Options, err error) error {
	found, e := identify.Path(input)
	if e == nil && found.Kind == identify.Dataset {
		return &identify.Error{Input: input, Found: found}
	}
	if !errors.Is(err, capture.ErrNoProtocol) {
		return err
	}
	u := opt.Unpacked
	if u == nil {
		if u, e = capture.Unpack(ctx, input, &opt); e != nil {
			return err
		}
		defer u.Close()
	}
	if u != nil {
		found, e = identify.Content(u.Name, u.File)
	}
	if e != nil || found.Kind == identify.Unknown {
		return err
	}
	return &identify.Error{Input: input, Found: found}
}

// makePlan plans the sources, or what of them is in the window: that of an archive is its own index, if
// no other is given.
func (s *session) makePlan(ctx context.Context, input string, opt *Options, near *plan.Range) (err error) {
	if w := opt.Window; w != nil {
		if s.Archive != nil && w.Index == "" {
			w = &Window{Span: w.Span, Index: input}
		}
		if s.window, err = window.Open(w, s.Files); err != nil {
			return err
		}
	}
	if err := s.Capture.Check(); err != nil {
		return err
	}
	o := plan.Options{Families: opt.Families, Sources: s.Sources(opt.Sources), Near: near}
	s.window.Options(&o, s.engine.Workers.Index)
	if s.plan, err = plan.New(ctx, s.Capture, o); err == nil {
		s.plan.Sources, err = s.window.Place(s.plan)
	}
	return err
}

func (s *session) close() {
	s.Close()
	s.window.Close()
}
