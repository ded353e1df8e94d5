package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// A rowMaker makes rows of instructions of a dataset that has none, from its capture.
type rowMaker struct {
	ctx   *cli.Context
	dir   string
	made  int
	files string // directory of temporary files; "" until it is needed
}

// rows implements [report.Rows].
func (r *rowMaker) rows(source uint8, from, to last.Point) (string, error) {
	if r.files == "" {
		var err error
		if r.files, err = os.MkdirTemp("", "tracelake-last-"); err != nil {
			return "", fmt.Errorf("directory of temporary files: %w", err)
		}
	}
	r.made++
	dir := filepath.Join(r.files, fmt.Sprint(r.made))
	span := window.Span{From: pointOf(from), To: pointOf(to)}
	tool := schema.Tool{Name: "tracelake", Version: version()}
	return dir, pipeline.ExportSpan(r.ctx.Context, r.dir, dir, source, span,
		pipeline.Options{Workers: runtime.GOMAXPROCS(0), Tool: tool})
}

// close removes what was made, and returns err and what is wrong with that.
func (r *rowMaker) close(err error) error {
	if r.files == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(r.files))
}

func pointOf(p last.Point) schema.Null[window.Point] {
	if p.Kind == last.AtOffset {
		return schema.Of(window.Point{Kind: window.ByOffset, N: p.N})
	}
	return schema.Of(window.Point{Kind: window.BySeq, N: p.N})
}
