package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/probe"
)

// Inspect says what input is, and whether it would decode: see [probe.Inspect].
func Inspect(ctx context.Context, input string, opt capture.Options) (*Inspection, error) {
	return inspectAs(ctx, input, opt, Protocols())
}

// inspectAs is Inspect with these protocols.
func inspectAs(ctx context.Context, input string, opt capture.Options, families []decode.Family,
) (*probe.Inspection, error) {
	return probe.Inspect(ctx, input, probe.Options{
		Capture: opt, Families: families, Archived: archive.Is(input),
		Open: func(ctx context.Context, input string, opt capture.Options) (*probe.Opened, error) {
			in, err := keep.Open(ctx, input, families, opt)
			if err != nil {
				return nil, err
			}
			return &probe.Opened{Capture: in.Capture, Sources: in.Sources(nil), Close: in.Close}, nil
		},
	})
}
