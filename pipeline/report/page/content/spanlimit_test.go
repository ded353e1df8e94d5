package content

import (
	"errors"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// Two tasks that take turns are in all their functions again at each turn: what is held of that
// has a limit.
func TestManySpans(t *testing.T) {
	tasks := []timeline.Task{{Of: 0}, {Of: 1}}
	r := &spanReader{
		t: &timeline.Timeline{Tasks: tasks}, frames: newFrameIndex(&Frames{Kind: []uint16{frameTask}}, nil), most: 1000,
		turns:  map[int32]int64{},
		turned: newTurnReader(tasks),
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

// A task whose stacks have two lanes goes on where they take turns: only another task ends its turn.
func TestTurnsOfLanes(t *testing.T) {
	tasks := []timeline.Task{{Name: "one", Of: 0}, {Name: "other", Of: 1}, {Name: "one", Of: 0}}
	r := &spanReader{
		t: &timeline.Timeline{Tasks: tasks}, frames: newFrameIndex(&Frames{Kind: []uint16{frameTask}}, nil), most: mostSpans,
		turns:  map[int32]int64{},
		turned: newTurnReader(tasks),
		tasks:  []int32{0, 1, 0},
		ledger: newLedger(10),
		stacks: make([][]int32, len(tasks)), running: None,
	}
	for i, task := range []int32{0, 2, 0, 1, 2} {
		if err := r.event(&timeline.Event{Kind: timeline.Turn, Task: task, At: 10 * int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.event(&timeline.Event{Kind: timeline.End, At: 45}); err != nil {
		t.Fatal(err)
	}
	if got := r.turned.of[0]; got.longest != 30 || got.start != 0 || got.ended != 1 || got.out["other"] != 1 {
		t.Errorf("one: %+v", got)
	}
	if got := r.turned.of[1]; got.longest != 10 || got.start != 30 {
		t.Errorf("other: %+v", got)
	}
	if r.turns[0] != 2 || r.turns[1] != 1 {
		t.Errorf("turns %v", r.turns)
	}
}
