package etmv2

import "github.com/tracelake/tracelake/decode/port"

// Config is the configuration of a stream. It is immutable, so goroutines may share
// it.
type Config struct {
	port.Config

	TFO    TFOCode
	First  First
	Gap    Gap
	TFOLow uint8 // 1, TFOLOW=any: header bits 4:0 of a TFO packet mean nothing

	tuned []string // options that are to be found by trying: see Tune
}

// A TFOCode is how a TFO value is in TRACEPKT[7:0] (option TFO, docs/etmv2.md §5.2,
// A1).
type TFOCode uint8

// The codes of TFO values.
const (
	TFOFlag  TFOCode = iota // flag: bit 3 is set below 64
	TFOPlain                // plain: bits 3:1 are the high bits
)

// First is in which sample the first byte of a group comes out of an empty FIFO
// (option FIRST, docs/etmv2.md §5.6, A3).
type First uint8

// The samples of the first byte.
const (
	FirstSame First = iota // that of the group's status
	FirstNext              // the next one
)

// Gap is whether a sample of 4 pins follows the value of a TFO (option GAP,
// docs/etmv2.md §5.2, A2).
type Gap uint8

// The gaps.
const (
	GapAfter Gap = iota // one, with the rest of a byte that the TFO split
	GapNone
)

// splitsBytes reports whether the rest of a byte that a TFO split comes among the bytes
// after it: then only what came before the TFO says how they are divided.
func (c *Config) splitsBytes() bool { return c.Width == 4 && c.Gap == GapNone }
