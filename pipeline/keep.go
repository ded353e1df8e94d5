package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/schema"
)

// An ArchiveSummary says what was archived.
type ArchiveSummary struct {
	keep.Archived
	Export *Summary
}

// Archive puts the capture at input into an archive in dir: see [keep.Archive].
func Archive(ctx context.Context, input, dir string, opt ArchiveOptions) (*ArchiveSummary, error) {
	s := &ArchiveSummary{}
	opt.Export = withDefaults(opt.Export)
	done, err := keep.Archive(ctx, input, dir, opt, summarize(&s.Export))
	if err != nil {
		return nil, err
	}
	s.Archived = *done
	return s, nil
}

// summarize returns what exports, and puts the summary there.
func summarize(summary **Summary) keep.Export {
	return func(ctx context.Context, input, dir string, o Options, from *keep.Reopen) (err error) {
		*summary, err = export(ctx, input, dir, o, from)
		return err
	}
}

// A Redecoded is what became of a dataset.
type Redecoded struct {
	*Summary
	Before schema.Totals // of the dataset as it was
	// Segments is how many were decoded: all of the sources that are not kept as they were.
	Segments int64
}

// Redecode decodes again the capture that the dataset or archive in dir is of, with another program: see
// [keep.Redecode].
func Redecode(ctx context.Context, dir, input string, opt Options) (*Redecoded, error) {
	done := &Redecoded{}
	var err error
	if done.Before, err = keep.Redecode(ctx, dir, input, withDefaults(opt), summarize(&done.Summary)); err != nil {
		return nil, err
	}
	for i := range done.Sources {
		if s := &done.Sources[i]; !s.Kept {
			done.Segments += s.Segments
		}
	}
	return done, nil
}

// Verify makes the dataset in dir, or that of the archive in dir, again from the capture at input, and
// compares it: see [keep.Verify].
func Verify(ctx context.Context, dir, input string, opt VerifyOptions) (*Verified, error) {
	var summary *Summary
	opt.Families, opt.Workers, opt.Tool = orAll(opt.Families), orProcessors(opt.Workers), orLibrary(opt.Tool)
	return keep.Verify(ctx, dir, input, opt, summarize(&summary))
}

// ExportSpan decodes a span of a source of the capture that the dataset or archive in dir was made of: see
// [keep.ExportSpan].
func ExportSpan(ctx context.Context, dir, to string, source uint8, span Span, opt Options) error {
	var summary *Summary
	return keep.ExportSpan(ctx, dir, to, source, span, withDefaults(opt), summarize(&summary))
}
