package stacks_test

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

// Windows of captures: what is on each stack is on the true one, and tasks have few instructions of others.
func TestCutStacks(t *testing.T) {
	need.FullRun(t, "instructions are replayed one by one, in one goroutine")
	captures := map[string]string{
		"sample":                            sample.ELF,
		"am243x-r5f-etmv3-freertos-002b37c": "freertos.elf",
		"am243x-r5f-etmv3-zephyr-e9185a9":   "zephyr.elf",
		"am243x-r5f-etmv3-threadx-ce42d22":  "threadx.elf",
	}
	cuts := []cut{{61, 400}, {1000, 1000}, {20000, 5000}}
	if need.Size(0, 1) == 0 {
		captures = map[string]string{"sample": sample.ELF}
		cuts = cuts[1:2]
	}
	for name, elf := range captures {
		d := export(t, name, elf, schema.LevelInstructions)
		whole := replayed(t, d, true)
		for _, c := range cuts {
			t.Run(fmt.Sprintf("%s/%d of %d", name, c.seen, c.seen+c.lost), func(t *testing.T) {
				whole.checkCut(t, c, replayedCut(t, d, true, c))
			})
		}
	}
}

// checkCut checks a replay of windows of r.
func (r *replay) checkCut(t *testing.T, c cut, got *replay) {
	t.Helper()
	var against, same, wrong, unnamed int
	wrongs := map[string]int{}
	for _, x := range got.rows {
		truth := r.rows[x.seq]
		switch r.agrees(truth.stack, got, x.stack) {
		case whole:
			same++
		case contradiction:
			against++
		}
		switch name := got.tasks[x.task].Name; name {
		case r.tasks[truth.task].Name:
		case "(callers not seen)", "[entry not seen]":
			unnamed++
		default:
			if x.seq < c.seen { // the first root is what it is, unless something returns to below it
				break
			}
			wrong++
			wrongs[name+" in place of "+r.tasks[truth.task].Name]++
		}
	}
	n := len(got.rows)
	t.Logf("of %d instructions: whole stack %.1f %%, against the truth %.2f %%; task not known %.1f %%, wrong %.2f %%",
		n, share(same, n), share(against, n), share(unnamed, n), share(wrong, n))
	if share(against, n) > 0.8 {
		t.Error("more than 0.8 % have a stack that contradicts the truth")
	}
	most := 6.0
	if c.seen == 1000 {
		most = 1
	}
	if share(wrong, n) > most {
		t.Errorf("more than %g %% are in the task of another: %v", most, wrongs)
	}
}

// How a stack agrees with the true one.
type agreement int

const (
	contradiction agreement = iota
	part
	whole
)

// agrees compares the path of a node of another replay with the true one. A function that jumped to another, whose
// stack was cut after that, is nowhere on it.
func (r *replay) agrees(truth int32, got *replay, stack int32) agreement {
	at, jumped := schema.Of(truth), false
	for n := schema.Of(stack); n.OK; n = got.stacks[n.V].Parent {
		x := &got.stacks[n.V]
		same := func() bool {
			y := &r.stacks[at.V]
			return x.Function == y.Function && (x.Entry == schema.StackException) == (y.Entry == schema.StackException)
		}
		if at.OK && !same() && jumped {
			at = r.stacks[at.V].Parent
		}
		if !at.OK || !same() {
			return contradiction
		}
		jumped, at = r.stacks[at.V].Entry == schema.StackTail, r.stacks[at.V].Parent
	}
	if at.OK {
		return part
	}
	return whole
}
