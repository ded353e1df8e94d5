package pipeline

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// tuneSample finds those settings of a source's protocol that are left to be found.
func (s *sourcePlan) tuneSample() error {
	tuner, ok := s.protocol.(decode.Tuner)
	if !ok {
		return nil
	}
	b, err := s.first(attemptBytes)
	if err == nil {
		s.protocol, s.trials = tuner.Tune(b)
	}
	return err
}

// tune finds the settings that are left to be found, and notes them.
func (p *plan) tune(s *sourcePlan) error {
	if err := s.tuneSample(); err != nil || len(s.trials) == 0 {
		return err
	}
	best := &s.trials[0]
	p.note("source %s: of the settings on trial %s fits best, and is taken: %d of %d checks are right, %d errors",
		s.Name, best.Settings, best.Right, best.Checks, best.Errors)
	if len(s.trials) > 1 {
		if next := &s.trials[1]; next.Right == best.Right && next.Checks == best.Checks && next.Errors == best.Errors {
			p.note("source %s: %s fits as well", s.Name, next.Settings)
		}
	}
	return nil
}

// first returns the first bytes of the source's stream, n of them if there are as many.
func (s *sourcePlan) first(n int) ([]byte, error) {
	var p decode.Piece
	for stream := (&sampledStream{Stream: s.stream(), unitBytes: int(s.unitBytes()), left: n}); ; {
		_, err := stream.Next(&p)
		switch {
		case errors.Is(err, io.EOF):
			return p.Data, nil
		case err != nil:
			return nil, fmt.Errorf("source %s: %w", s.Name, err)
		}
	}
}
