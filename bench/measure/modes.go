package measure

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

// A Mode is what tracelake is measured doing, and with how many workers: "decode" to
// runs, "tally" what ran too, or one of the exports.
type Mode struct {
	Name    string
	Workers int
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

// OneAndTwo are modes with one worker and with two, in turns.
func OneAndTwo(names ...string) []Mode {
	var modes []Mode
	for _, name := range names {
		modes = append(modes, Mode{name, 1}, Mode{name, 2})
	}
	return modes
}

func (m Mode) String() string { return m.Name + "/" + strconv.Itoa(m.Workers) }

// ParseMode reads what [Mode.String] writes.
func ParseMode(word string) (Mode, error) {
	name, number, _ := strings.Cut(word, "/")
	workers, err := strconv.Atoi(number)
	if _, export := exports[name]; err != nil || !export && name != "decode" && name != "tally" {
		return Mode{}, fmt.Errorf("mode %q is not known", word)
	}
	return Mode{name, workers}, nil
}

// Do does what m says with the capture at input, and sets what was decoded and
// written. A dataset goes to out.
func (m Mode) Do(input, out string, images []string, r *Run) error {
	runtime.GOMAXPROCS(m.Workers)
	ctx, from := context.Background(), capture.Options{Images: images}
	x, export := exports[m.Name]
	if !export {
		totals, err := pipeline.Count(ctx, input, pipeline.CountOptions{
			Capture: from, Workers: m.Workers,
			Tally: m.Name == "tally",
		})
		r.Instructions, r.Bytes = totals.Instructions, totals.Bytes
		return err
	}
	opt := pipeline.Options{Capture: from, Level: x.level, Format: x.format, Workers: m.Workers, Overwrite: true}
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
