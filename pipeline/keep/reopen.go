package keep

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Reopen is the capture of a record, to be decoded again.
type Reopen struct {
	Input   string
	Options Options // as recorded, but for those that are given

	// Reuse, if not nil, is what of the dataset stays as it is.
	Reuse    *Reuse
	inputs   []schema.InputFile // that were decoded
	recorded *schema.Options    // the files that these name are none of the capture
}

// Reopen says how the capture at input is decoded again, with the options that the record has; those
// of c beat them. Workers, tool, run and progress are left to the caller. It fails with a
// [*capture.InputError] if a file of the command line is missing, and no other is given.
func (r *Record) Reopen(input string, c capture.Options) (*Reopen, error) {
	o, missing, err := r.options(r.recorded(), input, nil, c)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 && !c.NamesPrograms() {
		return nil, missingArgument(r.Dataset.Dir, r.recorded(), missing[0])
	}
	return &Reopen{Input: input, Options: o, inputs: r.Dataset.Manifest.Inputs, recorded: r.recorded()}, nil
}

// options returns the options with which the dataset is made again of the capture at input, but for
// workers, tool, run and progress. recorded is what is left of what was recorded, nil if nothing was;
// c beats it. stored, if not nil, is the archive at input, which is open. missing are the files of the
// command line which neither an archive nor c has, and without which the result is another.
func (r *Record) options(
	recorded *schema.Options, input string, stored *archive.Archive, c capture.Options,
) (o Options, missing []*schema.Argument, err error) {
	m := &r.Dataset.Manifest
	if m.Window != nil {
		return o, nil, &dataset.Error{
			File: r.Dataset.Dir, Problem: "is a window of its capture",
			Remedy: "give the dataset that was its index",
		}
	}
	if o.Level, o.Format, err = formOf(m); err != nil {
		return o, nil, fmt.Errorf("%s: %w", r.Dataset.Dir, err)
	}
	o.Capture, o.Codec, o.Labels, o.MaxRows = c, m.Codec, maps.Clone(m.Labels), math.MaxInt64
	o.AllowNothing = r.archive != nil
	for _, t := range schema.Tables() {
		if !r.Dataset.Has(t) {
			o.Without = append(o.Without, t)
		}
	}
	if r.Dataset.Older() { // it is that of an archive
		o.Without = LargeTables()
	}
	if recorded == nil {
		recorded = &schema.Options{Tables: slices.Sorted(maps.Keys(m.Tables))}
	}
	o.Fill(recorded, nil)
	o.PacketsOnly = recorded.PacketsOnly
	o.Tables, o.Added = append(o.Tables, known(recorded.Tables)...), append(o.Added, known(recorded.AddedTables)...)
	switch {
	case stored != nil:
		c.ImageStore, c.Stored = "", stored
		o.Capture, missing = stored.ApplyTo(c, recorded)
	case archive.Is(input):
	case r.archive != nil:
		c.ImageStore = "" // it is open
		o.Capture, missing = r.archive.ApplyTo(c, recorded)
	default:
		o.Capture, missing = c.With(recorded, r.finder(c))
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

// missingArgument returns the error that a file of the command line is to be given again.
func missingArgument(dir string, recorded *schema.Options, a *schema.Argument) error {
	flag := "--elf"
	for name, list := range map[string][]schema.Argument{"--image": recorded.Images, "--symbols": recorded.Symbols} {
		if slices.ContainsFunc(list, func(b schema.Argument) bool { return b == *a }) {
			flag = name
		}
	}
	remedy := "give all such files again"
	if a.Mapped {
		remedy = "give it again with -e FILE"
	}
	return &capture.InputError{
		File:    dir,
		Problem: fmt.Sprintf("was decoded with %s %s%s%s of SHA-256 %s", flag, a.Before, a.File, a.After, a.SHA256),
		Remedy:  remedy,
	}
}

// isArgument says whether the command line named a file.
func (x *Reopen) isArgument(f *schema.InputFile) bool {
	return slices.ContainsFunc(slices.Concat(x.recorded.ELFs, x.recorded.Images, x.recorded.Symbols),
		func(a schema.Argument) bool {
			return a.File == f.Path && a.SHA256 == f.SHA256
		})
}

// Demand fails with a [*capture.InputError] unless the files of the capture, but those of the command
// line, are those that were decoded. hashed are all files of the capture.
func (x *Reopen) Demand(in *Input, hashed []schema.InputFile) error {
	var own []schema.InputFile
	for i, f := range hashed {
		if in.Files[i].Kind != capture.ArgumentFile {
			own = append(own, f)
		}
	}
	for i := range x.inputs {
		f := &x.inputs[i]
		switch {
		case len(own) > 0 && own[0].SHA256 == f.SHA256:
			own = own[1:]
		case x.isArgument(f):
		case len(own) == 0:
			return in.other(f.Path + " is missing")
		default:
			return in.other(fmt.Sprintf("the SHA-256 of %s is %s, and was %s", own[0].Path, own[0].SHA256, f.SHA256))
		}
	}
	if len(own) > 0 {
		return in.other("it did not have " + own[0].Path)
	}
	return nil
}

// other is the error that the capture is not the one that was decoded.
func (in *Input) other(why string) error {
	return &capture.InputError{
		File: in.Capture.Path, Problem: "is not the capture that was decoded: " + why,
		Remedy: "give that one",
	}
}

// Others says which files of a capture are not those that were decoded.
func (x *Reopen) Others(now []schema.InputFile) []string {
	var others []string
	for _, f := range x.inputs {
		if slices.ContainsFunc(now, func(g schema.InputFile) bool { return g.SHA256 == f.SHA256 }) {
			continue
		}
		text := fmt.Sprintf("%s: is missing, whose SHA-256 is %s", f.Path, f.SHA256)
		if i := slices.IndexFunc(now, func(g schema.InputFile) bool { return g.Path == f.Path }); i >= 0 {
			text = fmt.Sprintf("%s: is not the file that was decoded: its SHA-256 is %s, and was %s", f.Path,
				now[i].SHA256, f.SHA256)
		}
		others = append(others, text)
	}
	return others
}

// known returns the tables of names that this program knows.
func known(names []string) (tables []*schema.Table) {
	for _, name := range names {
		if t := schema.FindTable(name); t != nil {
			tables = append(tables, t)
		}
	}
	return tables
}
