package pipeline

import (
	"errors"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// errPastWindow ends decoding after the last segment of a window.
var errPastWindow = errors.New("past the window")

// leadOf returns how many bytes before a cut its decoder has to see.
func leadOf(p decode.Protocol, reason schema.ISyncReason) int {
	if l, ok := p.(decode.Leader); ok {
		return l.Lead(reason)
	}
	return 0
}
