package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/pipeline/report/answer"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "say what is in a capture and whether it can be decoded",
		UsageText: "tracelake inspect INPUT [flags]",
		Description: `INPUT is anything. Of a snapshot directory, a perf.data of Linux perf or
simpleperf, or a raw file with --protocol, it says what is in it and whether it
can be decoded. A raw file without --protocol is read in every way there
is: each protocol, as one stream and in frames, with other values of registers.
Other files and directories are named. The last lines are the next steps.
Of a long capture the first part is looked at: 64 MiB of each buffer, of which
1 MiB of each source is decoded.

Examples:
   tracelake inspect capture
   tracelake inspect perf.data --sysroot root
   tracelake inspect etb.bin
   tracelake inspect etb.bin --protocol pft --framed -e firmware.elf
   tracelake inspect capture --json`,
		Flags: slices.Concat(inputFlags(), memoryFlags(), []cli.Flag{
			storeFlag(),
			jsonFlag(),
		}, screenFlags()),
		Action: inspect,
	}
}

func inspect(ctx *cli.Context) error {
	input, err := inputArgument(ctx)
	if err != nil {
		return err
	}
	screenArgs, err := readScreen(ctx)
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
	} else if in.Found == nil || len(in.Lines) > 0 { // else the error says it all
		s := newScreen(ctx.App.Writer, &screenArgs)
		s.inspection(in)
		err = s.writeTo(ctx.App.Writer)
	}
	switch nothing := len(in.Sources) == 0 && len(in.Lines) == 0; {
	case err != nil || !nothing:
		return err
	case in.Found != nil:
		return &identify.Error{Input: input, Found: in.Found}
	}
	return &unknownError{input}
}

// An unknownError says that nobody knows what an input is.
type unknownError struct{ input string }

func (e *unknownError) Error() string {
	return e.input +
		": not a trace that can be read as it is; give a snapshot directory, a perf.data or a raw file of trace (the " +
		"memory of a program goes with one, as --image FILE@ADDR)"
}

// inspection puts an inspection into words.
func (s *screen) inspection(in *probe.Inspection) {
	if in.Found != nil {
		s.found(in)
		return
	}
	if in.Verdict != "" {
		j := judgedOf(&in.Judged, samplesOf(in))
		j.gaps = schema.Null[int64]{}
		s.verdict(j)
	}
	if in.Description != "" {
		s.line("%s: %s", in.Input, in.Description)
	} else {
		s.line("%s", in.Input)
	}
	if in.Guess != nil {
		s.guess(in.Guess)
		if len(in.Sources) == 0 {
			return
		}
	}
	if in.TimestampHz != 0 {
		s.line("timestamps at %s Hz", thousands(int64(in.TimestampHz)))
	}
	for i := range in.Buffers {
		s.buffer(&in.Buffers[i])
	}
	for i := range in.Sources {
		s.inspected(&in.Sources[i])
	}
	s.images(in.Images)
	s.notes(in.Notes)
	s.commands(in.Lines)
}

// samplesOf is what was decoded of each source.
func samplesOf(in *probe.Inspection) []pipeline.SourceSummary {
	var sources []pipeline.SourceSummary
	for i := range in.Sources {
		x := &in.Sources[i]
		if x.Sample == nil {
			continue
		}
		var s pipeline.SourceSummary
		s.Bytes, s.BytesDecoded, s.Unit, s.Status = x.Sample.Bytes, x.Sample.BytesDecoded, x.Unit,
			schema.SourceStatusNames[schema.StatusDecoded]
		a := &x.Sample.Agreements
		s.Agreement = &schema.Agreement{
			BranchChecks: a.Branches.Compared, BranchAgrees: a.Branches.Agree,
			ISyncChecks: a.ISyncs.Compared, ISyncAgrees: a.ISyncs.Agree,
		}
		sources = append(sources, s)
	}
	return sources
}

// commands are the next steps: lines to copy, which are not broken.
func (s *screen) commands(lines []string) {
	if len(lines) == 0 {
		return
	}
	s.blank()
	s.line("next steps")
	for _, line := range lines {
		s.whole("  " + line)
	}
}

// buffer says what a buffer is made of.
func (s *screen) buffer(x *probe.BufferInspection) {
	text := fmt.Sprintf("buffer %s: %s, %s", x.Name, count(x.Bytes, "byte"), formatWords(x.Format))
	if x.FrameOffset != 0 {
		text += fmt.Sprintf(", frames from offset 0x%x", x.FrameOffset)
	}
	if x.Looked < x.Bytes {
		text += fmt.Sprintf("; the first %s looked at", thousands(x.Looked))
	}
	s.blank()
	s.line("%s", text)
	t := shareTable("PART", "SHARE", "BYTES")
	whole := min(x.Looked, x.Bytes)
	add := func(name string, n int64) {
		t.Add(table.Bar{Full: float64(n), Whole: float64(whole)}, name, cellPercent(n, whole), thousands(n))
	}
	for _, id := range slices.Sorted(maps.Keys(x.Streams)) {
		add("source "+id, x.Streams[id])
	}
	for _, kind := range slices.Sorted(maps.Keys(x.Overhead)) {
		if n := x.Overhead[kind]; n > 0 {
			add(kind, n)
		}
	}
	if t.Rows() > 0 {
		s.table(t)
	}
}

// shareTable is a table of shares, with a bar for each.
func shareTable(name, share, of string, more ...answer.Column) *table.Table {
	return &table.Table{Columns: append([]answer.Column{
		{Title: name, Weight: answer.Name},
		{Title: share, Weight: answer.Main},
		{Weight: answer.Share},
		{Title: of, Weight: answer.Main},
	}, more...)}
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

func (s *screen) inspected(x *probe.SourceInspection) {
	unit := strings.TrimSuffix(x.Unit, "s")
	in := ""
	if x.Buffer != "" {
		in = " in buffer " + x.Buffer
	}
	s.blank()
	s.line("source %s%s: %s%s", x.Source, sourceWords(x.Source, x.Name, x.Protocol, x.Version, x.Core),
		count(x.Bytes, unit), in)
	if len(x.Settings) > 0 {
		s.item("settings", "%s", strings.Join(x.Settings, ", "))
	}
	if x.Problem != "" {
		s.item("problem", "%s", x.Problem)
	}
	s.guessed(x.Guessed)
	s.suggested(x.Suggested)
	s.trials(x.Trials)
	if x.Sample == nil {
		s.item("verdict", "%s", x.Status)
		return
	}
	s.sample(x, unit)
	s.item("verdict", "%s", sampleVerdict(x.Sample))
	s.answers(x.Answers)
}

// sample says what was decoded of a source.
func (s *screen) sample(source *probe.SourceInspection, unit string) {
	x := source.Sample
	s.item("sample", "%s: %s decoded (%s), %s, %s not matched to code", count(x.Bytes, unit),
		thousands(x.BytesDecoded), percent(x.BytesDecoded, x.Bytes), lostWords(x.BytesLost, x.Bytes, unit, x.Reading),
		thousands(x.Unplaced))
	s.item("", "%s", synchronisations(x))
	if source.Statuses != nil {
		s.item("statuses", "%s", source.Statuses)
	}
	if x.FIFO != nil {
		s.item("fifo", "%s", fifoWords(x.FIFO))
	}
	if x.Bytes < source.Bytes {
		s.item("estimate", "%s in all", count(x.Estimate, "instruction"))
	}
	for _, r := range x.Wanted {
		s.item("missing", "program memory %s-%s, %s%s", r.First, r.Last, count(r.Stops, "stop"), inFile(&r))
	}
	if x.OtherStops > 0 {
		s.item("missing", "%s", otherStops(x.OtherStops))
	}
}

// synchronisations says how often decoding can begin in a sample, and where first.
func synchronisations(x *probe.Sample) string {
	text := ""
	if x.FIFO == nil {
		text = count(x.Asyncs, "A-sync") + ", "
	}
	text += fmt.Sprintf("%s, %s, %s", count(x.Segments, "segment"), count(x.Instructions, "instruction"),
		count(x.Exceptions, "exception"))
	if x.FirstCut != nil {
		text += fmt.Sprintf("; the first %s is at offset 0x%x", x.Cut, *x.FirstCut)
	}
	return text
}

// sampleVerdict says how a sample decodes.
func sampleVerdict(x *probe.Sample) string {
	words := string(*x.Verdict)
	if text := whatIsWrong(x.Reading, &x.Agreements); text != "" {
		return words + ": " + text
	}
	if x.Reading.NoProgram {
		words += ": instructions need the program; give it with -e FILE or --image FILE@ADDR"
	}
	return words
}

// images lists the program memory.
func (s *screen) images(images []probe.ImageInspection) {
	s.blank()
	s.line("program memory")
	if len(images) == 0 {
		s.indented("none; give it with -e FILE or --image FILE@ADDR")
		return
	}
	t := &table.Table{Columns: []answer.Column{
		{Title: "ADDRESS", Weight: answer.Main},
		{Title: "BYTES", Weight: answer.Main},
		{Title: "FILE", Weight: answer.Path},
		{Title: "OF", Weight: answer.Remark},
	}}
	for _, i := range images {
		var of []string
		if i.Space != "" {
			of = append(of, "space "+i.Space)
		}
		if i.Core != "" {
			of = append(of, "core "+i.Core)
		}
		t.Add(table.Bar{}, i.Address, thousands(i.Bytes), i.File, strings.Join(of, ", "))
	}
	s.table(t)
}

// found says what an input is that is no capture.
func (s *screen) found(in *probe.Inspection) {
	s.line("%s", in.Found.Sentence(in.Input))
	s.commands(in.Lines)
}

// framingWords says how streams are in a file.
func framingWords(framed bool) string {
	if framed {
		return "in formatter frames"
	}
	return "as one stream"
}

// confidenceWords are the words for a confidence.
var confidenceWords = map[probe.Confidence]string{
	probe.Certain: "certainly", probe.Likely: "probably", probe.Uncertain: "perhaps",
	probe.NoGuess: "no trace that is read here",
}

// guess says how a raw file was read, the best way first.
func (s *screen) guess(g *probe.Guess) {
	words := confidenceWords[g.Confidence]
	if g.Confidence != probe.NoGuess {
		words += " trace " + framingWords(g.Framed)
	}
	s.indented("%s; read in every way:", words)
	t := shareTable("READ AS", "DECODED", "OF", answer.Column{Weight: answer.Remark})
	for i := range g.Tried {
		x := &g.Tried[i]
		t.Add(table.Bar{Full: float64(x.Decoded.N), Whole: float64(x.Decoded.Total)}, x.Protocol+" "+framingWords(x.Framed),
			s.exact(x.Decoded.N, x.Decoded.Total), count(x.Decoded.Total, strings.TrimSuffix(x.Unit, "s")), cutWords(x))
	}
	if t.Rows() > 0 {
		s.table(t)
	}
}

// cutWords says how many cuts there are, and whether they can be right.
func cutWords(t *probe.Tried) string {
	words := count(t.ISyncs, t.Cut)
	decoded := float64(t.Decoded.N) / float64(max(t.Decoded.Total, 1))
	if t.ISyncs > 0 && t.Rate < decoded/2 {
		words += " that no trace unit sends"
	}
	return words
}

// guessed says what a source of a raw file is, and what its stream says about the
// registers.
func (s *screen) guessed(g *probe.Guessed) {
	if g == nil {
		return
	}
	if g.Confidence != probe.NoGuess && len(g.Tried) > 1 {
		next := &g.Tried[1]
		s.item("protocol", "%s %s; as %s %s decodes, with %s", confidenceWords[g.Confidence], g.Tried[0].Protocol,
			next.Protocol, percent(next.Decoded.N, next.Decoded.Total), cutWords(next))
	}
	if len(g.Unseen) > 0 {
		s.item("unknown", "%s: only the program shows it; inspect again with -e FILE", strings.Join(g.Unseen, ", "))
	}
}

// suggested says with which values of registers the stream reads better.
func (s *screen) suggested(suggested []probe.Suggestion) {
	for _, x := range suggested {
		s.item("suggested", "%s: %s (%s fits, %s without)", x.Register, x.Means, figures.Share(x.With),
			figures.Share(x.Without))
	}
}

// trials lists how the settings did that were left to be found.
func (s *screen) trials(trials []probe.TrialResult) {
	label := "trials"
	for _, x := range trials {
		s.pair(label, fmt.Sprintf("%-32s", x.Settings), fmt.Sprintf("%s of %s checks right, %s", thousands(x.Right),
			thousands(x.Checks), count(x.Errors, "error")))
		label = ""
	}
}

// fifoWords says how far statuses and bytes of samples fit together.
func fifoWords(f *probe.FIFOAgreement) string {
	right := "no offset to compare"
	if f.Offsets > 0 {
		right = fmt.Sprintf("%s of %s right (%s)", thousands(f.OffsetsRight), count(f.Offsets, "offset"),
			percent(f.OffsetsRight, f.Offsets))
	}
	waits := "no wait"
	if f.Waits > 0 {
		waits = fmt.Sprintf("%s of %s with no byte owed (%s)", thousands(f.WaitsUnowed), count(f.Waits, "wait"),
			percent(f.WaitsUnowed, f.Waits))
	}
	return fmt.Sprintf("%s, %s, %s", right, waits, count(f.Reserved, "reserved header"))
}

// questionWords are a question, and what answers it: in the singular.
var questionWords = map[decode.Question]struct{ question, evidence string }{
	decode.AskCycles:     {"how many cycles?", "cycle count"},
	decode.AskTimestamps: {"at what time?", "timestamp"},
	decode.AskContexts:   {"in which task?", "context"},
	decode.AskData:       {"which data?", "data access"},
	decode.AskConditions: {"did it pass its condition?", ""},
}

// answers says which questions a source can answer, and what to set in the trace unit
// for the others.
func (s *screen) answers(answers []probe.Answer) {
	label := "answers"
	for i := range answers {
		a := &answers[i]
		s.pair(label, fmt.Sprintf("%-26s", questionWords[a.Question].question), answerWords(a))
		label = ""
	}
}

func answerWords(a *probe.Answer) string {
	evidence := questionWords[a.Question].evidence
	switch {
	case a.Yes && a.Seen > 0:
		return "yes, " + count(a.Seen, evidence)
	case a.Yes:
		return "yes"
	case a.Why != "":
		return "no: " + a.Why
	case a.Enabled:
		return "no " + evidence + " in the sample, though the registers say that they are traced"
	}
	return "no: set " + a.Set
}
