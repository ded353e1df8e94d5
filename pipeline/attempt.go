package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/engine"

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
	fixed     []string          // options NAME=WORD that are not to be tried
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
	return r.setting(map[string]uint64{s.Register: s.Put(old, value)})
}

// setting returns the reading with values for some registers or options.
func (r *reading) setting(values map[string]uint64) *reading {
	changed := &reading{family: r.family, registers: r.registers, set: maps.Clone(r.set), fixed: r.fixed}
	if changed.set == nil {
		changed.set = map[string]uint64{}
	}
	maps.Copy(changed.set, values)
	return changed
}

// registersSet returns NAME=VALUE of the registers that are set, in order.
func (r *reading) registersSet() []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.set)) {
		words = append(words, name+"="+r.text(name))
	}
	return words
}

// text returns the value that is set of a register or an option: in hex, or the word
// for it.
func (r *reading) text(name string) string {
	if o := r.family.Option(name); o != nil {
		if word := o.Word(r.set[name]); word != "" {
			return word
		}
	}
	return fmt.Sprintf("0x%X", r.set[name])
}

// flags returns the registers that are set, to other values than those given, as flags
// of the command line.
func (r *reading) flags() []string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(r.set)) {
		given, ok := r.registers.Lookup(name)
		if o := r.family.Option(name); o != nil && !ok && len(o.Try) == 0 && len(o.Words) > 0 {
			given, ok = o.Words[0].Value, true // the default
		}
		if !ok || given != r.set[name] {
			flags = append(flags, "--reg "+name+"="+r.text(name))
		}
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
	trials            []decode.Trial
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

// guessRate is the rate by which a file is taken for trace of which nothing is known.
// Nearly any bytes are samples in some layout: only a good rate counts, and enough
// offsets into the FIFO.
func (t *attempt) guessRate() float64 {
	rate := t.packetRate()
	if hasLayouts(t.family) && (rate < goodRate || t.outcome.Quality.FIFOChecks < fewChecks) {
		return 0
	}
	return rate
}

// doubtful is how much it takes off a rate if all of something is doubtful: not all, so
// that a setting that is better still shows.
const doubtful = 0.95

func (t *attempt) rateOf(f *verdict.Facts) float64 {
	if t.failed || t.syncs == 0 {
		return 0
	}
	return f.Rate() * (1 - doubtful*t.doubts)
}

func (t *attempt) facts() verdict.Facts {
	f := facts(&t.outcome)
	f.NoProgram = !t.followsProgram()
	return f
}

// mostRate is the highest rate that an attempt at so many bytes can come to, whose outcome
// is o so far, if nothing is doubtful.
func mostRate(o *stitch.Outcome, bytes int64) float64 {
	f := facts(o)
	f.NoProgram = o.Totals.Instructions == 0 // it may be that of another trace
	f.Hope(bytes - f.Bytes)
	return f.Rate()
}

// followsProgram reports whether there is a program that says something: not if there
// is memory, but no instruction in it was wanted, only others.
func (t *attempt) followsProgram() bool {
	wantsOther := t.outcome.Totals.Instructions == 0 && len(t.outcome.Missing.Ranges()) > 0
	return t.hasMemory && !wantsOther
}

// as returns the first bytes of a source as another protocol reads them, or from
// where packets can first be read if that is in the same place of the stream.
func (s *sourcePlan) as(p decode.Protocol, bytes int) (*sourcePlan, error) {
	other := &sourcePlan{Source: s.Source, protocol: p, buffer: s.buffer, bytes: s.bytes, sample: bytes, firstSync: s.firstSync}
	if err := other.layUnits(); err != nil {
		return nil, err
	}
	if !sameLayout(s.layout, other.layout) {
		other.firstSync = schema.Null[int64]{}
	}
	return other, nil
}

// attemptStream returns the stream of a sample of s, and how many bytes it has if that is
// known. Bytes of the buffer are read once for all attempts.
func (s *sourcePlan) attemptStream(sample *sourcePlan) (stream decode.Stream, bytes schema.Null[int64], err error) {
	if sample.layout != nil {
		return sample.stream(), bytes, nil
	}
	if s.kept == nil || s.kept.firstSync != sample.firstSync {
		k, err := keep(sample.stream())
		if err != nil {
			return nil, bytes, err
		}
		k.firstSync, s.kept = sample.firstSync, k
	}
	return s.kept.stream(), schema.Of(s.kept.bytes), nil
}

// sameLayout reports whether a place in the stream is the same place of the buffer in
// both layouts. nil is the bytes of the buffer.
func sameLayout(a, b decode.Layout) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name() == b.Name() && a.Units() == b.Units()
}

// findSync sets where packets could first be read, as far as one protocol knows.
func (s *sourcePlan) findSync(p decode.Protocol) error {
	const overlap = 64 // what a synchronisation may have before and after the end of a piece
	start, err := s.as(p, inspectBytes)
	if err != nil {
		return err
	}
	start.firstSync = schema.Null[int64]{}
	var piece decode.Piece
	var b []byte
	at := int64(0) // of b
	for stream := start.stream(); ; {
		piece.Clear()
		_, err := stream.Next(&piece)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		b = append(b, piece.Data...)
		n, ok := p.Resync(b)
		if ok {
			s.firstSync = schema.Of(at + int64(n))
			return nil
		}
		if n = min(n, len(b)-overlap); n > 0 {
			at, b = at+int64(n), append(b[:0], b[n:]...)
		}
	}
}

// try decodes a sample of a source in another reading. Once its rate is sure to be lower
// than the least, the attempt has failed.
func (s *session) try(ctx context.Context, src *sourcePlan, r *reading, least float64) (*attempt, error) {
	t := &attempt{reading: r, hasMemory: !src.Memory.Empty()}
	protocol, _, err := r.family.Bind(decode.Source{Registers: r, CoreType: src.CoreType, Profile: string(src.Profile)})
	if err != nil {
		t.failed = true // the registers are not of this protocol
		return t, nil
	}
	if _, layouter := protocol.(decode.Layouter); !layouter && !src.firstSync.OK {
		if err := src.findSync(protocol); err != nil {
			return nil, err
		}
	}
	sample, err := src.as(protocol, attemptBytes)
	if err == nil {
		err = sample.tuneSample()
	}
	if err != nil {
		t.failed = true // the layout does not fit the buffer
		return t, ctx.Err()
	}
	t.protocol, t.trials = sample.protocol, sample.trials
	return t, s.decodeAttempt(ctx, src, sample, t, least)
}

// decodeAttempt decodes the sample of an attempt.
func (s *session) decodeAttempt(ctx context.Context, src, sample *sourcePlan, t *attempt, least float64) error {
	stream, bytes, err := src.attemptStream(sample)
	if err != nil {
		return err
	}
	pool := engine.NewDecoders(&s.attempts, func() decode.Decoder { return t.protocol.NewDecoder(src.Memory, decode.Wanted{}) })
	d := doubts{protocol: t.protocol}
	st := stitch.New(src.ID, t.protocol.TimestampCode(), stitch.Sinks{Timestamps: stitch.Tee(nil, d.timestamp)})
	for u, err := range engine.SplitBy(stream, t.protocol, engine.ReadBy(attemptChunk)) {
		if err != nil {
			if t.failed = sample.layout != nil && ctx.Err() == nil; t.failed {
				return nil
			}
			return err
		}
		u.CutUp()
		t.syncs += d.unit(u)
		rows, err := pool.Decode(ctx, u)
		if err != nil {
			return err
		}
		if err := st.Stitch(rows.Unit); err != nil {
			return err
		}
		if sample.layout != nil && t.syncs >= attemptSegments {
			break
		}
		if t.failed = bytes.OK && mostRate(&st.Outcome, bytes.V)*(1-doubtful*d.least()) < least; t.failed {
			return nil
		}
	}
	err = st.Finish()
	t.outcome, t.doubts = st.Outcome, max(d.share(), fifoDoubts(&st.Outcome.Quality, sample.layout != nil))
	return err
}
