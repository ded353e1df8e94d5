package stacks_test

import (
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

// Each segment that executed anything has the node of its first instruction: that of the innermost call
// which is open there, where one task runs; and in any case one of the function that the instruction is of.
func TestHeads(t *testing.T) {
	for capture, tt := range map[string]struct {
		elf      string
		one      bool // there is one task
		segments int
	}{
		"sample":                            {sample.ELF, false, 57},
		"am243x-r5f-etmv3-freertos-002b37c": {"freertos.elf", true, 60},
		"am243x-r5f-etmv3-zephyr-e9185a9":   {"zephyr.elf", false, 61},
		"opencsd-tc2-ptm-rstk-t32":          {"", true, 13},
		"opencsd-TC2":                       {"", false, 25},
	} {
		t.Run(capture, func(t *testing.T) {
			d := export(t, capture, tt.elf, schema.LevelInstructions)
			type place struct {
				source uint8
				seq    int64
			}
			type node struct {
				source uint8
				stack  int32
			}
			heads, stacks := map[place]int32{}, map[node]int32{}
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
				stacks[node{schema.StacksSource.At(b, i), int32(schema.StacksStack.At(b, i))}] = int32(f.V)
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
			if !tt.one {
				return
			}
			innermost := map[place]int64{}
			calls := map[place]int32{}
			each(t, d, &schema.Calls, func(b *schema.Batch, i int) {
				source, seq, end := schema.CallsSource.At(b, i), int64(schema.CallsSeq.At(b, i)), nullOf(b, int(schema.CallsEndSeq), i, schema.CallsEndSeq.At(b, i))
				for at := range heads {
					if at.source == source && seq <= at.seq && (!end.OK || at.seq < int64(end.V)) && seq >= innermost[at] {
						innermost[at], calls[at] = seq, int32(schema.CallsStack.At(b, i))
					}
				}
			})
			for at, stack := range calls {
				if heads[at] != stack {
					t.Errorf("source %d, seq %d: stack %d, the innermost call is %d", at.source, at.seq, heads[at], stack)
				}
			}
		})
	}
}
