package etmv2

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// etmidrMajor is ETMIDR[11:8] of an ETMv2.
const etmidrMajor = 1

// Family returns ETMv2, versions 2.0 and 2.1.
func Family() decode.Family {
	return decode.Family{
		Name: string(protocol), Types: []string{"ETM2"}, ETM: true, Major: schema.Of[uint8](etmidrMajor), Version: "2",
		Versions: port.Versions(2), Statuses: StatusNames,
		Sync: port.Sync, Defaults: port.Defaults(), Options: options(), Unframed: true, ReadHeader: port.ReadHeader(2),
		// The fields on which reading a stream depends, the likeliest to be wrong first.
		Settings: []decode.Setting{decode.CycleField, decode.ContextIDField, decode.DataField},
		Bind:     Bind,
	}
}

// AheadBytes implements [decode.Protocol].
func (c *Config) AheadBytes() int { return reach * port.SampleBytes }

// NewDecoder implements [decode.Protocol].
func (c *Config) NewDecoder(mem *image.Memory, want decode.Wanted) decode.Decoder {
	return newDecoder(c, mem, want.Packets)
}

// Resync implements [decode.Protocol]: a stream of samples has no gaps, and can be
// read from any sample on.
func (c *Config) Resync([]byte) (n int, ok bool) { return 0, true }

// RateSyncs implements [decode.Protocol]: it counts the TFOs whose packets can be read,
// and those whose values are right again.
func (c *Config) RateSyncs(b []byte) int {
	s := c.score(b)
	return int(s.packets + s.right)
}

// ParsePacket implements [decode.Protocol]: it describes the sample that b begins with,
// without the bytes that its status owes.
func (c *Config) ParsePacket(b []byte) (decode.PacketText, error) {
	if len(b) < port.SampleBytes {
		return decode.PacketText{}, io.ErrUnexpectedEOF
	}
	return c.sampleText(port.At(b)), nil
}

// Answers implements [decode.Answerer].
func (c *Config) Answers() []decode.Answer {
	return c.Config.Answers("ETMCR[3:2], data access, to 0b11")
}
