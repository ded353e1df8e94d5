// Throughput measures how fast a capture is decoded, alone and into Parquet,
// with one worker and with two:
//
//	go run ./bench/throughput -capture DIR [-mb 64] [-rounds 5]
//
// The trace of the snapshot is laid end to end until it has -mb megabytes. It
// must be one buffer, either of format source_data and then begin with an A-sync,
// or of format coresight and of one configured source: what of its stream lies
// from the first A-sync up to the last is repeated, and put into frames again.
// Every measurement is a process of its own, so that peak memory is its alone;
// rounds are interleaved, so that ratios hold on a noisy machine. Medians are
// printed, and ratios as medians of the rounds.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A run is one measurement.
type run struct {
	Instructions, Bytes int64
	Wall, CPU           float64 // seconds
	Peak                int64   // bytes of memory
}

// A mode is what is measured.
type mode struct {
	name    string
	workers int
}

var modes = []mode{{"decode", 1}, {"decode", 2}, {"parquet", 1}, {"parquet", 2}, {"blocks", 1}, {"blocks", 2}}

func main() {
	dir := flag.String("capture", "", "snapshot directory")
	megabytes := flag.Int("mb", 64, "length of the trace to make")
	rounds := flag.Int("rounds", 5, "rounds")
	one := flag.String("one", "", "")
	flag.Parse()
	var err error
	if *one != "" {
		err = measure(*dir, *one)
	} else {
		err = compare(*dir, *megabytes<<20, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

// measure runs one mode, "name/workers", and prints the run as JSON.
func measure(dir, what string) error {
	name, number, _ := strings.Cut(what, "/")
	workers, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(workers)
	start := time.Now()
	totals, err := work(dir, name, workers)
	if err != nil {
		return err
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return json.NewEncoder(os.Stdout).Encode(run{
		Instructions: totals.Instructions, Bytes: totals.Bytes,
		Wall: time.Since(start).Seconds(), CPU: seconds(usage.Utime) + seconds(usage.Stime), Peak: usage.Maxrss << 10,
	})
}

func work(dir, name string, workers int) (schema.Totals, error) {
	ctx := context.Background()
	if name == "decode" {
		return pipeline.Count(ctx, dir, capture.Options{}, workers)
	}
	level := schema.LevelInstructions
	if name == "blocks" {
		level = schema.LevelBlocks
	}
	s, err := pipeline.Export(ctx, dir, filepath.Join(dir, "out"), pipeline.Options{Level: level, Workers: workers, Overwrite: true})
	if err != nil {
		return schema.Totals{}, err
	}
	return s.Totals, nil
}

// compare runs all modes in turn and prints the table.
func compare(dir string, size, rounds int) error {
	if dir == "" {
		return fmt.Errorf("give a snapshot with -capture DIR")
	}
	work, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := repeatCapture(dir, work, size); err != nil {
		return err
	}
	runs := make([][]run, len(modes))
	for round := range rounds {
		for i, m := range modes {
			out, err := exec.Command(os.Args[0], "-capture", work, "-one", fmt.Sprintf("%s/%d", m.name, m.workers)).Output()
			if err != nil {
				return fmt.Errorf("round %d, %s: %w", round+1, m.name, err)
			}
			var r run
			if err := json.Unmarshal(out, &r); err != nil {
				return err
			}
			runs[i] = append(runs[i], r)
		}
	}
	return report(runs)
}

// report prints medians.
func report(runs [][]run) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tworkers\tM instr/s wall\tM instr/s per CPU-s\ttrace MB/s wall\tpeak MB\t")
	for i, m := range modes {
		r := runs[i]
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t\n", m.name, m.workers,
			median(r, func(r run) float64 { return float64(r.Instructions) / r.Wall / 1e6 }),
			median(r, func(r run) float64 { return float64(r.Instructions) / r.CPU / 1e6 }),
			median(r, func(r run) float64 { return float64(r.Bytes) / r.Wall / 1e6 }),
			median(r, func(r run) float64 { return float64(r.Peak) / 1e6 }))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := 0; i < len(modes); i += 2 {
		var ratios []float64
		for k := range runs[i] {
			ratios = append(ratios, runs[i][k].Wall/runs[i+1][k].Wall)
		}
		slices.Sort(ratios)
		fmt.Printf("%s: two workers are %.2f times as fast as one [%.2f %.2f]\n",
			modes[i].name, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	}
	fmt.Printf("%d rounds, %d instructions in %d bytes, %d processors\n", len(runs[0]), runs[0][0].Instructions, runs[0][0].Bytes, runtime.NumCPU())
	return nil
}

func median(runs []run, of func(run) float64) float64 {
	var values []float64
	for _, r := range runs {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
