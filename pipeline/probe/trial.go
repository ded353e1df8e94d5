package probe

import (
	"context"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/pipeline/stitch"
)

// A trial is settings and what a sample of the stream came to with them.
type trial struct {
	*settings
	protocol          decode.Protocol // nil if it failed
	outcome           stitch.Outcome
	syncs             int64          // I-syncs that cuts are at
	undefined         float64        // share of what no trace unit sends, from 0 to 1, or a little more
	found             []decode.Trial // of settings that the protocol found itself
	hasMemory, failed bool
	suggested         []Suggestion // what was changed for the better
}

// rate is how good the settings are, from 0 to 1.
func (t *trial) rate() float64 {
	f := t.facts()
	return t.rateOf(&f)
}

// packetRate is how good it is by the packets alone: a wrong program does not matter.
func (t *trial) packetRate() float64 {
	f := t.facts()
	f.NoProgram = true
	return t.rateOf(&f)
}

// guessRate is the rate by which a file is taken for trace of which nothing is known.
// Nearly any bytes are samples in some layout: only a good rate counts, and enough
// offsets into the FIFO.
func (t *trial) guessRate() float64 {
	rate := t.packetRate()
	if hasLayouts(t.family) && (rate < goodRate || t.outcome.Quality.FIFOChecks < fewChecks) {
		return 0
	}
	return rate
}

func (t *trial) rateOf(f *reading.Facts) float64 {
	if t.failed || t.syncs == 0 {
		return 0
	}
	return f.Rate() * (1 - doubtful*t.undefined)
}

func (t *trial) facts() reading.Facts {
	f := facts(&t.outcome)
	f.NoProgram = !t.followsProgram()
	return f
}

// mostRate is the highest rate that a trial of so many bytes can come to, whose outcome
// is o so far, if nothing is doubtful.
func mostRate(o *stitch.Outcome, bytes int64) float64 {
	f := facts(o)
	f.NoProgram = o.Totals.Instructions == 0 // it may be that of another trace
	f.Hope(bytes - f.Bytes)
	return f.Rate()
}

// followsProgram reports whether there is a program that says something: not if there
// is memory, but no instruction in it was wanted, only others.
func (t *trial) followsProgram() bool {
	wantsOther := t.outcome.Totals.Instructions == 0 && len(t.outcome.Missing.Ranges()) > 0
	return t.hasMemory && !wantsOther
}

// suggestOptions adds the options in which a trial differs from what is given.
func (t *trial) suggestOptions(given *trial) {
	for i := range t.family.Options {
		o := &t.family.Options[i]
		now, ok := t.set[o.Name]
		before, wasGiven := given.Lookup(o.Name)
		if ok && (!wasGiven || now != before) {
			t.suggested = append(t.suggested,
				Suggestion{Register: o.Name, Means: o.Word(now), With: t.rate(), Without: given.rate()})
		}
	}
}

// trials try other settings on samples.
type trials struct {
	pool decode.Pool // what they decode into
	// byPackets reports that no program is followed: that of the source is another one.
	byPackets bool
}

// run decodes a sample of a source with other settings. Once its rate is sure to be lower
// than the least, the trial has failed.
func (p *trials) run(ctx context.Context, e *Evidence, with *settings, least float64) (*trial, error) {
	src := e.Source
	t := &trial{settings: with, hasMemory: !p.byPackets && !src.Memory.Empty()}
	protocol, _, err := with.family.Bind(decode.Source{
		Registers: with, CoreType: src.CoreType,
		Profile: string(src.Profile),
	})
	if err != nil {
		t.failed = true // the registers are not of this protocol
		return t, nil
	}
	if _, layouter := protocol.(decode.Layouter); !layouter && !e.firstSync.OK {
		if err := e.findSync(protocol); err != nil {
			return nil, err
		}
	}
	sample, err := e.as(protocol, trialBytes)
	if err == nil {
		err = sample.FindSettings(sample.stream(nil))
	}
	if err != nil {
		t.failed = true // the layout does not fit the buffer
		return t, ctx.Err()
	}
	t.protocol, t.found = sample.Bound, sample.Trials
	return t, p.decode(ctx, e, sample, t, least)
}

// decode decodes the sample of a trial.
func (p *trials) decode(ctx context.Context, e *Evidence, sample *sample, t *trial, least float64) error {
	stream, bytes, err := e.trialStream(sample)
	if err != nil {
		return err
	}
	pool := engine.NewDecoders(&p.pool,
		func() decode.Decoder { return t.protocol.NewDecoder(e.Source.Memory, decode.Wanted{}) })
	d := undefined{protocol: t.protocol}
	st := stitch.New(e.Source.ID, t.protocol.TimestampCode(), stitch.Sinks{Timestamps: stitch.Tee(nil, d.timestamp)})
	for u, err := range engine.SplitBy(stream, t.protocol, engine.ReadBy(trialChunk), engine.NoLead) {
		if err != nil {
			if t.failed = sample.Layout != nil && ctx.Err() == nil; t.failed {
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
		if sample.Layout != nil && t.syncs >= trialSegments {
			break
		}
		if t.failed = bytes.OK && mostRate(&st.Outcome, bytes.V)*(1-doubtful*d.least()) < least; t.failed {
			return nil
		}
	}
	err = st.Finish()
	t.outcome, t.undefined = st.Outcome, max(d.share(), fifoUndefined(&st.Outcome.Quality, sample.Layout != nil))
	return err
}

// leastRate is the rate from which a stream may be of a protocol: bytes that are no
// trace rarely have an A-sync, and hardly any packet after it.
const leastRate = 0.1

// A Suggestion is a value of a register with which more decodes.
type Suggestion struct {
	Register string  `json:"register"` // with the bits of the field: "ETMCR[12]"
	Means    string  `json:"means"`
	With     float64 `json:"with"` // rate with and without it, from 0 to 1
	Without  float64 `json:"without"`
}

const (
	// A rate counts as higher if it is by clearly; a low one, by this part of it and at
	// least by a little.
	clearly, partly, little = 0.005, 0.2, 0.0002
	// A remedy has this rate at the least, and this many times the rate there is.
	goodRate, muchBetter = 0.5, 1.05
	// With this rate there is no doubt about the layout, or the program.
	sureRate = 0.9
)
