package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// partFlags say which part of a capture to decode.
func partFlags() []cli.Flag {
	return []cli.Flag{
		groupInput.stringOr("from",
			"decode only segments from this `POINT` on: an offset, seq=N, timestamp=N or segment=N", "the start"),
		groupInput.stringOr("to", "decode only segments that begin before this `POINT`", "the end"),
		groupInput.string("around", "decode only segments around a point: `POINT±M`, as seq=1000±50"),
		indexFlag(),
	}
}

// indexFlag says where segments are found.
func indexFlag() cli.Flag {
	return groupInput.string("index", "find --from and --to with the segments of `DIR`, a dataset of the whole capture")
}

// readPart reads the flags of a window; nil: all is decoded.
func readPart(ctx *cli.Context) (*pipeline.Window, error) {
	w := &pipeline.Window{Index: ctx.String("index")}
	if ctx.IsSet("around") {
		if ctx.IsSet("from") || ctx.IsSet("to") {
			return nil, usage("--around", "is given beside --from or --to", "leave out one of them")
		}
		var err error
		if w.Span, err = window.ParseAround(ctx.String("around")); err != nil {
			return nil, usage("--around "+ctx.String("around"), "is not a point and how much around it: "+err.Error(),
				"write --around seq=1000±50, or seq=1000+-50")
		}
		return w, nil
	}
	var err error
	if w.Span, err = readSpan(ctx); err != nil {
		return nil, err
	}
	switch from, to := w.From, w.To; {
	case !from.OK && !to.OK && w.Index != "":
		return nil, usage("--index "+w.Index, "is given without a window", "say which with --from, --to or --around")
	case !from.OK && !to.OK:
		return nil, nil
	case from.OK && to.OK && from.V.Kind == to.V.Kind && from.V.N >= to.V.N:
		return nil, usage("--to "+ctx.String("to"), "is not after --from "+ctx.String("from"), "give a later point")
	}
	return w, nil
}

// readSpan reads --from and --to.
func readSpan(ctx *cli.Context) (s window.Span, err error) {
	if s.From, err = readPoint(ctx, "from"); err == nil {
		s.To, err = readPoint(ctx, "to")
	}
	return s, err
}

func readPoint(ctx *cli.Context, flag string) (p schema.Null[window.Point], err error) {
	if !ctx.IsSet(flag) {
		return p, nil
	}
	text := ctx.String(flag)
	if p.V, err = window.ParsePoint(text); err != nil {
		return p, usage("--"+flag+" "+text, "is not a point of a capture: "+err.Error(),
			"write an offset as 0x400, or seq=N, timestamp=N or segment=N")
	}
	return schema.Of(p.V), nil
}
