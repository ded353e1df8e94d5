package port

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file is what ETMv1 and ETMv2 are alike in as protocols: vectors, what a stream can
// answer, samples in words.

// TimestampCode implements [decode.Protocol]: there are no timestamps.
func (c *Config) TimestampCode() decode.TimestampCode { return decode.TimestampCode{} }

// Answers answers each question of a stream. dataSet is what to set for data.
func (c *Config) Answers(dataSet string) []decode.Answer {
	contexts := decode.Answer{Question: decode.AskContexts, Why: "ETMv" + c.Version() + " has no Context IDs: ETMv1.2 has"}
	if c.Number >= 0x10+minorContextID {
		contexts = decode.Answer{
			Question: decode.AskContexts, Traced: c.ContextIDBytes > 0, Set: "ETMCR[15:14], ContextIDSize, to 0b11",
		}
	}
	return []decode.Answer{
		{Question: decode.AskCycles, Traced: c.CycleAccurate, Set: "ETMCR[12], cycle-accurate tracing"},
		{Question: decode.AskTimestamps, Why: "ETMv" + c.Version() + " has no timestamps: ETMv3.5 has"},
		contexts,
		{Question: decode.AskData, Traced: c.TracesData(), Set: dataSet},
		{Question: decode.AskConditions, Traced: true},
	}
}

// SampleText describes a sample without what its status owes, by the names of the statuses.
// replaced is the status that a trigger replaced.
func (c *Config) SampleText(s Sample, names []string, replaced uint8) decode.PacketText {
	t := decode.PacketText{
		Len: SampleBytes, Type: strings.ToLower(names[s.Status()]), Pins: fmt.Sprintf("%0*x", int(c.Width)/4, s.Packet()),
	}
	if s.Sync() {
		t.Pins += "*"
	}
	if s.Status() == StatusTR {
		t.Add("replaced", strings.ToLower(names[replaced]))
	}
	return t
}

// A Vector is an exception vector (IHI 0014Q §4.5.3, docs/etmv2.md §6.3).
type Vector struct {
	Number schema.Null[uint16] // its offset / 4
	Type   schema.ExceptionType
}

// vectorTypes are the types by the number of the vector. None is at the sixth.
var vectorTypes = [8]schema.ExceptionType{
	0: schema.ExcReset,
	1: schema.ExcUndefined,
	2: schema.ExcSVC,
	3: schema.ExcPrefetchAbort,
	4: schema.ExcDataAbort,
	6: schema.ExcIRQ,
	7: schema.ExcFIQ,
}

const noVector = 5

// Vector returns the vector at a PC, false and a generic one if there is none.
func (c *Config) Vector(at decode.PC) (Vector, bool) {
	n := (at.Address - c.Vectors()) / 4
	if at.ISA != schema.A32 || at.Address%4 != 0 || n >= schema.Address(len(vectorTypes)) || n == noVector {
		return Vector{Type: schema.ExcGeneric}, false
	}
	return Vector{schema.Of(uint16(n)), vectorTypes[n]}, true
}

// NearVectors reports whether a position may be an exception vector.
func (c *Config) NearVectors(at decode.PC) bool {
	return at.Address-c.Vectors() < 4*schema.Address(len(vectorTypes))
}
