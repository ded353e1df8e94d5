package measure

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

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

// exports are the modes that write a dataset: what is written of instructions.
var exports = map[string]struct {
	level  schema.Level
	format schema.Format
	table  *schema.Table // nil: nothing is
}{
	"parquet": {schema.LevelInstructions, schema.Parquet, &schema.Instructions},
	"blocks":  {schema.LevelBlocks, schema.Parquet, &schema.Blocks},
	"none":    {schema.LevelNone, schema.Parquet, nil},
	"arrow":   {schema.LevelInstructions, schema.Arrow, &schema.Instructions},
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
		totals, err := pipeline.Count(ctx, input, pipeline.CountOptions{Capture: from, Workers: m.Workers, Tally: m.Name == "tally"})
		r.Instructions, r.Bytes = totals.Instructions, totals.Bytes
		return err
	}
	opt := pipeline.Options{Capture: from, Level: x.level, Format: x.format, Workers: m.Workers, Overwrite: true}
	opt.LimitMemory() // as the command does
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
