package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/visible"
	"github.com/tracelake/tracelake/pipeline"
)

// progressInterval is the least time between two updates of the bar.
const progressInterval = 100 * time.Millisecond

// terminal returns the terminal that w writes to, nil if w writes to something on
// which no bar can be drawn. A bar is drawn past the [visible.Writer].
func terminal(w io.Writer) *os.File {
	if v, ok := w.(*visible.Writer); ok {
		w = v.Underlying()
	}
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// A progress draws a bar: bytes, their rate, instructions per second, time
// left. It has no colours.
type progress struct {
	w              io.Writer
	bar            *progressbar.ProgressBar // nil before the first update
	started, shown time.Time
}

func newProgress(w io.Writer) *progress { return &progress{w: w} }

// show draws how far the export has come, unless it did so just now. A terminal
// that cannot be written to is no reason to stop.
func (p *progress) show(at pipeline.Progress) {
	now := time.Now()
	if at.Total == 0 || now.Sub(p.shown) < progressInterval {
		return
	}
	p.shown = now
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(at.Total, progressbar.OptionSetDescription("decoding"),
			progressbar.OptionSetWriter(p.w), progressbar.OptionShowBytes(true), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(16), progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(progressInterval/2)) // so that Describe does not draw once more
		p.started = now
		_ = p.bar.RenderBlank()
		return
	}
	_ = p.bar.Set64(at.Bytes)
	p.bar.Describe(fmt.Sprintf("%.1f M instr/s", float64(at.Instructions)/now.Sub(p.started).Seconds()/1e6))
}

// clear takes the bar off the terminal.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
