package etmv2

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// rows describes the rows of a result that no later part changes, whatever the division
// into parts: all of them, if nothing is cancelled.
func rows(r *decode.Result) string {
	var s strings.Builder
	for _, e := range r.Events {
		if e.Event == schema.EventCancelled || e.Event == schema.EventInconsistent {
			return "" // only the stitcher knows what a part cancels in another
		}
	}
	offset := 0
	for i := range r.Runs {
		run := &r.Runs[i]
		b := r.Blocks[run.Block]
		for k := range int(run.Count) {
			fmt.Fprintf(&s, "%d: %08x %d\n", run.Offset+int64(r.Offsets[offset]), b.Address[int(run.First)+k], run.Failed>>k&1)
			offset++
		}
	}
	for _, x := range r.Exceptions {
		fmt.Fprintln(&s, x.Key, x.Type, x.ReturnAddress, x.Target)
	}
	fmt.Fprintln(&s, r.Events, r.Losses)
	return s.String()
}
