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
	optionTFO    = "TFO"
	optionFirst  = "FIRST"
	optionGap    = "GAP"
	optionTFOLow = "TFOLOW"

	wordAuto = "auto"
)

// auto is the value of an option that is to be found by trying.
const auto = 2

// A choice is an option with two values, the default first.
type choice struct {
	name, means string
	words       [2]string
	auto        bool
}

var choices = []choice{
	{optionTFO, "how the pins carry the value of a Trace FIFO Offset", [2]string{"flag", "plain"}, true},
	{optionFirst, "the sample in which the first byte leaves an empty FIFO: that of its status, or the next",
		[2]string{"same", "next"}, true},
	{optionGap, "4 pins: whether a gap sample follows the value of a Trace FIFO Offset", [2]string{"after", "none"}, true},
	{optionTFOLow, "bits 4:0 of a Trace FIFO Offset packet: 0, or any", [2]string{"zero", "any"}, false},
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
		c.set(o.name, v)
	}
	return c, notes, nil
}

// set sets an option.
func (c *Config) set(name string, v uint64) {
	switch name {
	case optionTFO:
		c.TFO = TFOCode(v)
	case optionFirst:
		c.First = First(v)
	case optionGap:
		c.Gap = Gap(v)
	case optionTFOLow:
		c.TFOLow = v != 0
	}
}

// value returns the value of an option.
func (c *Config) value(name string) uint64 {
	switch {
	case name == optionTFO:
		return uint64(c.TFO)
	case name == optionFirst:
		return uint64(c.First)
	case name == optionGap:
		return uint64(c.Gap)
	case c.TFOLow:
		return 1
	}
	return 0
}

// Words implements [decode.Protocol].
func (c *Config) Words() []string {
	words := c.Config.Words()
	for _, o := range choices {
		if o.name == optionGap && c.Width != 4 {
			continue
		}
		word := o.words[c.value(o.name)]
		if slices.Contains(c.tuned, o.name) {
			word = wordAuto
		}
		words = append(words, o.name+"="+word)
	}
	return words
}
