package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

type collect[T any] struct{ rows []T }

func (c *collect[T]) Add(_ stitch.Base, rows []T) error { c.rows = append(c.rows, rows...); return nil }

func TestTrialStacks(t *testing.T) {
	for _, tt := range [][2]string{{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf"}, {"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf"}, {"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf"}, {"sample", sample.ELF}} {
		input := filepath.Join(t.TempDir(), "capture")
		if tt[0] == "sample" {
			sample.Extract(input)
		} else {
			input = shared.File(t, "captures/"+tt[0])
		}
		s, err := openSession(context.Background(), input, sessionOptions{workers: 1, capture: capture.Options{Symbols: []string{filepath.Join(input, tt[1])}}})
		if err != nil {
			t.Fatal(err)
		}
		ps, err := s.programs()
		if err != nil {
			t.Fatal(err)
		}
		var fs stacks.Functions
		names := []string{}
		for _, f := range ps[0].Functions {
			fs = append(fs, stacks.Function{Address: f.Address, Size: f.Size})
			names = append(names, f.Name)
		}
		for _, src := range s.plan.sources {
			var calls collect[stacks.Call]
			var spans collect[stacks.Span]
			st := stacks.New(fs, nil, stacks.Sinks{Calls: &calls, Spans: &spans})
			if err := s.decode(context.Background(), src, st.Sinks(stitch.Sinks{}), nil); err != nil {
				t.Fatal(err)
			}
			nodes, tasks, err := st.Finish()
			if err != nil {
				t.Fatal(err)
			}
			if len(nodes) == 0 {
				continue
			}
			entries := map[string]int64{}
			depth := int32(0)
			incl := map[string]int64{}
			own := int64(0)
			for i := range nodes {
				n := &nodes[i]
				own += n.Own.Instructions
				entries[n.Entry.String()] += n.Calls
				depth = max(depth, n.Depth)
				name := func(i int32) string {
					if nodes[i].Function.OK {
						return names[nodes[i].Function.V]
					}
					return "?"
				}
				seen := false
				for p := n.Parent; p.OK; p = nodes[p.V].Parent {
					if name(p.V) == name(int32(i)) {
						seen = true
					}
				}
				if !seen {
					incl[name(int32(i))] += n.Total.Instructions
				}
			}
			ends := map[string]int{}
			for _, c := range calls.rows {
				ends[c.End.String()]++
			}
			send := map[string]int{}
			for _, c := range spans.rows {
				send[c.End.String()]++
			}
			fmt.Println(tt[0], "nodes", len(nodes), "depth", depth, entries, "own", own, "calls", ends, "spans", send)
			var keys []string
			for k := range incl {
				keys = append(keys, k)
			}
			sort.Slice(keys, func(a, b int) bool { return incl[keys[a]] > incl[keys[b]] })
			for _, k := range keys[:min(7, len(keys))] {
				fmt.Printf(" %s %d,", k, incl[k])
			}
			fmt.Println()
			for i, x := range tasks {
				if i < 10 {
					fmt.Printf("  %+v\n", x)
				}
			}
		}
		s.close()
	}
	_ = schema.Of[int]
}
