package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// OfDataset returns what a window of a dataset is decoded of: if input is a dataset, its capture,
// with the options that it records and itself as the index, unless others are given. It fails
// with a [*dataset.Error] if the capture is not at hand.
func (o *Options) OfDataset(input string) (string, error) {
	if o.Window == nil || archive.Is(input) || !isDataset(input) {
		return input, nil
	}
	of, err := o.CaptureOf(input)
	if err == nil && o.Window.Index == "" {
		o.Window = &window.Window{Span: o.Window.Span, Index: input}
	}
	return of, err
}

// CaptureOf returns what a dataset was made of: if input is a dataset, its capture, with the options that it
// records, unless others are given. It fails with a [*dataset.Error] if the capture is not at hand.
func (o *Options) CaptureOf(input string) (string, error) {
	if archive.Is(input) || !isDataset(input) {
		return input, nil
	}
	r, err := OpenRecord(input, "")
	if err != nil {
		return "", err
	}
	defer r.Close()
	m, recorded := &r.Dataset.Manifest, r.recorded()
	if recorded == nil {
		return "", noCapture(input, "an earlier program wrote it, which did not record its options")
	}
	if _, err := os.Stat(m.Run.Input); err != nil {
		return "", noCapture(input, fmt.Sprintf("its capture %s is not there", m.Run.Input))
	}
	given := o.Capture.NamesPrograms()
	with, missing := o.Capture.With(recorded, r.finder(o.Capture))
	if len(missing) > 0 && !given {
		return "", missingArgument(input, recorded, missing[0])
	}
	o.Capture = with
	o.Fill(recorded, m.Labels)
	o.Run.Input = m.Run.Input
	return m.Run.Input, nil
}

func isDataset(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, schema.ManifestFile))
	return err == nil
}

func noCapture(dir, why string) error {
	return &dataset.Error{
		File: dir, Problem: "is a dataset, and " + why,
		Remedy: "give the capture, and the dataset with --index",
	}
}

// ExportSpan decodes a span of a source of the capture that the dataset or archive in dir was
// made of, with the options that it records and itself as the index, into a dataset in to.
// Of opt it takes Level, Workers, Tool, Families, and of Capture where the images of an archive are.
// That has rows of a level, and of all calls. The dataset may be the one in an archive. It fails with a
// [*dataset.Error] if the capture is not at hand.
func ExportSpan(ctx context.Context, dir, to string, source uint8, span window.Span, opt Options, export Export,
) (err error) {
	if in := archive.Of(dir); in != "" {
		dir = in
	}
	r, err := OpenRecord(dir, opt.Capture.ImageStore)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	input, from := dir, capture.Options{ImageStore: opt.Capture.ImageStore}
	switch {
	case r.archive == nil:
		input, from = r.Dataset.Manifest.Run.Input, capture.Options{}
	case len(r.archive.Missing()) > 0:
		return noMemory(dir, r.archive.Missing()[0])
	}
	if r.recorded() == nil {
		return noRows(dir, "does not say how it was made")
	}
	if _, err := os.Stat(input); err != nil {
		return noRows(dir, fmt.Sprintf("its capture %s is not there", input))
	}
	o, missing, err := r.options(r.recorded(), input, nil, from)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return noRows(dir, fmt.Sprintf("its program %s is not in it", missing[0].File))
	}
	o.Level, o.Format, o.Codec = opt.Level, schema.Parquet, ""
	o.Tables, o.Added, o.Without, o.PacketsOnly = nil, []*schema.Table{&schema.Calls}, nil, false
	o.Sources, o.Window, o.Workers, o.Tool = []uint8{source}, &window.Window{
		Span:  span,
		Index: dir,
	}, opt.Workers, opt.Tool
	o.Families = opt.Families
	return export(ctx, input, to, o, nil)
}

// noMemory is the error that program memory is not in an archive: what ran is not known without.
func noMemory(dir, name string) error {
	return &dataset.Error{
		File: dir, Problem: fmt.Sprintf("does not have all rows, and its program memory %s is not in it", name),
		Remedy: "say where it is with --images DIR; or give the capture",
	}
}

func noRows(dir, why string) error {
	return &dataset.Error{
		File: dir, Problem: "does not have all rows, and " + why,
		Remedy: "export again with --level blocks and --tables +calls; or give an archive",
	}
}
