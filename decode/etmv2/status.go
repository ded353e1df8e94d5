package etmv2

import "github.com/tracelake/tracelake/decode/port"

// The statuses of the pipeline (§6.1, docs/etmv2.md §5.1). Those with bit 3 begin
// with a branch phantom, PT taken and PN not taken, before an IE, DE, IN or DN.
const (
	StatusIE = 0
	StatusDE = 1
	StatusIN = 2
	StatusDN = 3
	StatusWT = 4
	StatusDW = 5
	StatusTR = port.StatusTR
	StatusTD = port.StatusTD

	statusPackets  = 1 << 0 // a group entered the FIFO, but for TD
	statusFailed   = 1 << 1 // the instruction failed its condition
	statusNotTaken = 1 << 2 // of a phantom: the branch was not taken
	statusPhantom  = 1 << 3
)

// StatusNames are the names of the statuses, by PIPESTAT.
var StatusNames = []string{
	"IE", "DE", "IN", "DN", "WT", "DW", "TR", "TD",
	"PT_IE", "PT_DE", "PT_IN", "PT_DN", "PN_IE", "PN_DE", "PN_IN", "PN_DN",
}

// hasPackets reports whether a status puts a group into the FIFO: a D status.
func hasPackets(status uint8) bool { return status&statusPackets != 0 && status != StatusTD }

// hasInstruction reports whether a status is that of an instruction.
func hasInstruction(status uint8) bool { return status < StatusWT || status&statusPhantom != 0 }

// low returns TRACEPKT[3:0], in which a TR has the status that it replaced.
func low(s port.Sample) uint8 { return uint8(s.Packet() & 0xf) }

// startsTFO reports whether a sample, which is not part of a TFO's value or gap, is a
// TFO. A replaced TD always is one (§6.1.7).
func (c *Config) startsTFO(s port.Sample) bool {
	switch s.Status() {
	case StatusTD:
		return low(s)&tfoBit != 0 && (c.TFO == TFOPlain || low(s) != Idle)
	case StatusTR:
		return low(s) == StatusTD
	}
	return false
}

// tfoSamples is how many samples that are not TR follow the TFO sample s with its
// value or the gap (§6.1.7, docs/etmv2.md §5.2).
func (c *Config) tfoSamples(s port.Sample) int {
	n := 0
	if s.Status() == StatusTR {
		n++
	}
	if c.Width == 4 {
		n++
		if c.Gap == GapAfter {
			n++
		}
	}
	return n
}
