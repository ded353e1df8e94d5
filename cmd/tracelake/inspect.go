package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "says what is in a capture and whether it would decode",
		UsageText: "tracelake inspect INPUT [flags]",
		Description: `INPUT is anything. Of a snapshot directory, or a raw file with --protocol, it
says what is in it and whether it would decode. A raw file without --protocol is
read in every way there is: each protocol, as one stream and in frames, with
other values of registers. Other files and directories are named. In the end
stands what to type.
Of a long capture the first part is looked at: 64 MiB of each buffer, of which
1 MiB of each source is decoded.

Examples:
   tracelake inspect capture
   tracelake inspect etb.bin
   tracelake inspect etb.bin --protocol pft --framed -e firmware.elf
   tracelake inspect capture --json`,
		Flags: slices.Concat(inputFlags(), memoryFlags(), []cli.Flag{
			storeFlag(),
			&cli.BoolFlag{Name: "json", Category: groupOutput, Usage: "print one JSON object"},
		}),
		Action: inspect,
	}
}

func inspect(ctx *cli.Context) error {
	input, err := inputArgument(ctx)
	if err != nil {
		return err
	}
	opt := captureOptions(ctx)
	clear := showUnpacking(ctx.App.ErrWriter, &opt)
	in, err := pipeline.Inspect(ctx.Context, input, opt)
	clear()
	if err != nil {
		return err
	}
	if ctx.Bool("json") {
		err = writeJSON(ctx.App.Writer, in)
	} else {
		_, err = io.WriteString(ctx.App.Writer, inspectionText(in))
	}
	if err == nil && len(in.Sources) == 0 && len(in.Lines) == 0 {
		err = &unknownError{input}
	}
	return err
}

// An unknownError says that nobody knows what an input is.
type unknownError struct{ input string }

func (e *unknownError) Error() string {
	return e.input + ": is no trace that can be read as it is; give a snapshot directory or a raw file of trace (the memory of a program goes with one, as --image FILE@ADDR)"
}

// inspectionText puts an inspection into words.
func inspectionText(in *pipeline.Inspection) string {
	b := &strings.Builder{}
	b.WriteString(in.Input)
	if in.Description != "" {
		fmt.Fprintf(b, ": %s", in.Description)
	}
	b.WriteString("\n")
	if in.Found != nil {
		writeFound(b, in)
		return b.String()
	}
	if in.Guess != nil {
		writeGuess(b, in.Guess)
		if len(in.Sources) == 0 {
			return b.String()
		}
	}
	if in.TimestampHz != 0 {
		fmt.Fprintf(b, "timestamps at %s Hz\n", thousands(int64(in.TimestampHz)))
	}
	for i := range in.Buffers {
		writeBuffer(b, &in.Buffers[i])
	}
	for i := range in.Sources {
		inspectSource(b, &in.Sources[i])
	}
	writeImages(b, in.Images)
	writeNotes(b, in.Notes)
	writeLines(b, in.Lines)
	return b.String()
}

// writeLines says what to type next.
func writeLines(b *strings.Builder, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\nwhat to type\n")
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

func writeBuffer(b *strings.Builder, x *pipeline.BufferInspection) {
	fmt.Fprintf(b, "\nbuffer %s: %s, %s", x.Name, count(x.Bytes, "byte"), formatWords(x.Format))
	if x.FrameOffset != 0 {
		fmt.Fprintf(b, ", frames from offset 0x%x", x.FrameOffset)
	}
	if x.Looked < x.Bytes {
		fmt.Fprintf(b, "; the first %s looked at", thousands(x.Looked))
	}
	b.WriteString("\n")
	for _, id := range slices.Sorted(maps.Keys(x.Streams)) {
		fmt.Fprintf(b, "  %-14s %15s bytes\n", "source "+id, thousands(x.Streams[id]))
	}
	for _, kind := range slices.Sorted(maps.Keys(x.Overhead)) {
		if n := x.Overhead[kind]; n > 0 {
			fmt.Fprintf(b, "  %-14s %15s bytes\n", kind, thousands(n))
		}
	}
}

// formatWords says in words what a snapshot calls a format.
func formatWords(format string) string {
	switch format {
	case capture.CoreSight.String():
		return "formatter frames"
	case capture.DStream.String():
		return "formatter frames with sync packets"
	}
	return "one stream"
}

func inspectSource(b *strings.Builder, s *pipeline.SourceInspection) {
	unit := strings.TrimSuffix(s.Unit, "s")
	fmt.Fprintf(b, "\nsource %s%s: %s", s.Source, sourceWords(s.Source, s.Name, s.Protocol, s.Version, s.Core), count(s.Bytes, unit))
	if s.Buffer != "" {
		fmt.Fprintf(b, " in buffer %s", s.Buffer)
	}
	b.WriteString("\n")
	if len(s.Settings) > 0 {
		fmt.Fprintf(b, "  settings   %s\n", strings.Join(s.Settings, ", "))
	}
	if s.Problem != "" {
		fmt.Fprintf(b, "  problem    %s\n", s.Problem)
	}
	writeGuessed(b, s.Guessed)
	writeSuggested(b, s.Suggested)
	writeTrials(b, s.Trials)
	if s.Sample == nil {
		fmt.Fprintf(b, "  verdict    %s\n", s.Status)
		return
	}
	x := s.Sample
	fmt.Fprintf(b, "  sample     %s: %s decoded (%s), %s, %s unplaced\n", count(x.Bytes, unit),
		thousands(x.BytesDecoded), percent(x.BytesDecoded, x.Bytes), lostWords(x.BytesLost, x.Bytes, unit, x.Verdict), thousands(x.Unplaced))
	writeSynchronisations(b, x)
	writeStatuses(b, s.Statuses)
	if x.FIFO != nil {
		fmt.Fprintf(b, "  fifo       %s\n", fifoWords(x.FIFO))
	}
	if x.Bytes < s.Bytes {
		fmt.Fprintf(b, "  estimate   %s in all\n", count(x.Estimate, "instruction"))
	}
	for _, r := range x.Wanted {
		fmt.Fprintf(b, "  missing    program memory %s-%s, %s\n", r.First, r.Last, count(r.Stops, "stop"))
	}
	if x.OtherStops > 0 {
		fmt.Fprintf(b, "  missing    %s\n", otherStops(x.OtherStops))
	}
	fmt.Fprintf(b, "  verdict    %s\n", sampleVerdict(x))
	writeAnswers(b, s.Answers)
}

// writeSynchronisations says how often decoding can begin in a sample, and where first.
func writeSynchronisations(b *strings.Builder, x *pipeline.Sample) {
	first := "cut"
	b.WriteString("             ")
	if x.FIFO == nil {
		fmt.Fprintf(b, "%s, ", count(x.Asyncs, "A-sync"))
		first = "I-sync"
	}
	fmt.Fprintf(b, "%s, %s, %s", count(x.Segments, "segment"), count(x.Instructions, "instruction"), count(x.Exceptions, "exception"))
	if x.FirstCut != nil {
		fmt.Fprintf(b, "; the first %s is at offset 0x%x", first, *x.FirstCut)
	}
	b.WriteString("\n")
}

// sampleVerdict says how a sample decodes.
func sampleVerdict(x *pipeline.Sample) string {
	words := statusWords[x.Verdict.Status]
	if text := whatIsWrong(x.Verdict, &x.Agreements); text != "" {
		return words + ": " + text
	}
	if x.Verdict.NoProgram {
		words += ": the packets; instructions need the program: give it with -e FILE or --image FILE@ADDR"
	}
	return words
}

func writeImages(b *strings.Builder, images []pipeline.ImageInspection) {
	b.WriteString("\nprogram memory\n")
	if len(images) == 0 {
		b.WriteString("  none; give it with -e FILE or --image FILE@ADDR\n")
	}
	for _, i := range images {
		line := fmt.Sprintf("  %s %15s bytes  %s", i.Address, thousands(i.Bytes), i.File)
		if i.Space != "" {
			line += ", space " + i.Space
		}
		if i.Core != "" {
			line += ", core " + i.Core
		}
		b.WriteString(line + "\n")
	}
}
