// Package keep says how captures are kept for years and decoded again: what a dataset or an archive
// records of its export, how an interrupted one goes on, what is made again, and what of a dataset that
// is replaced stays as it is.
//
// Its API is not stable (docs/guide/library.md).
package keep

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// Options say what to export and how. The zero value is what the command does without flags.
type Options struct {
	Capture     capture.Options
	Level       schema.Level // AnyLevel: LevelInstructions
	Format      schema.Format
	Codec       string          // "" is the default of the format
	Tables      []*schema.Table // beside those always written; nil: those written by default
	Added       []*schema.Table // beside those that Tables says
	Sources     []uint8         // to decode; nil: all
	Window      *window.Window  // to decode; nil: all
	Workers     int             // 0: one for each processor that Go uses
	Overwrite   bool
	Labels      map[string]string
	TaskNames   map[uint32]string // by Context ID; of others that of their first function
	TimestampHz uint64            // 0: as the snapshot says
	CycleHz     uint64            // 0: not known
	MaxRows     int64             // of `instructions` or of `blocks`; 0: DefaultMaxRows; of no meaning for LevelNone
	// PacketsOnly asks for the tables that need no program in place
	// of Tables. Then it is no failure that nothing was executed.
	PacketsOnly bool
	// Without are tables that are not written, whatever else is asked for.
	Without []*schema.Table
	// AllowNothing asks for a dataset also if nothing was decoded.
	AllowNothing bool
	// Resumable asks that finished parts are kept if the export is interrupted; Resume to go on
	// with what is kept. Then the export is resumable again.
	Resumable, Resume bool

	Tool schema.Tool   // that the manifest names; none: this library
	Run  schema.Export // what the manifest says of this run
	// Families, if not nil, are the protocols that are decoded, in place of all.
	Families []decode.Family
	// PartRowGroups is that of [dataset.Options]: 0 is right, but for tests.
	PartRowGroups int
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(engine.Progress)
}

// Recorded returns what the manifest of an export keeps of its options; in is the capture.
func (o *Options) Recorded(in *Input) *schema.Options {
	r := in.options.Recorded(in.Capture)
	for _, id := range o.Sources {
		r.Sources = append(r.Sources, uint16(id))
	}
	for _, t := range o.Tables {
		r.Tables = append(r.Tables, t.Name)
	}
	for _, t := range o.Added {
		r.AddedTables = append(r.AddedTables, t.Name)
	}
	r.TaskNames, r.PacketsOnly = maps.Clone(o.TaskNames), o.PacketsOnly
	r.TimestampHz, r.CycleHz = o.TimestampHz, o.CycleHz
	return r
}

// Fill sets what is not given to what was recorded.
func (o *Options) Fill(r *schema.Options, labels map[string]string) {
	if o.Sources == nil {
		o.Sources = sourcesOf(r)
	}
	o.TaskNames = merged(r.TaskNames, o.TaskNames)
	o.Labels = merged(labels, o.Labels)
	o.TimestampHz, o.CycleHz = cmp.Or(o.TimestampHz, r.TimestampHz), cmp.Or(o.CycleHz, r.CycleHz)
}

// merged returns what is in one of two maps: in the second one, if it is in both.
func merged[K comparable](a, b map[K]string) map[K]string {
	m := map[K]string{}
	maps.Copy(m, a)
	maps.Copy(m, b)
	return m
}

// Names reports whether a table was asked for by its name: then it has all rows.
func (o *Options) Names(t *schema.Table) bool {
	return slices.Contains(o.Tables, t) || slices.Contains(o.Added, t)
}

// LargeTables are the tables that an archive does not hold, as they grow with the
// capture: they are made again of it.
func LargeTables() []*schema.Table {
	return []*schema.Table{
		&schema.Instructions, &schema.Blocks, &schema.BlockRuns, &schema.CodeBlocks, &schema.CycleCounts,
		&schema.Timestamps, &schema.Packets, &schema.DataAccesses,
	}
}
