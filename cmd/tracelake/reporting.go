package main

import (
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// A reporting is how a command that makes files of a capture says what it does.
type reporting struct {
	stderr            io.Writer // what it did, and how far it got; quiet: nowhere
	quiet, noProgress bool
}

// quietFlags are those of a reporting.
func quietFlags() []cli.Flag {
	return []cli.Flag{
		groupRun.bool("quiet", "print nothing but errors"),
		noProgressFlag(),
	}
}

func noProgressFlag() cli.Flag {
	return groupRun.bool("no-progress", "no progress bar (there is one on terminals only)")
}

// readReporting reads quietFlags.
func readReporting(ctx *cli.Context) reporting {
	r := reporting{stderr: ctx.App.ErrWriter, quiet: ctx.Bool("quiet"), noProgress: ctx.Bool("no-progress")}
	if r.quiet {
		r.stderr = io.Discard
	}
	return r
}

// begin readies options for a run over an input: what a manifest says of it, a limit of memory, and
// progress if stderr is a terminal. decoding is the bar, nil for none; the caller calls done at
// the end.
func (r *reporting) begin(o *pipeline.Options, input string) (decoding *progress, done func()) {
	describeRun(o, input)
	clear := func() {}
	if !r.noProgress {
		clear = showUnpacking(r.stderr, &o.Capture)
		decoding = progressOn(r.stderr, "decoding")
		o.Progress = decoding.show
	}
	o.Progress = engine.LimitMemory(o.Workers, o.Progress)
	return decoding, func() {
		decoding.clear()
		clear()
	}
}

// describeRun sets what a manifest says of the program, and of this run of it over an input.
func describeRun(o *pipeline.Options, input string) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // for people only, and not worth failing for
	}
	o.Tool = tool()
	o.Run = schema.Export{
		Command: os.Args, Input: input, Created: time.Now().UTC().Format(time.RFC3339), Host: host,
		Workers: o.Workers,
	}
}
