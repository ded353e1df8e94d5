package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A mode is what tracelake is measured doing, and with how many workers: "decode" to
// runs, "tally" what ran too, or one of the exports.
type mode struct {
	name    string
	workers int
}

// exports are the modes that write a dataset: what is written of instructions, and whether
// call stacks are.
var exports = map[string]struct {
	level  schema.Level
	format schema.Format
	table  *schema.Table // nil: nothing is
	stacks bool
}{
	"parquet":        {schema.LevelInstructions, schema.Parquet, &schema.Instructions, false},
	"blocks":         {schema.LevelBlocks, schema.Parquet, &schema.Blocks, false},
	"none":           {schema.LevelNone, schema.Parquet, nil, false},
	"arrow":          {schema.LevelInstructions, schema.Arrow, &schema.Instructions, false},
	"parquet+stacks": {schema.LevelInstructions, schema.Parquet, &schema.Instructions, true},
	"blocks+stacks":  {schema.LevelBlocks, schema.Parquet, &schema.Blocks, true},
	"none+stacks":    {schema.LevelNone, schema.Parquet, nil, true},
}

// withoutStacks are the tables that are written by default at a level but for those of call stacks.
func withoutStacks(level schema.Level) []*schema.Table {
	stacks := []*schema.Table{&schema.Stacks, &schema.Tasks, &schema.CallTimes, &schema.Calls, &schema.ExceptionSpans}
	return slices.DeleteFunc(schema.Tables(), func(t *schema.Table) bool {
		return t.Written != schema.ByDefault && (t.Written != schema.WithRows || level == schema.LevelNone) || slices.Contains(stacks, t)
	})
}

// parseMode reads a mode: "parquet/2".
func parseMode(word string) (mode, error) {
	name, number, _ := strings.Cut(word, "/")
	workers, err := strconv.Atoi(number)
	if _, export := exports[name]; err != nil || !export && name != "decode" && name != "tally" {
		return mode{}, fmt.Errorf("mode %q is not known", word)
	}
	return mode{name, workers}, nil
}

// do does what m says with the capture at input, and sets what was decoded and
// written. A dataset goes to out.
func (m mode) do(input, out string, images []string, r *measured) error {
	runtime.GOMAXPROCS(m.workers)
	ctx, from := context.Background(), capture.Options{Images: images}
	x, export := exports[m.name]
	if !export {
		totals, err := pipeline.Count(ctx, input, pipeline.CountOptions{
			Capture: from, Workers: m.workers,
			Tally: m.name == "tally",
		})
		r.Instructions, r.Bytes = totals.Instructions, totals.Bytes
		return err
	}
	opt := pipeline.Options{Capture: from, Level: x.level, Format: x.format, Workers: m.workers, Overwrite: true}
	if !x.stacks {
		opt.Tables = withoutStacks(x.level)
	}
	opt.Progress = engine.LimitMemory(opt.Workers, opt.Progress) // as the command does
	s, err := pipeline.Export(ctx, input, out, opt)
	if err != nil {
		return err
	}
	r.Instructions, r.Bytes = s.Totals.Instructions, s.Totals.Bytes
	if x.table != nil {
		r.Written = s.Tables[x.table.Name].Bytes
	}
	return nil
}
