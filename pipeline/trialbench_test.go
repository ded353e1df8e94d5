package pipeline

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
)

type nullRuns struct{}

func (nullRuns) Add(stitch.Runs) error { return nil }

func cpu() float64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}

func BenchmarkTrial(b *testing.B) {
	for _, tt := range [][2]string{{"/dev/shm/rep/freertos", "/work/shared/captures/am243x-r5f-etmv3-freertos-002b37c/freertos.elf"}, {"/dev/shm/rep/rstk", ""}, {"/dev/shm/rep/TC2", ""}} {
		for _, mode := range []string{"runs", "stacks", "tally", "tally+stacks"} {
			b.Run(tt[0][13:]+"/"+mode, func(b *testing.B) {
				n := int64(0)
				t0 := cpu()
				for range b.N {
					o := sessionOptions{workers: 1}
					if tt[1] != "" {
						o.capture = capture.Options{Symbols: []string{tt[1]}}
					}
					s, err := openSession(context.Background(), tt[0], o)
					if err != nil {
						b.Fatal(err)
					}
					ps, _ := s.programs()
					var fs stacks.Functions
					if len(ps) > 0 {
						for _, f := range ps[0].Functions {
							fs = append(fs, stacks.Function{Address: f.Address, Size: f.Size})
						}
					}
					for _, src := range s.plan.sources {
						st := stacks.New(fs, nil, stacks.Sinks{})
						sinks := stitch.Sinks{Runs: nullRuns{}}
						if mode == "stacks" {
							sinks = st.Sinks(sinks)
						}
						if mode == "tally" {
							sinks = tally.New(nil).Sinks(sinks)
						}
						if mode == "tally+stacks" {
							sinks = st.Sinks(tally.New(nil).Sinks(sinks))
						}
						s.decode(context.Background(), src, sinks, nil)
						n += src.outcome.Totals.Instructions
						st.Finish()
					}
					s.close()
				}
				b.ReportMetric((cpu()-t0)/float64(n)*1e9, "ns/instr")
			})
		}
	}
	_ = fmt.Sprint
	_ = os.Args
}
