package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

// AgainOptions say how to decode a capture again.
type AgainOptions struct {
	// Capture has what was not recorded: files of the command line, if a dataset and no
	// archive is compared. Its options beat those that were recorded.
	Capture capture.Options
	Workers int // at least 1
	Tool    schema.Tool
	// Progress and Comparing, if not nil, are called now and then, by one goroutine at a
	// time; Comparing with the rows that are compared.
	Progress  func(Progress)
	Comparing func(done, total int64)
}

// Again is what became of a dataset that was made again.
type Again struct {
	// Unrecorded says that an earlier program wrote the dataset, which recorded no options.
	Unrecorded bool
	// Inputs says which files of the capture are not those that were decoded.
	Inputs []string
	// Rows compares the rows made again with those of the dataset, which is the truth.
	Rows *diff.Result
}

// Equal says whether the dataset was made of that capture.
func (a *Again) Equal() bool { return len(a.Inputs) == 0 && a.Rows.Equal() }

// DecodeAgain makes the dataset in dir, or that of the archive in dir, again from the
// capture at input, and compares it. For that it needs as much room in the directory of
// temporary files as the dataset has.
func DecodeAgain(ctx context.Context, dir, input string, opt AgainOptions) (again *Again, err error) {
	r, err := OpenRecord(dir, opt.Capture.ImageStore)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	o, missing, err := r.Options(input, opt.Capture)
	if err != nil {
		return nil, err
	}
	if c := &opt.Capture; len(missing) > 0 && len(c.ELFs)+len(c.Images)+len(c.Symbols) == 0 {
		return nil, missingArgument(dir, r.recorded(), missing[0])
	}
	o.Workers, o.Tool, o.Progress, o.AllowNothing = opt.Workers, opt.Tool, opt.Progress, true
	scratch, err := os.MkdirTemp("", "tracelake-again-")
	if err != nil {
		return nil, fmt.Errorf("directory of temporary files: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	made := filepath.Join(scratch, "dataset")
	if _, err := Export(ctx, input, made, o); err != nil {
		return nil, err
	}
	d, err := dataset.Open(made)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	again = &Again{Unrecorded: r.recorded() == nil, Inputs: otherInputs(r.Dataset.Manifest.Inputs, d.Manifest.Inputs)}
	again.Rows, err = diff.Compare(ctx, d, r.Dataset, opt.Comparing)
	return again, err
}

// missingArgument returns the error that a file of the command line is to be given again.
func missingArgument(dir string, recorded *schema.Options, a *schema.Argument) error {
	flag := "--elf"
	for name, list := range map[string][]schema.Argument{"--image": recorded.Images, "--symbols": recorded.Symbols} {
		if slices.ContainsFunc(list, func(b schema.Argument) bool { return b == *a }) {
			flag = name
		}
	}
	return &capture.InputError{
		File: dir, Problem: fmt.Sprintf("was decoded with %s %s%s%s of SHA-256 %s", flag, a.Before, a.File, a.After, a.SHA256), Remedy: "give all such files again",
	}
}

// otherInputs says which files of a capture are not those that were decoded.
func otherInputs(decoded, now []schema.InputFile) []string {
	var others []string
	for _, f := range decoded {
		if slices.ContainsFunc(now, func(g schema.InputFile) bool { return g.SHA256 == f.SHA256 }) {
			continue
		}
		text := fmt.Sprintf("%s: is missing, whose SHA-256 is %s", f.Path, f.SHA256)
		if i := slices.IndexFunc(now, func(g schema.InputFile) bool { return g.Path == f.Path }); i >= 0 {
			text = fmt.Sprintf("%s: is not the file that was decoded: its SHA-256 is %s, and was %s", f.Path, now[i].SHA256, f.SHA256)
		}
		others = append(others, text)
	}
	return others
}
