package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/archive"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// ExportSpan decodes a span of a source of the capture that the dataset or archive in dir was
// made of, with the options that it records and itself as the index, into a dataset in to.
// That has rows of instructions. It fails with a [*dataset.Error] if the capture is not at
// hand.
func ExportSpan(ctx context.Context, dir, to string, source uint8, span window.Span, opt Options) (err error) {
	r, err := OpenRecord(dir, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	input := dir
	if !archive.Is(dir) {
		input = r.Dataset.Manifest.Run.Input
	}
	if r.recorded() == nil {
		return noRows(dir, "does not say how it was made")
	}
	if _, err := os.Stat(input); err != nil {
		return noRows(dir, fmt.Sprintf("its capture %s is not there", input))
	}
	o, missing, err := r.Options(input, capture.Options{})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return noRows(dir, fmt.Sprintf("its program %s is not in it", missing[0].File))
	}
	o.Level, o.Format, o.Codec, o.Tables, o.Without, o.PacketsOnly = schema.LevelInstructions, schema.Parquet, "", nil, nil, false
	o.Sources, o.Window, o.Workers, o.Tool = []uint8{source}, &Window{Span: span, Index: dir}, opt.Workers, opt.Tool
	_, err = Export(ctx, input, to, o)
	return err
}

func noRows(dir, why string) error {
	return &dataset.Error{File: dir, Problem: "has counts of what was executed, and no rows of it, and " + why, Remedy: "export again with --level blocks, and without --tables; or give an archive"}
}
