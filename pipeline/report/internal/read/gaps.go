package read

import "github.com/tracelake/tracelake/schema"

// IsGap says whether stacks may begin anew after an event, as nothing is known of what led to the next instruction.
// Where trace was off, and went on where it stopped, they go on.
func IsGap(e schema.EventKind) bool {
	switch e {
	case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit, schema.EventInconsistent,
		schema.EventDiscontinuity, schema.EventUnmapped, schema.EventNoAddress, schema.EventBadISync, schema.EventJazelle:
		return true
	}
	return false
}
