package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// Config is the configuration of a stream. It is immutable, so goroutines may share
// it.
type Config struct {
	port.Config

	// CoprocessorWords is how many words LDC and STC transfer (COPROC_WORDS); 0: it is
	// not known.
	CoprocessorWords uint8
	// SwapOnce: a swap has one transfer, else two (SWP).
	SwapOnce bool
}

// major is the major version of the protocol.
const major = 1

// The settings of ETMv1 beside those of every trace port.
const (
	optionCoprocessorWords = "COPROC_WORDS"
	optionSwap             = "SWP"

	maxCoprocessorWords = 255
)

// Family returns ETMv1, versions 1.0 to 1.3.
func Family() decode.Family {
	return decode.Family{
		Name: "etmv1", Types: []string{"ETM1"}, ETM: true, Major: schema.Of[uint8](major - 1), Version: "1",
		Versions: port.Versions(major), Statuses: StatusNames,
		Sync: port.Sync, Defaults: port.Defaults(), Options: options(), Unframed: true, ReadHeader: port.ReadHeader(major),
		// The fields on which reading a stream depends, the likeliest to be wrong first.
		Settings: []decode.Setting{decode.ContextIDField, decode.DataField.ByProgram(), decode.CycleField.ByProgram()},
		Bind:     Bind,
	}
}

// options are the settings that are no registers (docs/etmv2.md §2, §10).
func options() []decode.Option {
	return append(port.Options(major),
		decode.Option{
			Name:    optionCoprocessorWords,
			Means:   "how many words LDC and STC transfer; 0: not known, data is lost up to the next address",
			Numbers: true, Most: maxCoprocessorWords,
		},
		decode.Option{
			Name: optionSwap, Means: "how many transfers of SWP and SWPB are traced",
			Words: []decode.OptionWord{{Word: "2", Value: 0}, {Word: "1", Value: 1}},
		},
	)
}

// Bind binds the protocol to a source. The notes are for the user. It fails if the
// registers are of another protocol, or say what no port has.
func Bind(s decode.Source) (decode.Protocol, []string, error) {
	c, notes, err := port.NewConfig(s.Registers, major)
	if err != nil {
		return nil, nil, err
	}
	words, _ := s.Lookup(optionCoprocessorWords)
	once, _ := s.Lookup(optionSwap)
	cfg := &Config{Config: c, CoprocessorWords: uint8(min(words, maxCoprocessorWords)), SwapOnce: once != 0}
	if c.Width == 16 && c.TracesData() {
		notes = append(notes,
			"data on a port of 16 pins is decoded by a guess of what [15:8] carries: data addresses and values are unproven; "+
				"instructions do not depend on it")
	}
	return cfg, notes, nil
}
