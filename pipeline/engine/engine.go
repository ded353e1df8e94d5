package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// An Engine decodes sources, one after another, each with all workers.
type Engine struct {
	Workers Workers
	Waiting *Budget // units that wait to be stitched
}

// New returns an engine with so many workers, one at least.
func New(workers int) *Engine {
	workers = max(1, workers)
	return &Engine{Workers: NewWorkers(workers), Waiting: NewBudget(decodedBytes * int64(workers))}
}

// A Job is a source to decode.
type Job struct {
	Source *plan.Source
	To     stitch.Sinks
	Start  *Start       // nil: the beginning of its stream
	Pages  *image.Pages // gets the pages of program memory that its decoders look at; may be nil
	// Progress, if not nil, is called after each unit with the totals of the source so far.
	Progress func(*schema.Totals)
	// Done, if not nil, is called once all of it was decoded.
	Done func() error
}

// A Start is where decoding of a source begins.
type Start struct {
	// Stream returns the bytes from there on; notes gets what the stream says of itself at its end.
	Stream func(notes *[]string) (decode.Stream, error)
	Lead   int // bytes of it before a cut that is known; NoLead: there is none
	// Prepare, if not nil, sets what is known there of what came before.
	Prepare func(*stitch.Stitcher) error
}

// FromStart is the beginning of a source's stream.
func FromStart(s *plan.Source) *Start {
	return &Start{Lead: NoLead, Stream: func(notes *[]string) (decode.Stream, error) { return s.Stream(notes), nil }}
}

// An Outcome is what decoding a source came to.
type Outcome struct {
	stitch.Outcome
	Notes []string // for the user
}

// errPast ends decoding after the last segment that is wanted.
var errPast = errors.New("past the end")

// Decode decodes a source into sinks. One without a decoder is one loss.
func (e *Engine) Decode(ctx context.Context, j Job) (*Outcome, error) {
	o, err := &Outcome{}, error(nil)
	switch s := j.Source; {
	case s.Status == schema.StatusDecoded:
		err = e.follow(ctx, &j, o)
		o.noteDoubts(s)
	case s.Bytes > 0:
		err = o.lose(s, j.To)
	}
	if err != nil {
		return o, fmt.Errorf("source %s: %w", schema.SourceText(j.Source.ID), err)
	}
	if j.Done != nil {
		err = j.Done()
	}
	return o, err
}

// follow decodes the stream of a source, or a part of it.
func (e *Engine) follow(ctx context.Context, j *Job, o *Outcome) error {
	s, start := j.Source, j.Start
	if start == nil {
		start = FromStart(s)
	}
	st := stitch.New(s.ID, s.Bound.TimestampCode(), j.To)
	if start.Prepare != nil {
		if err := start.Prepare(st); err != nil {
			return err
		}
	}
	var notes []string
	stream, err := start.Stream(&notes)
	if err != nil {
		return err
	}
	err = e.stitch(ctx, j, Split(stream, s.Bound, start.Lead), st)
	if errors.Is(err, errPast) {
		e.Waiting, err = NewBudget(e.Waiting.limit), st.Finish() // units after it were dropped
	} else if err == nil {
		err = end(st, s)
	}
	o.Outcome = st.Outcome
	for _, note := range notes {
		o.note("source %s: %s", s.Name, note)
	}
	return err
}

// end ends a source, all of whose units were stitched.
func end(st *stitch.Stitcher, s *plan.Source) error {
	if err := st.Commit(); err != nil {
		return err
	}
	if loss, ok := s.CutOff(st.At()); ok {
		if err := st.Lose(loss); err != nil {
			return err
		}
	}
	return st.Finish()
}

// stitch decodes units and stitches them, up to the last one that is wanted: then it fails
// with errPast.
func (e *Engine) stitch(ctx context.Context, j *Job, units Units, st *stitch.Stitcher) error {
	if j.Pages == nil {
		j.Pages = &image.Pages{}
	}
	memory, wanted := j.Source.Memory.Watched(j.Pages), j.To.Wanted()
	pool := NewDecoders(&decode.Pool{}, func() decode.Decoder { return j.Source.Bound.NewDecoder(memory, wanted) })
	work := func(ctx context.Context, u *Unit) (Decoded, error) {
		d, err := pool.Decode(ctx, u)
		e.Waiting.Take(d.Bytes)
		return d, err
	}
	return Ordered(ctx, e.Workers, Throttled(ctx, e.Waiting, units), work, func(d Decoded) error {
		defer e.Waiting.Give(d.Bytes)
		err := st.Stitch(d.Unit)
		if err == nil && j.Progress != nil {
			j.Progress(&st.Outcome.Totals)
		}
		if err == nil && st.Past() {
			err = errPast
		}
		return err
	})
}

// lose accounts for the bytes of a source that is not decoded.
func (o *Outcome) lose(s *plan.Source, to stitch.Sinks) error {
	loss, err := s.Loss()
	if err != nil {
		return err
	}
	st := stitch.New(s.ID, decode.TimestampCode{}, to)
	err = st.Stitch(&stitch.Unit{Rows: &decode.Result{}, Losses: []schema.Loss{loss}})
	if err == nil {
		err = st.Finish()
	}
	o.Outcome = st.Outcome
	return err
}

// maxPerByte is how many instructions a byte of trace may come to before the user
// is asked whether the program is the right one.
const maxPerByte = 1000

// noteDoubts notes the packets of a source that its registers do not allow, and that it makes far
// more instructions of a byte than any program does: five atoms of a byte of PFT, with blocks of ten
// instructions, are fifty.
func (o *Outcome) noteDoubts(s *plan.Source) {
	for _, packets := range o.Quality.Undefined {
		o.note("source %s has %s, which version %s of %s does not have: is ETMIDR right? "+
			"--reg ETMIDR=VALUE corrects it",
			s.Name, packets, s.Version, s.Protocol)
	}
	if t := &o.Totals; t.Bytes > 0 && t.Instructions/t.Bytes >= maxPerByte {
		o.note("source %s has %d instructions for each byte of trace: is this the program that ran? "+
			"straight code without branches, as of erased memory, does this", s.Name, t.Instructions/t.Bytes)
	}
}

func (o *Outcome) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}
