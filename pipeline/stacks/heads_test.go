package stacks_test

import (
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

// Each segment that executed anything has the node of its first instruction: one of the function that the
// instruction is of, and that of the innermost call of its task which is open there, if no exception came since.
func TestHeads(t *testing.T) {
	for capture, tt := range map[string]struct {
		elf             string
		segments, calls int // with a head, and with an open call
	}{
		"sample":                            {sample.ELF, 57, 40},
		"am243x-r5f-etmv3-freertos-002b37c": {"freertos.elf", 60, 50},
		"am243x-r5f-etmv3-zephyr-e9185a9":   {"zephyr.elf", 61, 1},
		"opencsd-tc2-ptm-rstk-t32":          {"", 13, 10},
		"opencsd-TC2":                       {"", 25, 5},
	} {
		t.Run(capture, func(t *testing.T) {
			if capture != "sample" && capture != "opencsd-TC2" {
				need.FullRun(t, sameWorkers)
			}
			d := export(t, capture, tt.elf, schema.LevelInstructions)
			type place struct {
				source uint8
				seq    int64
			}
			type node struct {
				source uint8
				stack  int32
			}
			heads, stacks, tasks := map[place]int32{}, map[node]int32{}, map[node]uint32{}
			each(t, d, &schema.Segments, func(b *schema.Batch, i int) {
				stack := nullU32(b, schema.SegmentsStack, i)
				if executed := int64(schema.SegmentsInstructions.At(b, i)) > 0; stack.OK != executed {
					t.Errorf("segment at seq %d: stack %v, executed %v", schema.KeySeq.At(b, i), stack, executed)
				}
				if stack.OK {
					heads[place{schema.SegmentsSource.At(b, i), int64(schema.KeySeq.At(b, i))}] = int32(stack.V)
				}
			})
			each(t, d, &schema.Stacks, func(b *schema.Batch, i int) {
				f := nullU32(b, schema.StacksFunction, i)
				if !f.OK {
					f.V = 0xffff_ffff
				}
				n := node{schema.StacksSource.At(b, i), int32(schema.StacksStack.At(b, i))}
				stacks[n], tasks[n] = int32(f.V), schema.StacksTask.At(b, i)
			})
			functions, checked := functionsOf(t, d), 0
			each(t, d, &schema.Instructions, func(b *schema.Batch, i int) {
				at := place{schema.InstructionsSource.At(b, i), int64(schema.KeySeq.At(b, i))}
				stack, ok := heads[at]
				if !ok {
					return
				}
				checked++
				if got, want := stacks[node{at.source, stack}], functions.At(schema.InstructionsAddress.At(b, i)); got != want {
					t.Errorf("source %d, seq %d: stack %d is of function %d, the instruction of %d", at.source, at.seq, stack, got, want)
				}
			})
			if checked != len(heads) || checked < tt.segments {
				t.Errorf("%d of %d segments, want %d or more", checked, len(heads), tt.segments)
			}
			begun, calls := map[place]int64{}, map[place]int32{} // of the innermost call, and its node
			each(t, d, &schema.Calls, func(b *schema.Batch, i int) {
				seq, end := int64(schema.CallsSeq.At(b, i)), nullOf(b, int(schema.CallsEndSeq), i, schema.CallsEndSeq.At(b, i))
				call := node{schema.CallsSource.At(b, i), int32(schema.CallsStack.At(b, i))}
				for at, stack := range heads {
					open := at.source == call.source && seq <= at.seq && (!end.OK || at.seq < int64(end.V))
					if open && tasks[call] == tasks[node{at.source, stack}] && seq >= begun[at] {
						begun[at], calls[at] = seq, call.stack
					}
				}
			})
			each(t, d, &schema.ExceptionSpans, func(b *schema.Batch, i int) {
				seq := int64(schema.ExceptionSpansSeq.At(b, i))
				end := nullOf(b, int(schema.ExceptionSpansEndSeq), i, schema.ExceptionSpansEndSeq.At(b, i))
				for at := range calls {
					inside := seq <= at.seq && (!end.OK || at.seq < int64(end.V))
					if at.source == schema.ExceptionSpansSource.At(b, i) && inside && seq > begun[at] {
						delete(calls, at)
					}
				}
			})
			if len(calls) < tt.calls {
				t.Errorf("%d segments begin in a call, want %d or more", len(calls), tt.calls)
			}
			for at, stack := range calls {
				if heads[at] != stack {
					t.Errorf("source %d, seq %d: stack %d, the innermost call is %d", at.source, at.seq, heads[at], stack)
				}
			}
		})
	}
}
