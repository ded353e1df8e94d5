package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
)

// A Guess is how a raw file can be read of which nothing is known: every protocol is
// tried, as one stream and in formatter frames, in every setting.
type Guess struct {
	Framed      bool       `json:"framed"`
	FrameOffset int64      `json:"frame_offset"`
	Confidence  Confidence `json:"confidence"` // of the framing
	Tried       []Tried    `json:"tried"`      // the best first

	streams []*guessedStream
}

// A Tried is a protocol and a framing, and what a sample of the file comes to in the
// best setting of registers.
type Tried struct {
	Protocol string        `json:"protocol"`
	Framed   bool          `json:"framed"`
	Unit     string        `json:"unit"`    // in which Decoded counts
	Decoded  reading.Share `json:"decoded"` // of all streams
	ISyncs   int64         `json:"i_syncs"` // cuts, at which decoding can begin
	Cut      string        `json:"-"`       // what people call one
	Rate     float64       `json:"rate"`    // decoded, less what no trace unit sends: from 0 to 1
}

// A Guessed is what a source of such a file is.
type Guessed struct {
	Confidence Confidence `json:"confidence"`
	Tried      []Tried    `json:"tried"` // the best first
	// Unseen are settings that the packets do not show, but a program would.
	Unseen []string `json:"unseen"`
}

// Confidence is how sure a guess is.
type Confidence uint8

// The confidences, rising.
const (
	NoGuess Confidence = iota
	Uncertain
	Likely
	Certain
)

func (c Confidence) String() string { return [...]string{"none", "uncertain", "likely", "certain"}[c] }

// MarshalText returns the name of c.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// confidence rates the best of some rates against the next.
func confidence(best, next float64, isyncs int64) Confidence {
	switch {
	case best < leastRate:
		return NoGuess
	case best >= 0.9 && next < 0.5 && isyncs >= 3:
		return Certain
	case best >= 0.7 && next < best-0.2:
		return Likely
	}
	return Uncertain
}

// A guessedStream is a source of a file, and the best trial of each protocol.
type guessedStream struct {
	id     uint8
	bytes  int64
	trials []*trial // the best first
	// foreign is what it is of no protocol that is decoded; nil: it is not known.
	foreign *identify.Finding
	data    bool // it is that of the data which the source of the ID before it traces
}

// splitsData reports whether its source sends data in a stream of its own, by its best trial.
func (g *guessedStream) splitsData() bool {
	field := g.best().family.DataStream
	v, ok := g.best().Lookup(field.Register)
	return g.confidence() != NoGuess && field.Register != "" && ok && field.Get(v) != 0
}

func (g *guessedStream) best() *trial { return g.trials[0] }

// rates returns those of the best two protocols.
func (g *guessedStream) rates() (best, next float64) {
	if len(g.trials) > 1 {
		next = g.trials[1].guessRate()
	}
	return g.best().guessRate(), next
}

func (g *guessedStream) confidence() Confidence {
	if g.foreign != nil {
		return NoGuess
	}
	best, next := g.rates()
	return confidence(best, next, g.best().syncs)
}

// A framing is a way to see streams in a file.
type framing struct {
	framed  bool
	offset  int64
	streams []*guessedStream
	foreign map[uint8]*identify.Finding // sources that are of no protocol which is decoded
	narrow  error                       // of protocols that the program given is none for; nil: of all it may be
}

// rate is the part of all bytes that can be read.
func (f *framing) rate() float64 {
	var good, bytes float64
	for _, s := range f.streams {
		if s.foreign != nil {
			continue
		}
		best, _ := s.rates()
		good += best * float64(s.bytes)
		bytes += float64(s.bytes)
	}
	return good / max(bytes, 1)
}

// confidence is that of the surest source, unless another framing is nearly as good.
func (f *framing) confidence(next *framing) Confidence {
	best := NoGuess
	for _, s := range f.streams {
		best = max(best, s.confidence())
	}
	if best != NoGuess && next.rate() > f.rate()/2 {
		return Uncertain
	}
	return best
}

// guess tries every way to read a raw file. foreign are sources in frames that are of no protocol which
// is decoded.
func guess(ctx context.Context, input string, opt *Options, foreign map[uint8]*identify.Finding) (*Guess, error) {
	plain, framed := &framing{}, &framing{framed: true, foreign: foreign}
	all := []*framing{plain, framed}
	if opt.Capture.Framed || opt.Capture.FrameOffset != nil {
		all = all[1:]
	}
	for _, f := range all {
		if err := f.tryAll(ctx, input, opt, false); err != nil {
			return nil, err
		}
	}
	best, next := plain, framed
	if framed.rate() > plain.rate() {
		best, next = framed, plain
	}
	if all[0] == plain && best.confidence(next) < Likely {
		if err := plain.tryAll(ctx, input, opt, true); err != nil {
			return nil, err
		}
		if plain.rate() >= framed.rate() {
			best, next = plain, framed
		}
	}
	g := &Guess{
		Framed: best.framed, FrameOffset: best.offset, Confidence: best.confidence(next), streams: best.streams,
	}
	g.findData()
	if g.Confidence == NoGuess && best.narrow != nil {
		return nil, best.narrow
	}
	g.Tried = slices.Concat(best.tried(opt.Families), next.tried(opt.Families))
	slices.SortStableFunc(g.Tried, func(a, b Tried) int { return cmp.Compare(b.Rate, a.Rate) })
	return g, nil
}

// findData finds the streams of data: those of odd IDs, each after that of its instructions.
func (g *Guess) findData() {
	for _, s := range g.streams {
		s.data = g.Framed && s.id&1 == 1 && s.confidence() == NoGuess &&
			slices.ContainsFunc(g.streams, func(x *guessedStream) bool { return x.id == s.id-1 && x.splitsData() })
	}
}

// An attempt is a protocol tried on a framing: the bytes of each source, and how it can be read.
type attempt struct {
	opt    Options
	family *decode.Family
	offset int64 // where frames begin, by the synchronisation of the protocol
	trials []*trial
	bytes  []int64 // of each trial; -1: they lie as a layout says
	ids    []uint8
}

// good is how many bytes can be read.
func (a *attempt) good() float64 {
	n := 0.0
	for i, t := range a.trials {
		n += t.guessRate() * float64(a.bytes[i])
	}
	return n
}

// tryAll tries all protocols that have layouts, or all others. Frames begin where the protocol says
// that can read most.
func (f *framing) tryAll(ctx context.Context, input string, opt *Options, layouts bool) error {
	var all []*attempt
	for i := range opt.Families {
		a := &attempt{opt: *opt, family: &opt.Families[i]}
		if hasLayouts(a.family) != layouts {
			continue
		}
		var ok bool
		if a.opt.Capture.Regs, ok = regsFor(a.family, opt.Families, opt.Capture.Regs); !ok {
			continue
		}
		if err := f.try(ctx, input, a); err != nil {
			return err
		}
		all = append(all, a)
	}
	if len(all) == 0 {
		return nil
	}
	f.offset = slices.MaxFunc(all, func(a, b *attempt) int { return cmp.Compare(a.good(), b.good()) }).offset
	for _, a := range all {
		if a.offset != f.offset {
			a.opt.Capture.FrameOffset = &f.offset
			if err := f.try(ctx, input, a); err != nil {
				return err
			}
		}
		f.add(a)
	}
	return nil
}

// try tries a protocol on all streams of a framing.
func (f *framing) try(ctx context.Context, input string, a *attempt) error {
	a.trials, a.bytes, a.ids = nil, nil, nil
	c, fixed := a.opt.Capture, a.opt.Capture.Regs
	c.Protocol, c.Framed, c.Regs = a.family.Name, f.framed, withAnyLayout(a.family, fixed)
	s, err := a.opt.sample(ctx, input, c, nil)
	if _, nothing := errors.AsType[*plan.NothingError](err); nothing {
		return nil // it is not in frames
	}
	if errors.Is(err, capture.ErrAArch32) {
		f.narrow = err
		return nil
	}
	if err != nil {
		return err
	}
	defer s.close()
	for _, src := range s.plan.Sources {
		if src.Bound == nil || src.Bytes == 0 || src.Protocol != a.family.Name {
			continue
		}
		a.offset = src.Buffer.Layout.Offset
		e, with := NewEvidence(src), &settings{family: a.family, registers: src.Registers, fixed: fixed}
		t, err := s.prober.run(ctx, e, with.combinations()[0], 0)
		if err != nil {
			return err
		}
		if t, err = s.prober.best(ctx, e, t); err != nil {
			return err
		}
		bytes := src.Bytes
		if src.Layout != nil {
			bytes = -1
		}
		a.trials, a.bytes, a.ids = append(a.trials, t), append(a.bytes, bytes), append(a.ids, src.ID)
	}
	return nil
}

// add adds an attempt to the streams, each of which has its best trial first.
func (f *framing) add(a *attempt) {
	for i, t := range a.trials {
		s := f.stream(a.ids[i])
		if a.bytes[i] >= 0 {
			s.bytes = a.bytes[i]
		}
		s.trials = append(s.trials, t)
		slices.SortStableFunc(s.trials, func(a, b *trial) int { return cmp.Compare(b.guessRate(), a.guessRate()) })
	}
}

// stream returns the stream of an ID.
func (f *framing) stream(id uint8) *guessedStream {
	for _, s := range f.streams {
		if s.id == id {
			return s
		}
	}
	s := &guessedStream{id: id, foreign: f.foreign[id]}
	f.streams = append(f.streams, s)
	return s
}

// tried sums up the trials of each protocol.
func (f *framing) tried(families []decode.Family) []Tried {
	var all []Tried
	for i := range families {
		t, bytes := Tried{Protocol: families[i].Name, Cut: families[i].Sync.Cut, Framed: f.framed}, 0.0
		for _, s := range f.streams {
			for _, a := range s.trials {
				if a.family.Name == t.Protocol {
					t.add(a)
					t.Rate += a.guessRate() * float64(s.bytes)
					bytes += float64(s.bytes)
				}
			}
		}
		if bytes > 0 {
			t.Rate /= bytes
			all = append(all, t)
		}
	}
	return all
}

func (t *Tried) add(a *trial) {
	t.Decoded.N += a.outcome.Totals.BytesDecoded
	t.Decoded.Total += a.outcome.Totals.Bytes
	t.ISyncs += a.syncs
	t.Unit = plan.UnitOf(a.protocol).String()
}

// guessed returns what is known of a stream.
func (g *guessedStream) guessed(framed bool) *Guessed {
	x := &Guessed{Confidence: g.confidence(), Unseen: []string{}}
	for _, a := range g.trials {
		t := Tried{Protocol: a.family.Name, Cut: a.family.Sync.Cut, Framed: framed, Rate: a.guessRate()}
		t.add(a)
		x.Tried = append(x.Tried, t)
	}
	if x.Confidence == NoGuess {
		return x
	}
	best := g.best()
	if best.followsProgram() {
		return x
	}
	for i := range best.family.Settings {
		if s := &best.family.Settings[i]; s.NeedsProgram {
			x.Unseen = append(x.Unseen, fmt.Sprintf("%s (%s)", s.Means[len(s.Means)-1], s.Field()))
		}
	}
	return x
}
