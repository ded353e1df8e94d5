package main

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/pipeline"
)

// This file is what inspect says of samples of a trace port.

// writeStatuses lists how often each status is there.
func writeStatuses(b *strings.Builder, s *pipeline.Statuses) {
	if s != nil {
		fmt.Fprintf(b, "  statuses   %s\n", s)
	}
}

// writeTrials lists how the settings did that were left to be found.
func writeTrials(b *strings.Builder, trials []pipeline.Trial) {
	label := "trials"
	for _, t := range trials {
		fmt.Fprintf(b, "  %-10s %-32s  %s of %s checks right, %s\n", label, t.Settings, thousands(t.Right), thousands(t.Checks), count(t.Errors, "error"))
		label = ""
	}
}

// fifoWords says how far statuses and bytes of samples fit together.
func fifoWords(f *pipeline.FIFOAgreement) string {
	right := "no offset to compare"
	if f.Offsets > 0 {
		right = fmt.Sprintf("%s of %s right (%s)", thousands(f.OffsetsRight), count(f.Offsets, "offset"), percent(f.OffsetsRight, f.Offsets))
	}
	waits := "no wait"
	if f.Waits > 0 {
		waits = fmt.Sprintf("%s of %s with no byte owed (%s)", thousands(f.WaitsUnowed), count(f.Waits, "wait"), percent(f.WaitsUnowed, f.Waits))
	}
	return fmt.Sprintf("%s, %s, %s", right, waits, count(f.Reserved, "reserved header"))
}
