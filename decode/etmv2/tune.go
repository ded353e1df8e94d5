package etmv2

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// A score is how well the samples of a stream fit a configuration, without the program
// (docs/etmv2.md §8.5).
type score struct {
	packets int64 // TFO packets that could be read
	checks  int64 // TFO values that could be compared with the bytes owed
	right   int64 // of those
	errors  int64 // losses
}

// value is higher for a better fit: the right options have every value right and no
// loss.
func (s score) value() int64 { return s.right - s.errors - (s.checks - s.right) }

// score frames the samples of b.
func (c *Config) score(b []byte) score {
	var s score
	b = b[:len(b)/port.SampleBytes*port.SampleBytes]
	at := c.NewCutter().Find(b, true).At
	frames := newFramer(c)
	for i, cut := range at {
		end := len(b)
		if i+1 < len(at) {
			end = at[i+1].At
		}
		ahead := min(len(b), end+reach*port.SampleBytes)
		frames.begin(&decode.Part{Data: b[cut.At:end], Ahead: b[end:ahead]}, cut.Before > 0)
		s.segment(frames)
	}
	return s
}

// segment frames a segment.
func (s *score) segment(frames *framer) {
	var p TFO
	if !s.sound(frames.tfo(&p)) {
		return
	}
	s.packets++
	var x frame
	for !x.last {
		if !s.sound(frames.frame(&x)) {
			return
		}
	}
	if v, ok := frames.nextTFO(); ok {
		s.checks++
		if owed, _ := frames.owed(); v == owed {
			s.right++
		}
	}
}

// sound counts an error, except that the samples end.
func (s *score) sound(err error) bool {
	if err != nil && !errors.Is(err, errTruncated) {
		s.errors++
	}
	return err == nil
}

// Tune implements [decode.Tuner].
func (c *Config) Tune(b []byte) (decode.Protocol, []decode.Trial) {
	if len(c.tuned) == 0 {
		return c, nil
	}
	type trial struct {
		cfg *Config
		score
	}
	var trials []trial
	for _, cfg := range c.variants() {
		trials = append(trials, trial{cfg, cfg.score(b)})
	}
	slices.SortStableFunc(trials, func(a, b trial) int { // defaults come first
		return cmp.Or(-cmp.Compare(a.value(), b.value()), cmp.Compare(a.errors, b.errors))
	})
	best := *trials[0].cfg
	best.tuned = nil
	var shown []decode.Trial
	for _, t := range trials {
		shown = append(shown, decode.Trial{
			Settings: t.cfg.settings(c.tuned), Checks: t.checks, Right: t.right,
			Errors: t.errors,
		})
	}
	return &best, shown
}

// variants are the configurations to be tried, that of the defaults first.
func (c *Config) variants() []*Config {
	all := []*Config{c}
	for _, o := range choices {
		if !slices.Contains(c.tuned, o.name) || o.name == optionGap && c.Width != 4 {
			continue
		}
		for _, base := range slices.Clone(all) {
			other := *base
			*o.of(&other) = 1
			all = append(all, &other)
		}
	}
	return all
}

// settings are the options of that name, in words.
func (c *Config) settings(names []string) string {
	var words []string
	for _, o := range choices {
		if slices.Contains(names, o.name) {
			words = append(words, o.name+"="+o.words[*o.of(c)])
		}
	}
	return strings.Join(words, " ")
}
