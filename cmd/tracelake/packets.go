package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

func packetsCommand() *cli.Command {
	return &cli.Command{
		Name:      "packets",
		Usage:     "list the packets of a capture, one line each",
		UsageText: "tracelake packets INPUT [flags]",
		Description: `INPUT is a snapshot directory, its snapshot.ini, a perf.data of Linux perf or
simpleperf, or a raw file with --protocol. A file may be compressed (gzip, zstd)
or come from standard input (-).
A line has the offset in the capture, the source, the bytes, the type and the
fields of a packet. Bytes that are no packets have a line, too: unsynced, lost.
Of ` + list(protocolNames(true), "and") + ` a line is a sample: its status, TRACEPKT with * for
TRACESYNC, then the bytes that it owes and what they say. Samples that a capture
need not have (trace disabled) share a line.

Examples:
   tracelake packets capture
   tracelake packets capture --source 0x13 --from 0x400 --to 0x500
   tracelake packets capture --index run --from seq=1000 --to seq=1001
   tracelake packets ptm.bin --protocol pft --reg ETMCR=0x1400 --json`,
		Flags: slices.Concat(inputFlags(), []cli.Flag{
			sourceFlag(), storeFlag(),
			groupOutput.stringOr("from",
				"only packets from this `POINT` on: an offset as 0x400 or 1024; with --index seq=N, timestamp=N or "+
					"segment=N", "the start"),
			groupOutput.stringOr("to", "only packets before this `POINT`", "the end"),
			groupInput.string("index", "find points with the segments of `DIR`, a dataset of the whole capture"),
			groupOutput.bool("json", "print a JSON object for each packet, one a line"),
		}),
		Action: packets,
	}
}

func packets(ctx *cli.Context) error {
	input, err := inputArgument(ctx)
	if err != nil {
		return err
	}
	opt, err := readPackets(ctx)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(ctx.App.Writer)
	write := writePacket
	if ctx.Bool("json") {
		write = writePacketJSON
	}
	if terminal(ctx.App.Writer) == nil { // else the lines show it
		p := progressOn(ctx.App.ErrWriter, "listing")
		defer p.clear()
		opt.Progress = p.show
		defer showUnpacking(ctx.App.ErrWriter, &opt.Capture)()
	}
	err = pipeline.Packets(ctx.Context, input, opt, func(p pipeline.PacketLine) error { return write(out, &p) })
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return unknownSource(ctx, err)
}

func readPackets(ctx *cli.Context) (pipeline.PacketOptions, error) {
	opt := pipeline.PacketOptions{Capture: captureOptions(ctx), To: -1}
	var err error
	if opt.Sources, err = sources(ctx); err != nil {
		return opt, err
	}
	w := pipeline.Window{Index: ctx.String("index")}
	if w.Span, err = readSpan(ctx); err != nil {
		return opt, err
	}
	if to := w.To; to.OK && to.V.Kind == w.From.V.Kind && to.V.N < w.From.V.N {
		return opt, usage("--to "+ctx.String("to"), "is before --from "+ctx.String("from"), "give a later point")
	}
	if w.From.V.Kind != window.ByOffset || w.To.V.Kind != window.ByOffset {
		opt.Window = &w
		return opt, nil
	}
	if w.Index != "" {
		return opt, usage("--index "+w.Index, "is given without a point that needs it",
			"give it with seq=N, timestamp=N or segment=N; offsets are found without it")
	}
	if opt.From = w.From.V.N; w.To.OK {
		opt.To = w.To.V.N
	}
	return opt, nil
}

// writePacket writes a line for people:
//
//	0x00000400  0x13  08 00 10 00 00 29   i_sync  address=0x00001000 isa=a32
//
// or, of a sample,
//
//	0x00000014  0x00  be     80*    80 80 82 80 10   address=0x00008000 at=0x00000014
func writePacket(w io.Writer, p *pipeline.PacketLine) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, "0x%08x  %s  ", p.Offset, schema.SourceText(p.Source))
	if p.Pins == "" {
		writeBytes(b, p)
	} else {
		writeSample(b, p)
	}
	for _, f := range p.Fields {
		value := fmt.Sprint(f.Value)
		if strings.ContainsAny(value, " \"") {
			value = strconv.Quote(value)
		}
		fmt.Fprintf(b, " %s=%s", f.Name, value)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBytes writes the bytes and the type of a packet.
func writeBytes(b *strings.Builder, p *pipeline.PacketLine) {
	const room = 3*8 - 1 // most packets have 8 bytes at most
	fmt.Fprintf(b, "%-*s  %s", room, fmt.Sprintf("% x", p.Bytes), p.Type)
	if p.Len > int64(len(p.Bytes)) {
		fmt.Fprintf(b, " bytes=%d", p.Len)
	}
}

// writeSample writes the status and the pins of a sample, and the bytes that it owes.
func writeSample(b *strings.Builder, p *pipeline.PacketLine) {
	text := fmt.Sprintf("%-5s  %-5s", p.Type, p.Pins)
	if len(p.Bytes) > 0 {
		text += fmt.Sprintf("  % x  ", p.Bytes)
	}
	if p.Len > 1 {
		text += fmt.Sprintf(" samples=%d", p.Len)
	} else if len(p.Fields) == 0 {
		text = strings.TrimRight(text, " ")
	}
	b.WriteString(text)
}

// writePacketJSON writes a line for programs.
func writePacketJSON(w io.Writer, p *pipeline.PacketLine) error {
	line, err := json.Marshal(struct {
		Source string          `json:"source"`
		Offset int64           `json:"offset"`
		Length int64           `json:"length"`
		Pins   string          `json:"pins,omitempty"`
		Bytes  string          `json:"bytes"` // hex
		Type   string          `json:"type"`
		Fields json.RawMessage `json:"fields"`
	}{
		schema.SourceText(p.Source), p.Offset, p.Len, p.Pins, hex.EncodeToString(p.Bytes), p.Type,
		json.RawMessage(p.JSON()),
	})
	if err != nil {
		return fmt.Errorf("packet at offset 0x%x: %w", p.Offset, err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
