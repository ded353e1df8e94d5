package etmv2

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// The options beside registers (docs/etmv2.md §10). Those that can be found by trying
// have a word for that.
const (
	optionGap = "GAP"
	wordAuto  = "auto"
)

// auto is the value of an option that is to be found by trying.
const auto = 2

// A choice is an option with two values, the default first, and where a configuration has it.
type choice struct {
	name, means string
	words       [2]string
	auto        bool
	of          func(c *Config) *uint8
}

var choices = []choice{
	{
		name: "TFO", words: [2]string{"flag", "plain"}, auto: true, of: func(c *Config) *uint8 { return (*uint8)(&c.TFO) },
		means: "how the pins carry the value of a Trace FIFO Offset",
	},
	{
		name: "FIRST", words: [2]string{"same", "next"}, auto: true, of: func(c *Config) *uint8 { return (*uint8)(&c.First) },
		means: "the sample in which the first byte leaves an empty FIFO: that of its status, or the next",
	},
	{
		name: optionGap, words: [2]string{"after", "none"}, auto: true, of: func(c *Config) *uint8 { return (*uint8)(&c.Gap) },
		means: "4 pins: whether a gap sample follows the value of a Trace FIFO Offset",
	},
	{
		name: "TFOLOW", words: [2]string{"zero", "any"}, of: func(c *Config) *uint8 { return &c.TFOLow },
		means: "bits 4:0 of a Trace FIFO Offset packet: 0, or any",
	},
}

// options are those of the port and those of this protocol.
func options() []decode.Option {
	all := port.Options(2)
	for _, c := range choices {
		o := decode.Option{Name: c.name, Means: c.means}
		for v, word := range c.words {
			o.Words = append(o.Words, decode.OptionWord{Word: word, Value: uint64(v)})
		}
		if c.auto {
			o.Words = append(o.Words, decode.OptionWord{Word: wordAuto, Value: auto})
		}
		all = append(all, o)
	}
	return all
}

// Bind binds the protocol to a source. The notes are for the user.
func Bind(s decode.Source) (decode.Protocol, []string, error) {
	config, notes, err := port.NewConfig(s, 2)
	if err != nil {
		return nil, nil, err
	}
	c := &Config{Config: config}
	for _, o := range choices {
		v, _ := s.Lookup(o.name)
		if v > auto || v == auto && !o.auto {
			return nil, nil, fmt.Errorf("%s=%d is none of its values; they are %v", o.name, v, o.words)
		}
		if v == auto {
			c.tuned = append(c.tuned, o.name)
			v = 0
		}
		*o.of(c) = uint8(v)
	}
	return c, notes, nil
}

// Words implements [decode.Protocol].
func (c *Config) Words() []string {
	words := c.Config.Words()
	for _, o := range choices {
		if o.name == optionGap && c.Width != 4 {
			continue
		}
		word := o.words[*o.of(c)]
		if slices.Contains(c.tuned, o.name) {
			word = wordAuto
		}
		words = append(words, o.name+"="+word)
	}
	return words
}
