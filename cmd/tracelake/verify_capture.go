package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/pipeline/keep"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
)

// ofCapture puts differences of what a capture decodes to from the dataset that was kept.
var ofCapture = wording{
	truth: "the dataset", cell: "%[2]s decodes to %[3]s, the dataset has %[4]s", row: "the row of the dataset is",
	rowMissing: "the capture does not decode to this row", rowExtra: "the dataset does not have this row", missing: "kept",
	extra: "decoded",
}

// readAgain reads what --capture needs.
func readAgain(ctx *cli.Context, args *verifyArgs) (err error) {
	switch args.capture {
	case "":
		return usage("--capture", "is without an input", "write --capture INPUT, a capture or an archive")
	case capture.Stdin:
		return usage("--capture -", "cannot be standard input", "give a file")
	}
	args.again = keep.VerifyOptions{Capture: captureOptions(ctx), Tool: tool()}
	args.again.Workers, err = jobs(ctx)
	return err
}

// decodeAgain decodes a capture again, and says what differs.
func decodeAgain(ctx *cli.Context, args *verifyArgs) error {
	stderr := ctx.App.ErrWriter
	defer showUnpacking(stderr, &args.again.Capture)()
	decoding, comparing := progressOn(stderr, "decoding "+filepath.Base(args.capture)), rowsOn(stderr, "comparing")
	defer decoding.clear()
	defer comparing.clear()
	args.again.Progress = decoding.show
	args.again.Comparing = func(done, total int64) {
		decoding.clear()
		comparing.set(done, total)
	}
	again, err := pipeline.Verify(ctx.Context, args.dir, args.capture, args.again)
	if err != nil {
		return err
	}
	decoding.clear()
	comparing.clear()
	var text strings.Builder
	if again.Unrecorded {
		text.WriteString(args.dir +
			" does not record the options of its export: they are to be given again, and not all can be\n")
	}
	for _, line := range again.Inputs {
		text.WriteString(line + "\n")
	}
	text.WriteString(verificationText(again.Rows, &ofCapture) + leftOutText(&again.Rows.LeftOut, &ofCapture))
	if _, err := io.WriteString(ctx.App.Writer, text.String()); err != nil {
		return err
	}
	if !again.Equal() {
		return fmt.Errorf("%s: %w", args.dir, errUndecoded)
	}
	return nil
}
