package main

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/probe"
)

// This file is what inspect says of samples of a trace port.

// trials lists how the settings did that were left to be found.
func (s *screen) trials(trials []probe.TrialResult) {
	label := "trials"
	for _, x := range trials {
		s.pair(label, fmt.Sprintf("%-32s", x.Settings), fmt.Sprintf("%s of %s checks right, %s", thousands(x.Right),
			thousands(x.Checks), count(x.Errors, "error")))
		label = ""
	}
}

// fifoWords says how far statuses and bytes of samples fit together.
func fifoWords(f *probe.FIFOAgreement) string {
	right := "no offset to compare"
	if f.Offsets > 0 {
		right = fmt.Sprintf("%s of %s right (%s)", thousands(f.OffsetsRight), count(f.Offsets, "offset"),
			percent(f.OffsetsRight, f.Offsets))
	}
	waits := "no wait"
	if f.Waits > 0 {
		waits = fmt.Sprintf("%s of %s with no byte owed (%s)", thousands(f.WaitsUnowed), count(f.Waits, "wait"),
			percent(f.WaitsUnowed, f.Waits))
	}
	return fmt.Sprintf("%s, %s, %s", right, waits, count(f.Reserved, "reserved header"))
}
