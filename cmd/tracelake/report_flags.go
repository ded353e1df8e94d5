package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
)

// datasetFlags say which datasets or captures to report on, and when not to. withSource: sources of captures are
// picked.
func datasetFlags(withSource bool) []cli.Flag {
	return append([]cli.Flag{
		groupInput.string("test", "only datasets exported with --label test=`LABEL`"),
		groupInput.bool("force", "report even if the ELF is not what ran; the report says so"),
	}, captureFlags(withSource)...)
}

// selectionFlags pick the part of the program that is asked about.
func selectionFlags() []cli.Flag {
	return []cli.Flag{
		groupInput.strings("function", "only functions whose name matches `GLOB`, or at an address; several add up"),
		groupInput.strings("file", "only code of source files that match `GLOB`; several add up"),
	}
}

// excludeFlags leave parts of the program out.
func excludeFlags() []cli.Flag {
	return []cli.Flag{
		groupInput.strings("exclude",
			"leave out a part of the program, `NAME=REASON`: NAME is a function, FILE or FILE:LINE"),
		groupInput.strings("exclude-from", "likewise, one a line of `FILE`; lines with # before them are comments"),
	}
}

// rowFlags say which rows a report has. by is what they stand for by default.
func rowFlags(by string) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{
			Name: "by", Category: string(groupOutput), Value: by, Usage: "a row for each `WHAT`: function, file or line",
		},
		topFlag(),
		jsonFlag(),
		csvFlag(),
	}, screenFlags())
}

func topFlag() cli.Flag {
	return groupOutput.int("top", "at most `N` rows; 0: all", "20; with --json or --csv all")
}

func jsonFlag() cli.Flag {
	return groupOutput.bool("json", "print one JSON object")
}

func csvFlag() cli.Flag {
	return groupOutput.bool("csv", "print the rows as CSV, under the keys of --json; not those of --baseline")
}

// defaultTop is how many rows a table has if --top does not say.
const defaultTop = 20

// top returns the greatest number of rows, 0 for all.
func top(ctx *cli.Context) (int, error) {
	switch n := ctx.Int("top"); {
	case n < 0:
		return 0, usage(fmt.Sprintf("--top %d", n), "is too few", "give 1 or more, or 0 for all")
	case !ctx.IsSet("top") && !ctx.Bool("json") && !ctx.Bool("csv"):
		return defaultTop, nil
	default:
		return n, nil
	}
}

// rowsBy returns what rows stand for; functions if nobody says.
func rowsBy(ctx *cli.Context) (report.By, error) {
	if ctx.String("by") == "" && !ctx.IsSet("by") {
		return report.ByFunction, nil
	}
	kinds := []report.By{report.ByFunction, report.ByFile, report.ByLine}
	i := slices.IndexFunc(kinds, func(b report.By) bool { return b.String() == ctx.String("by") })
	if i < 0 {
		return 0, usage("--by "+ctx.String("by"), "is not a kind of row", "kinds are function, file and line")
	}
	return kinds[i], nil
}

// exclusions returns what --exclude and --exclude-from say.
func exclusions(ctx *cli.Context) ([]report.Exclusion, error) {
	var all []report.Exclusion
	for _, text := range ctx.StringSlice("exclude") {
		e, ok := parseExclusion(text)
		if !ok {
			return nil, usage("--exclude "+text, "has no reason", "write --exclude NAME=REASON, which the report shows")
		}
		all = append(all, e)
	}
	for _, path := range ctx.StringSlice("exclude-from") {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, unreadable(path, err, "give a file with a line NAME=REASON for each part to leave out")
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			e, ok := parseExclusion(line)
			if !ok {
				return nil, fmt.Errorf("%s:%d: %q has no reason; write NAME=REASON, which the report shows", path, n, line)
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// exclusionForm takes NAME=REASON apart. A name of C++ may have a = of its own:
// operator==(A, B).
var exclusionForm = regexp.MustCompile(`^((?:operator[-+*/%^&|!<>=]{0,2}=|[^=])+)=(.+)$`)

func parseExclusion(text string) (report.Exclusion, bool) {
	parts := exclusionForm.FindStringSubmatch(text)
	if parts == nil {
		return report.Exclusion{}, false
	}
	e := report.Exclusion{Name: strings.TrimSpace(parts[1]), Reason: strings.TrimSpace(parts[2])}
	return e, e.Name != "" && e.Reason != ""
}
