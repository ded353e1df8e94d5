package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema"
)

// A walk past instructions says when each is executed, and all that a walk without them says: where
// the unit is instructions, each is executed at its number.
func TestWalkPast(t *testing.T) {
	m := newTimelineModel(3, 500)
	described(t, m.text(false)).timelines(timeline.Everything, func(x *timeline.Timeline) {
		var seqs, at []int64
		for seq := range m.seq {
			seqs = append(seqs, seq)
		}
		var with, without []timeline.Event
		noError(t, x.Walk(func(e *timeline.Event) error {
			without = append(without, *e)
			return nil
		}))
		noError(t, x.WalkPast(append(seqs, m.seq+5), func(e *timeline.Event) error {
			if e.Kind == timeline.Pass {
				if e.Seq != int64(len(at)) {
					t.Errorf("seq %d is passed where %d is next", e.Seq, len(at))
				}
				at = append(at, e.At)
			} else {
				with = append(with, *e)
			}
			return nil
		}))
		if diff := cmp.Diff(seqs, at); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
		if diff := cmp.Diff(without, with); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	})
}

// In cycles the instruction that an exception begins with is executed when that is entered.
func TestWalkPastExceptions(t *testing.T) {
	dir := reporttest.Sample(t, schema.LevelNone)
	m, err := report.Read([]string{dir}, report.Options{})
	noError(t, err)
	exceptions, err := exceptions.Read(m, []string{dir}, "")
	noError(t, err)
	var seqs []int64
	for i := range exceptions.Rows {
		seqs = append(seqs, exceptions.Rows[i].Worst.Seq)
	}
	opened(t, dir).timelines(timeline.Everything, func(x *timeline.Timeline) {
		passed := map[int64]bool{}
		entered := map[int64]bool{}
		noError(t, x.WalkPast(seqs, func(e *timeline.Event) error {
			switch {
			case e.Kind == timeline.Pass:
				passed[e.At] = true
			case e.Kind == timeline.Enter && x.Frames[e.Frame].Exception != "":
				entered[e.At] = true
			}
			return nil
		}))
		if len(passed) != len(seqs) {
			t.Errorf("%d of %d instructions are passed", len(passed), len(seqs))
		}
		for at := range passed {
			if !entered[at] {
				t.Errorf("an exception is passed at %d, and entered at another time", at)
			}
		}
	})
}
