package stacks_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// Tasks are the same if core, name and Context ID are, and handlers are no tasks. Shares are of cycles if both runs count
// them, else of instructions.
func TestTasksAgainst(t *testing.T) {
	read := func(texts ...string) *stacks.Tasks {
		for i := range texts {
			texts[i] = "source 0x10 core=cpu_0\n" + texts[i]
		}
		tasks, err := stacks.ReadTasks(datasettest.Datasets(t, texts...), "")
		if err != nil {
			t.Fatal(err)
		}
		return tasks
	}
	for _, tt := range []struct {
		name        string
		now, before *stacks.Tasks
		want        []string
	}{
		{"nothing changed", read("task a instructions=5 switches=1"), read("task a instructions=5 switches=1"), []string{"0 new, 0 lost"}},
		{
			"shares", read("task a instructions=30\ntask b instructions=10"), read("task a instructions=10\ntask b instructions=10"),
			[]string{"0 new, 0 lost", "a: 10, 30; +25", "b: 10, 10; -25"},
		},
		{
			"new and lost", read("task a instructions=9\ntask b instructions=1"), read("task a instructions=9\ntask c instructions=1"),
			[]string{"1 new, 1 lost", "b: -, 1; +10", "c: 1, -; -10"},
		},
		{
			"the Context ID tells", read("task a instructions=5 context=1\ntask a instructions=5 context=2"),
			read("task a instructions=5 context=2\ntask a instructions=5"),
			[]string{"1 new, 1 lost", "a: -, 5; +50", "a: 5, -; -50"},
		},
		{
			"handlers", read("task a instructions=5"), read("task a instructions=5 origin=exception"),
			[]string{"1 new, 1 lost", "a: -, 5; +100", "a: 5, -; -100"},
		},
		{
			"switches", read("task a instructions=5 switches=3"), read("task a instructions=5 switches=2"),
			[]string{"0 new, 0 lost", "a: 5, 5; +0"},
		},
		{
			"twice as long", read("task a instructions=10"), read("task a instructions=5"),
			[]string{"0 new, 0 lost", "a: 5, 10; +0"},
		},
		{
			"cycles", read("task a instructions=5 cycles=30\ntask b instructions=5 cycles=10"),
			read("task a instructions=5 cycles=20\ntask b instructions=5 cycles=20"),
			[]string{"0 new, 0 lost", "a: 20, 30; +25", "b: 20, 10; -25"},
		},
		{
			"cycles of now alone", read("task a instructions=5 cycles=30"), read("task a instructions=4"),
			[]string{"0 new, 0 lost", "a: 4, 5; +0"},
		},
		{
			"several datasets", read("task a instructions=3", "task b instructions=4\ntask a instructions=1"), read("task a instructions=8"),
			[]string{"1 new, 0 lost", "a: 8, 4; -50", "b: -, 4; +50"},
		},
		{"nothing ran", read("task a"), read("task a switches=1"), []string{"0 new, 0 lost", "a: 0, 0; +0"}},
	} {
		c := tt.now.Against(tt.before)
		took := func(x *stacks.Task) string {
			if x == nil {
				return "-"
			}
			return fmt.Sprint(x.Executed.In(c.ByCycles))
		}
		got := []string{fmt.Sprintf("%d new, %d lost", c.New, c.Lost)}
		for i := range c.Rows {
			r := &c.Rows[i]
			got = append(got, fmt.Sprintf("%s: %s, %s; %+.0f", r.Row().Name, took(r.Before), took(r.Now), 100*c.Change(r)))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", tt.name, diff)
		}
	}
}
