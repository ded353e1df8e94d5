package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
)

// screenArgs say what a screen can show, where that is not found out.
type screenArgs struct {
	width  *int // nil: found out; 0: any
	ascii  bool
	colour string
}

// The values of --color.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// defaultWidth is how wide text is where nothing says.
const defaultWidth = 100

func screenFlags() []cli.Flag {
	return []cli.Flag{
		groupOutput.int("width", "text for `N` columns; 0: any", "the terminal, COLUMNS, 100"),
		groupOutput.bool("ascii", "text in ASCII only"),
		&cli.StringFlag{
			Name: "color", Category: string(groupOutput), Value: colourAuto,
			Usage: "colours: `WHEN` is auto, always or never",
		},
	}
}

// readScreen reads the command line of what has screenFlags.
func readScreen(ctx *cli.Context) (screenArgs, error) {
	args := screenArgs{ascii: ctx.Bool("ascii"), colour: colourAuto}
	if ctx.IsSet("color") {
		args.colour = ctx.String("color")
	}
	if !slices.Contains([]string{colourAuto, colourAlways, colourNever}, args.colour) {
		return args, usage("--color "+args.colour, "is not known", "colours are auto, always and never")
	}
	if !ctx.IsSet("width") {
		return args, nil
	}
	args.width = new(ctx.Int("width"))
	if *args.width < 0 {
		return args, usage(fmt.Sprintf("--width %d", *args.width), "is too few",
			"give 1 or more, or 0 for lines of any length")
	}
	return args, nil
}
