package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

// VerifyOptions say how to decode a capture again.
type VerifyOptions struct {
	// Capture has what was not recorded: files of the command line, if a dataset and no
	// archive is compared. Its options beat those that were recorded.
	Capture capture.Options
	// Workers, Families and Tool are as in [Options].
	Workers  int
	Families []decode.Family
	Tool     schema.Tool
	// Progress and Comparing, if not nil, are called now and then, by one goroutine at a
	// time; Comparing with the rows that are compared.
	Progress  func(engine.Progress)
	Comparing func(done, total int64)
}

// A Verified is what became of a dataset that was made again.
type Verified struct {
	// Unrecorded says that an earlier program wrote the dataset, which recorded no options.
	Unrecorded bool
	// Inputs says which files of the capture are not those that were decoded.
	Inputs []string
	// Rows compares the rows made again with those of the dataset, which is the truth.
	Rows *diff.Result
}

// Equal says whether the dataset was made of that capture.
func (v *Verified) Equal() bool { return len(v.Inputs) == 0 && v.Rows.Equal() }

// Verify makes the dataset in dir, or that of the archive in dir, again from the
// capture at input, and compares it. For that it needs as much room in the directory of
// temporary files as the dataset has.
func Verify(ctx context.Context, dir, input string, opt VerifyOptions, export Export) (verified *Verified, err error) {
	r, err := OpenRecord(dir, opt.Capture.ImageStore)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	x, err := r.Reopen(input, opt.Capture)
	if err != nil {
		return nil, err
	}
	o := x.Options
	o.Families = opt.Families
	o.Workers, o.Tool, o.Progress, o.AllowNothing = opt.Workers, opt.Tool, opt.Progress, true
	scratch, err := os.MkdirTemp("", "tracelake-verify-")
	if err != nil {
		return nil, fmt.Errorf("directory of temporary files: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	made := filepath.Join(scratch, "dataset")
	if err := export(ctx, input, made, o, nil); err != nil {
		return nil, err
	}
	d, err := dataset.Open(made)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	verified = &Verified{Unrecorded: r.recorded() == nil, Inputs: x.Others(d.Manifest.Inputs)}
	verified.Rows, err = diff.Compare(ctx, d, r.Dataset, opt.Comparing)
	return verified, err
}
