package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/report/visible"
	"github.com/tracelake/tracelake/schema"
)

// underlying is the writer behind a [visible.Writer], for text that is to act.
func underlying(w io.Writer) io.Writer {
	if v, ok := w.(*visible.Writer); ok {
		return v.Underlying()
	}
	return w
}

// progressInterval is the least time between two updates of the bar.
const progressInterval = 100 * time.Millisecond

// terminal returns the terminal that w writes to, nil if w writes to something on
// which no bar can be drawn. A bar is drawn past the [visible.Writer].
func terminal(w io.Writer) *os.File {
	f, ok := underlying(w).(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// A progress draws a bar: what is done, its rate, time left. It has no colours. A nil
// progress draws nothing.
type progress struct {
	w              io.Writer
	what           string                   // is being done
	rows           bool                     // are counted, not bytes
	bar            *progressbar.ProgressBar // nil before the first update
	started, shown time.Time
}

// newProgress returns a bar on w that counts bytes.
func newProgress(w io.Writer, what string) *progress { return &progress{w: w, what: what} }

// progressOn returns a bar on the terminal that stderr is, nil if it is none.
func progressOn(stderr io.Writer, what string) *progress {
	if screen := terminal(stderr); screen != nil {
		return newProgress(screen, what)
	}
	return nil
}

// rowsOn returns a bar that counts rows.
func rowsOn(stderr io.Writer, what string) *progress {
	p := progressOn(stderr, what)
	if p != nil {
		p.rows = true
	}
	return p
}

// set draws how much is done, unless it did so just now. A terminal that cannot be
// written to is no reason to stop.
func (p *progress) set(done, total int64) { p.draw(done, total, "") }

// show draws how far an export has come.
func (p *progress) show(at pipeline.Progress) {
	words := ""
	if p != nil && p.bar != nil && at.Instructions > 0 {
		words = fmt.Sprintf("%.1f M instr/s", float64(at.Instructions)/time.Since(p.started).Seconds()/1e6)
	}
	p.draw(at.Bytes, at.Total, words)
}

// draw draws the bar, with words in front if they are not empty.
func (p *progress) draw(done, total int64, words string) {
	now := time.Now()
	if p == nil || total <= 0 || now.Sub(p.shown) < progressInterval {
		return
	}
	p.shown = now
	if p.bar == nil {
		p.bar, p.started = p.newBar(total), now
		_ = p.bar.RenderBlank()
		return
	}
	_ = p.bar.Set64(min(done, total))
	if words != "" {
		p.bar.Describe(words)
	}
}

func (p *progress) newBar(total int64) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetDescription(p.what), progressbar.OptionSetWriter(p.w), progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(16), progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(progressInterval / 2), // so that Describe does not draw once more
	}
	if p.rows {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"))
	} else {
		options = append(options, progressbar.OptionShowBytes(true))
	}
	return progressbar.NewOptions64(total, options...)
}

// showUnpacking draws a bar on stderr while an input is unpacked. The caller calls
// clear when that is over.
func showUnpacking(stderr io.Writer, opt *capture.Options) (clear func()) {
	p := progressOn(stderr, "unpacking")
	opt.Unpacking = func(read, total int64) {
		if read == total {
			p.clear()
			return
		}
		p.set(read, total)
	}
	return p.clear
}

// clear takes the bar off the terminal.
func (p *progress) clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

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
