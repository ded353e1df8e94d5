package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// recorded returns what the manifest of an export keeps of its options.
func (s *session) recorded(o *Options) *schema.Options {
	r := s.options.Recorded(s.capture)
	for _, id := range o.Sources {
		r.Sources = append(r.Sources, uint16(id))
	}
	for _, t := range o.Tables {
		r.Tables = append(r.Tables, t.Name)
	}
	r.TaskNames, r.TimestampHz, r.CycleHz, r.PacketsOnly = maps.Clone(o.TaskNames), o.TimestampHz, o.CycleHz, o.PacketsOnly
	return r
}

// fill sets what is not given to what was recorded.
func (o *Options) fill(r *schema.Options, labels map[string]string) {
	if o.Sources == nil {
		o.Sources = sourcesOf(r)
	}
	o.TaskNames = merged(r.TaskNames, o.TaskNames)
	o.Labels = merged(labels, o.Labels)
	if o.TimestampHz == 0 {
		o.TimestampHz = r.TimestampHz
	}
	if o.CycleHz == 0 {
		o.CycleHz = r.CycleHz
	}
}

// merged returns what is in one of two maps: in the second one, if it is in both.
func merged[K comparable](a, b map[K]string) map[K]string {
	m := map[K]string{}
	maps.Copy(m, a)
	maps.Copy(m, b)
	return m
}

// sourcesOf returns the sources that were decoded, nil for all. Numbers that are no
// trace ID are those of no source.
func sourcesOf(r *schema.Options) []uint8 {
	var ids []uint8
	for _, id := range r.Sources {
		if id <= math.MaxUint8 {
			ids = append(ids, uint8(id))
		}
	}
	return ids
}

// A Record is a dataset, or an archive with one, as what says how to make it again.
type Record struct {
	Dataset *dataset.Dataset
	archive *archive.Archive // nil: there is none
}

// OpenRecord opens the dataset or archive in dir; images are as in [archive.Open]. The
// caller closes it.
func OpenRecord(dir, images string) (*Record, error) {
	r := &Record{}
	var err error
	if archive.Is(dir) {
		if r.archive, err = archive.Open(dir, images); err != nil {
			return nil, err
		}
	}
	if r.Dataset, err = dataset.Open(dir); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close closes the record. Captures that were opened with its options are closed
// before.
func (r *Record) Close() error {
	var errs []error
	if r.Dataset != nil {
		errs = append(errs, r.Dataset.Close())
	}
	if r.archive != nil {
		errs = append(errs, r.archive.Close())
	}
	return errors.Join(errs...)
}

// recorded returns the options that were recorded, nil if an earlier program wrote the
// dataset.
func (r *Record) recorded() *schema.Options {
	if r.archive != nil {
		return &r.archive.Index.Options.Options
	}
	return r.Dataset.Manifest.Options
}

// Options returns the options with which [Export] of the capture at input makes the
// dataset again. c are options of the capture, which beat those that were recorded; of
// an input that is an archive its own are recorded. missing are the files of the
// command line which neither the archive nor c has, and without which the result is
// another. Workers, Tool, Run and Progress are left to the caller.
func (r *Record) Options(input string, c capture.Options) (o Options, missing []*schema.Argument, err error) {
	return r.options(r.recorded(), input, nil, c)
}

// options is Options for what is left of those that were recorded, nil if there are none. stored, if not
// nil, is the archive at input, which is open.
func (r *Record) options(recorded *schema.Options, input string, stored *archive.Archive, c capture.Options) (o Options, missing []*schema.Argument, err error) {
	m := &r.Dataset.Manifest
	if m.Window != nil {
		return o, nil, &dataset.Error{File: r.Dataset.Dir, Problem: "is a window of its capture", Remedy: "give the dataset that was its index"}
	}
	if o.Level, o.Format, err = formOf(m); err != nil {
		return o, nil, fmt.Errorf("%s: %w", r.Dataset.Dir, err)
	}
	o.Capture, o.Codec, o.Labels, o.MaxRows = c, m.Codec, maps.Clone(m.Labels), math.MaxInt64
	o.AllowNothing = r.archive != nil
	for _, t := range schema.Tables() {
		if !r.Dataset.Has(t) { // nor did an earlier program know it
			o.Without = append(o.Without, t)
		}
	}
	if recorded == nil {
		recorded = &schema.Options{Tables: slices.Sorted(maps.Keys(m.Tables))}
	}
	o.fill(recorded, nil)
	o.PacketsOnly = recorded.PacketsOnly
	for _, name := range recorded.Tables {
		if t := schema.FindTable(name); t != nil {
			o.Tables = append(o.Tables, t)
		}
	}
	switch {
	case stored != nil:
		c.ImageStore, c.Stored = "", stored
		o.Capture, missing = stored.ApplyTo(c, recorded)
	case archive.Is(input):
	case r.archive != nil:
		c.ImageStore = "" // it is open
		o.Capture, missing = r.archive.ApplyTo(c, recorded)
	default:
		o.Capture, missing = c.With(recorded, func(*schema.Argument) string { return "" })
	}
	return o, missing, nil
}

// formOf returns level and format of a dataset.
func formOf(m *schema.Manifest) (schema.Level, schema.Format, error) {
	for _, level := range schema.Levels() {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			if level.String() == m.Level && format.String() == m.Format {
				return level, format, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("level %q in format %q is not known", m.Level, m.Format)
}
