package main

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// An again decodes parts of captures again, for rows that their datasets do not have.
type again struct {
	ctx    *cli.Context
	images string          // where program memory of archives is, "": in them
	made   map[part]string // directories of what was made
}

// A part is a part of a source of a dataset, with rows of a level.
type part struct {
	dir    string
	source uint8
	span   window.Span
	level  schema.Level
}

// rows returns what makes rows of a dataset for report last.
func (a *again) rows(dir string) last.Rows {
	return func(source uint8, from, to last.Point) (string, error) {
		return a.decode(part{dir, source, window.Span{From: pointOf(from), To: pointOf(to)}, schema.LevelInstructions})
	}
}

// calls implements [timeline.Calls]. What is before and after the window says what was open there.
func (a *again) calls(dir string, source uint8, w timeline.Window) (string, error) {
	var span window.Span
	if w.From > timeline.Everything.From {
		span.From = pointOf(last.Point{Kind: last.AtSeq, N: max(0, w.From-last.LookBack)})
	}
	if w.Until < timeline.Everything.Until {
		span.To = pointOf(last.Point{Kind: last.AtSeq, N: w.Until + last.LookAhead})
	}
	return a.decode(part{dir, source, span, schema.LevelNone})
}

// decode makes a dataset of a part, and returns where it is.
func (a *again) decode(p part) (string, error) {
	if to, ok := a.made[p]; ok {
		return to, nil
	}
	files, err := temporaryFiles(a.ctx)
	if err != nil {
		return "", err
	}
	if a.made == nil {
		a.made = map[part]string{}
	}
	to := filepath.Join(files, fmt.Sprintf("part%d", len(a.made)))
	err = pipeline.ExportSpan(a.ctx.Context, p.dir, to, p.source, p.span, pipeline.Options{
		Workers: runtime.GOMAXPROCS(0), Level: p.level, Tool: tool(),
		Capture: capture.Options{ImageStore: a.images},
	})
	if err == nil {
		a.made[p] = to
	}
	return to, err
}

func pointOf(p last.Point) schema.Null[window.Point] {
	if p.Kind == last.AtOffset {
		return schema.Of(window.Point{Kind: window.ByOffset, N: p.N})
	}
	return schema.Of(window.Point{Kind: window.BySeq, N: p.N})
}
