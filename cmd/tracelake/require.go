package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// An unmetError says that a dataset was made, but that less of it is right than was
// asked for.
type unmetError struct {
	dir      string
	source   *pipeline.SourceSummary
	least    shareOf
	required float64 // in percent
}

func (e *unmetError) Error() string {
	text := fmt.Sprintf("%s: source %s: %s %s, but %v %% is required", e.dir, schema.SourceText(e.source.Source),
		figures.Share(e.least.share), e.least.what, e.required)
	if why := whatIsWrong(e.source.Reading, &e.source.Agreements); why != "" {
		text += ": " + why
	}
	return text
}

// A shareOf is a share of something, from 0 to 1.
type shareOf struct {
	share float64
	what  string // follows the share: "of the bytes are decoded"
}

// requirement returns what --require says, in percent; 0 is nothing.
func requirement(ctx *cli.Context) (float64, error) {
	if !ctx.IsSet("require") {
		return 0, nil
	}
	percent := ctx.Float64("require")
	if !(percent > 0 && percent <= 100) {
		return 0, usage(fmt.Sprintf("--require %v", percent), "is not a percentage that can be missed",
			"give more than 0, and 100 at most")
	}
	return percent, nil
}

// checkRequired fails with an [*unmetError] if less is right of a source that was
// decoded than is required: it names the source of which least is.
func checkRequired(dir string, s *pipeline.Summary, required float64) error {
	var worst *unmetError
	for i := range s.Sources {
		src := &s.Sources[i]
		if src.Reading == nil {
			continue // not decoded
		}
		least := leastShare(&src.SourceTotals, src.Reading.NoProgram)
		if 100*least.share < required && (worst == nil || least.share < worst.least.share) {
			worst = &unmetError{dir, src, least, required}
		}
	}
	if worst == nil {
		return nil
	}
	return worst
}

// leastShare returns the least of what is decoded, of that placed, and agrees with
// the program, if there is one.
func leastShare(s *schema.SourceTotals, noProgram bool) shareOf {
	if noProgram {
		return shareOf{s.DecodedShare().V, "of the bytes are decoded"}
	}
	least := shareOf{1, "of the bytes are decoded"}
	for _, x := range []struct {
		share schema.Null[float64]
		what  string
	}{
		{s.DecodedShare(), "of the bytes are decoded"},
		{s.PlacedShare(), "of the decoded bytes are placed"},
		{s.Agreement.Share(), "of the packets compared agree with the program"},
	} {
		if x.share.OK && x.share.V < least.share {
			least = shareOf{x.share.V, x.what}
		}
	}
	return least
}
