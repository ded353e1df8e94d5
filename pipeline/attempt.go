package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// A reading is one way to read a stream: a protocol and the values of its
// registers.
type reading struct {
	family    *decode.Family
	registers decode.Registers  // as given, or the defaults
	set       map[string]uint64 // those to set in place of them
}

// Lookup implements [decode.Registers].
func (r *reading) Lookup(name string) (uint64, bool) {
	if v, ok := r.set[name]; ok {
		return v, true
	}
	return r.registers.Lookup(name)
}

// with returns the reading with one value of a setting, nil if it has that
// already or no such register.
func (r *reading) with(s *decode.Setting, value uint64) *reading {
	old, ok := r.Lookup(s.Register)
	if !ok || s.Put(old, value) == old {
		return nil
	}
	changed := &reading{family: r.family, registers: r.registers, set: map[string]uint64{s.Register: s.Put(old, value)}}
	for name, v := range r.set {
		if name != s.Register {
			changed.set[name] = v
		}
	}
	return changed
}

// registersSet returns NAME=VALUE of the registers that are set, in order.
func (r *reading) registersSet() []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.set)) {
		words = append(words, fmt.Sprintf("%s=0x%X", name, r.set[name]))
	}
	return words
}

// flags returns the registers that are set as flags of the command line.
func (r *reading) flags() []string {
	var flags []string
	for _, word := range r.registersSet() {
		flags = append(flags, "--reg "+word)
	}
	return flags
}

// defaults are the registers that a family assumes where none are given.
type defaults []decode.RegisterDefault

// Lookup implements [decode.Registers].
func (d defaults) Lookup(name string) (uint64, bool) {
	for _, r := range d {
		if strings.EqualFold(r.Register, name) {
			return r.Value, true
		}
	}
	return 0, false
}

// An attempt is a reading and what a sample of the stream came to under it.
type attempt struct {
	*reading
	protocol          decode.Protocol // nil if it failed
	outcome           stitch.Outcome
	syncs             int64   // I-syncs that cuts are at
	doubts            float64 // share of what no trace unit sends, from 0 to 1
	hasMemory, failed bool
	suggested         []Suggestion // what was changed for the better
}

// rate is how good the reading is, from 0 to 1.
func (t *attempt) rate() float64 {
	f := t.facts()
	return t.rateOf(&f)
}

// packetRate is how good it is by the packets alone: a wrong program does not matter.
func (t *attempt) packetRate() float64 {
	f := t.facts()
	f.NoProgram = true
	return t.rateOf(&f)
}

func (t *attempt) rateOf(f *verdict.Facts) float64 {
	if t.failed || t.syncs == 0 {
		return 0
	}
	return f.Rate() * (1 - t.doubts)
}

func (t *attempt) facts() verdict.Facts {
	f := facts(&t.outcome)
	f.NoProgram = !t.followsProgram()
	return f
}

// followsProgram reports whether there is a program that says something: not if there
// is memory, but no instruction in it was wanted, only others.
func (t *attempt) followsProgram() bool {
	wantsOther := t.outcome.Totals.Instructions == 0 && len(t.outcome.Missing.Ranges()) > 0
	return t.hasMemory && !wantsOther
}

// attempted returns the sample of the stream that is decoded in each way.
func (s *sourcePlan) attempted() decode.Stream {
	sample := &sourcePlan{Source: s.Source, buffer: s.buffer, bytes: s.bytes, sample: attemptBytes}
	return sample.stream()
}

// synchronises reports whether the sample has a place from which packets could be
// read: without one no setting helps.
func (s *sourcePlan) synchronises(p decode.Protocol) (bool, error) {
	var b []byte
	for stream := s.attempted(); ; {
		piece, err := stream.Next()
		if errors.Is(err, io.EOF) {
			_, ok := p.Resync(b)
			return ok, nil
		}
		if err != nil {
			return false, err
		}
		b = append(b, piece.Data...)
	}
}

// try decodes a sample of a source in another reading.
func (s *session) try(ctx context.Context, src *sourcePlan, r *reading) (*attempt, error) {
	t := &attempt{reading: r, hasMemory: !src.Memory.Empty()}
	protocol, _, err := r.family.Bind(decode.Source{Registers: r, CoreType: src.CoreType, Profile: string(src.Profile)})
	if err != nil {
		t.failed = true // the registers are not of this protocol
		return t, nil
	}
	pool := &decoders{new: func() decode.Decoder { return protocol.NewDecoder(src.Memory, false) }}
	d := doubts{protocol: protocol}
	t.protocol = protocol
	st := stitch.New(src.ID, protocol.TimestampCode(), stitch.Sinks{Timestamps: &tapped[schema.Timestamp]{see: d.timestamp}})
	for u, err := range splitBy(src.attempted(), protocol, grain{unitBytes, partBytes, attemptChunk}) {
		if err != nil {
			return nil, err
		}
		t.syncs += d.unit(u)
		rows, err := pool.decode(ctx, u)
		if err != nil {
			return nil, err
		}
		if err := st.Stitch(rows.Unit); err != nil {
			return nil, err
		}
	}
	err = st.Finish()
	t.outcome, t.doubts = st.Outcome, d.share()
	return t, err
}

// refine improves an attempt, and says what was changed.
func (s *session) refine(ctx context.Context, src *sourcePlan, a *attempt) (*attempt, error) {
	if a.failed {
		return a, nil
	}
	ok, err := src.synchronises(a.protocol)
	if err != nil || !ok {
		return a, err
	}
	if a, err = s.improve(ctx, src, a); err != nil {
		return nil, err
	}
	return a, s.suggest(ctx, src, a)
}

// improve changes one setting after another for the better, until none is. A change
// has to be clearly better: a tie says nothing.
func (s *session) improve(ctx context.Context, src *sourcePlan, best *attempt) (*attempt, error) {
	for {
		changed, err := s.improveOnce(ctx, src, best)
		if err != nil || changed == best {
			return best, err
		}
		best = changed
	}
}

const (
	// clearly is how much higher a rate has to be to count.
	clearly = 0.005
	// A remedy has this rate at the least, and this many times the rate there is.
	goodRate, muchBetter = 0.5, 1.05
)

// improveOnce tries every value of every setting, each with the best of the others
// so far.
func (s *session) improveOnce(ctx context.Context, src *sourcePlan, best *attempt) (*attempt, error) {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		if setting.NeedsProgram && !best.followsProgram() {
			continue
		}
		for _, value := range setting.Values {
			r := best.with(setting, value)
			if r == nil {
				continue
			}
			t, err := s.try(ctx, src, r)
			if err != nil {
				return nil, err
			}
			if t.improves(best, setting.NeedsProgram) {
				best = t
			}
		}
	}
	return best, nil
}

// improves reports whether t is clearly better than the best so far. What only the
// program shows counts if it is the program that ran.
func (t *attempt) improves(best *attempt, needsProgram bool) bool {
	switch {
	case needsProgram && t.rate() < goodRate:
		return false
	case t.followsProgram() != best.followsProgram() && t.packetRate() > best.packetRate()-clearly:
		return t.followsProgram()
	}
	return t.rate() > best.rate()+clearly && t.packetRate() > best.packetRate()-clearly
}

// suggest sets what was changed, each with how well the sample reads without it.
func (s *session) suggest(ctx context.Context, src *sourcePlan, best *attempt) error {
	for i := range best.family.Settings {
		setting := &best.family.Settings[i]
		given, ok := best.registers.Lookup(setting.Register)
		now, _ := best.Lookup(setting.Register)
		if !ok || setting.Get(given) == setting.Get(now) {
			continue
		}
		without, err := s.try(ctx, src, best.with(setting, setting.Get(given)))
		if err != nil {
			return err
		}
		best.suggested = append(best.suggested, Suggestion{
			Register: setting.Field(), Means: setting.Words(now), With: best.rate(), Without: without.rate(),
		})
	}
	return nil
}

// suggestions returns the values of registers with which a sample of a source reads
// better, if not all is well with those it has.
func (s *session) suggestions(ctx context.Context, src *sourcePlan) ([]Suggestion, error) {
	i := slices.IndexFunc(s.plan.protocols, func(f decode.Family) bool { return f.Name == src.Protocol })
	now, err := s.try(ctx, src, &reading{family: &s.plan.protocols[i], registers: src.Registers})
	if err != nil || now.doubts == 0 && src.verdict.Status == verdict.Good {
		return nil, err
	}
	best, err := s.refine(ctx, src, now)
	if err != nil || best.rate() < goodRate {
		return nil, err
	}
	return best.suggested, nil
}

// remedy returns the best other way to read a source, nil if none is much better
// than the way it was read.
func (s *session) remedy(ctx context.Context, src *sourcePlan) (*verdict.Remedy, error) {
	now, best, err := s.bestReading(ctx, src)
	if err != nil || best.rate() < goodRate || best.rate() < muchBetter*now.rate() {
		return nil, err
	}
	f := best.facts()
	r := &verdict.Remedy{Flags: s.flags(src, best), Right: f.Right()}
	if best.family.Name != src.Protocol {
		r.Protocol = best.family.Name
	}
	return r, nil
}

// flags returns what the command line needs so that a source is read in this way.
// --protocol is for raw files; in a snapshot ETMIDR decides.
func (s *session) flags(src *sourcePlan, a *attempt) []string {
	var flags []string
	if s.severalSources() {
		flags = append(flags, "--source "+schema.SourceText(src.ID))
	}
	if a.family.Name == src.Protocol {
		return append(flags, a.flags()...)
	}
	if s.capture.Raw() {
		flags = append(flags, "--protocol "+a.family.Name)
		return append(flags, a.flags()...)
	}
	all := &reading{set: map[string]uint64{}}
	for _, d := range a.family.Defaults {
		all.set[d.Register], _ = a.Lookup(d.Register)
	}
	return append(flags, all.flags()...)
}

// severalSources reports whether more than one source has bytes and a decoder.
func (s *session) severalSources() bool {
	n := 0
	for _, src := range s.plan.sources {
		if src.status == schema.StatusDecoded {
			n++
		}
	}
	return n > 1
}

// bestReading returns how a sample decodes as the source was read, and the best
// way there is.
func (s *session) bestReading(ctx context.Context, src *sourcePlan) (now, best *attempt, err error) {
	for i := range s.plan.protocols {
		family := &s.plan.protocols[i]
		if !family.ETM && family.Name != src.Protocol {
			continue
		}
		r := &reading{family: family, registers: defaults(family.Defaults)}
		if family.Name == src.Protocol {
			r.registers = src.Registers
		}
		t, err := s.try(ctx, src, r)
		if err != nil {
			return nil, nil, err
		}
		if family.Name == src.Protocol {
			now = t
		}
		if t, err = s.refine(ctx, src, t); err != nil {
			return nil, nil, err
		}
		if best == nil || t.rate() > best.rate()+clearly {
			best = t
		}
	}
	return now, best, nil
}
