package content

import (
	"errors"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// Two tasks that take turns are in all their functions again at each turn: what is held of that
// has a limit.
func TestManySpans(t *testing.T) {
	r := &spanReader{
		t: &timeline.Timeline{Tasks: make([]timeline.Task, 2)}, frames: newFrameIndex(&Frames{Kind: []uint16{frameTask}}, nil), most: 1000,
		turns:  map[int32]int64{},
		turned: newTurnReader(2),
		tasks:  []int32{0, 0},
		ledger: newLedger(10),
		stacks: [][]int32{make([]int32, 100), make([]int32, 100)}, running: None,
	}
	for turn := range int64(100) {
		if err := r.event(&timeline.Event{Kind: timeline.Turn, Task: int32(turn % 2), At: 10 * turn}); err != nil {
			if !errors.Is(err, errManySpans) || len(r.spans) > r.most+deepest {
				t.Errorf("after %d turns and %d spans: %v", turn, len(r.spans), err)
			}
			return
		}
	}
	t.Errorf("%d spans are held", len(r.spans))
}
