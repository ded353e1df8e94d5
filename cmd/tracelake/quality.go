package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

func qualityCommand() *cli.Command {
	return &cli.Command{
		Name:      "quality",
		Usage:     "say how much was decoded and agrees with the program",
		UsageText: "tracelake report quality INPUT [flags]",
		Description: `INPUT is a snapshot directory, its snapshot.ini, a perf.data of Linux perf or
simpleperf, or a raw file with --protocol. A file may be compressed (gzip, zstd)
or come from standard input (-). Of a dataset it is the capture that it was made
of, if that is where it was.
All of it is decoded, nothing is written. A branch address agrees with the
program if it follows an instruction that can branch there, a periodic
synchronisation if it says where the program had got to. Intact trace with the
program that ran agrees to 100 %; with another program it does not.

Examples:
   tracelake report quality capture
   tracelake report quality etb.bin --protocol pft --framed -e firmware.elf
   tracelake report quality capture --json`,
		Flags: slices.Concat(inputFlags(), []cli.Flag{sourceFlag()}, memoryFlags(), []cli.Flag{
			storeFlag(),
			groupOutput.bool("json", "print one JSON object"),
			jobsFlag("decode on `N` cores"),
		}),
		Action: quality,
	}
}

func quality(ctx *cli.Context) error {
	input, err := inputArgument(ctx)
	if err != nil {
		return err
	}
	opt, err := readQuality(ctx)
	if err != nil {
		return err
	}
	p := progressOn(ctx.App.ErrWriter, "decoding")
	opt.Progress = p.show
	defer showUnpacking(ctx.App.ErrWriter, &opt.Capture)()
	report, err := pipeline.Quality(ctx.Context, input, opt)
	p.clear()
	if err != nil {
		return unknownSource(ctx, err)
	}
	if ctx.Bool("json") {
		return writeJSON(ctx.App.Writer, report)
	}
	s := newScreen(ctx.App.Writer, &screenArgs{})
	s.quality(report)
	return s.writeTo(ctx.App.Writer)
}

func readQuality(ctx *cli.Context) (opt pipeline.QualityOptions, err error) {
	opt.Capture = captureOptions(ctx)
	if opt.Sources, err = sources(ctx); err != nil {
		return opt, err
	}
	opt.Workers, err = jobs(ctx)
	return opt, err
}

// quality puts a report into words.
func (s *screen) quality(r *pipeline.QualityReport) {
	s.line("%s: %s", r.Input, r.Verdict)
	for i := range r.Sources {
		s.sourceQuality(&r.Sources[i])
	}
	s.notes(r.Notes)
}

// missingOf ranks the memory that a source misses.
func (s *screen) missingOf(m *plan.Missing) {
	label := "program memory missing"
	line := func(text string) {
		s.paragraph(fmt.Sprintf(qualityLabel, label), text)
		label = ""
	}
	for _, r := range m.Wanted[:min(len(m.Wanted), missingShown)] {
		line(fmt.Sprintf("%s-%s  %s%s", r.First, r.Last, count(r.Stops, "stop"), inFile(&r)))
	}
	if more := len(m.Wanted) - missingShown; more > 0 {
		line("and " + count(int64(more), "more range"))
	}
	if m.OtherStops > 0 {
		line("and " + otherStops(m.OtherStops))
	}
}

// qualityLabel is what a figure of a source is of.
const qualityLabel = "  %-27s "

// qualityLine writes a figure of a source, and a remark beside it or, where there is too little room, below.
func (s *screen) qualityLine(label string, n int64, remark string) {
	figure := fmt.Sprintf(qualityLabel+"%13s", label, thousands(n))
	switch beside := figure + "   "; {
	case remark == "":
		s.whole(figure)
	case s.Width > 0 && len(beside)+min(len(remark), leastText) > s.Width:
		s.whole(figure)
		s.paragraph("      ", remark)
	default:
		s.paragraph(beside, remark)
	}
}

func (s *screen) sourceQuality(x *pipeline.SourceQuality) {
	s.blank()
	s.line("source %s%s", x.Source, sourceWords(x.Source, x.Name, x.Protocol, x.Version, x.Core))
	if x.Reading != nil {
		words := string(*x.Verdict)
		if !x.Reading.Fine() {
			words += ": " + x.Reading.String() // how trace and program disagree follows below
		}
		s.indented("%s", words)
	}
	line := s.qualityLine
	switch {
	case x.Status == schema.SourceStatusNames[schema.StatusEmpty]:
		s.indented("no bytes")
		return
	case x.Status != schema.SourceStatusNames[schema.StatusDecoded]:
		line(x.Unit, x.Bytes, "not decoded: "+cmp.Or(x.Problem, x.Status))
		return
	}
	line(x.Unit, x.Bytes, "")
	line("  decoded", x.BytesDecoded, percent(x.BytesDecoded, x.Bytes))
	line("  lost", x.BytesLost, percent(x.BytesLost, x.Bytes))
	for _, l := range x.LossReasons {
		line("    "+l.Reason, l.Bytes, count(l.Losses, "loss"))
	}
	line("  not matched to code", x.BytesUnplaced, percent(x.BytesUnplaced, x.Bytes))
	line("instructions", x.Instructions, "")
	line("exceptions", x.Exceptions, "")
	line("gaps", x.Gaps, "")
	line("segments", x.Segments, "")
	line("branch addresses", x.Branches.Compared, notCompared(&x.Branches.Agreement))
	line("  agree with the program", x.Branches.Agree, share(&x.Branches.Agreement))
	line("    after an indirect branch", x.Branches.Indirect, "")
	line("    repeating a direct one", x.Branches.Repeated, "")
	line("periodic synchronisations", x.ISyncs.Compared, notCompared(&x.ISyncs))
	line("  agree with the program", x.ISyncs.Agree, share(&x.ISyncs))
	if x.FIFO != nil {
		line("offsets into the FIFO", x.FIFO.Offsets, "")
		line("  as counted", x.FIFO.OffsetsRight, percentOf(x.FIFO.OffsetsRight, x.FIFO.Offsets))
		line("waits", x.FIFO.Waits, "")
		line("  with no byte owed", x.FIFO.WaitsUnowed, percentOf(x.FIFO.WaitsUnowed, x.FIFO.Waits))
	}
	s.missingOf(&x.Missing)
	if text := disagreement(&x.Agreements); text != "" {
		s.indented("%s", text)
	}
	s.misses("branch addresses", &x.Branches.Agreement, branchMiss)
	s.misses("periodic synchronisations", &x.ISyncs, isyncMiss)
}

func notCompared(a *probe.Agreement) string {
	if a.NotCompared == 0 {
		return ""
	}
	return fmt.Sprintf("%s more at unknown positions", thousands(a.NotCompared))
}

// share is the part that agrees, empty where there is nothing to agree.
func share(a *probe.Agreement) string { return percentOf(a.Agree, a.Compared) }

// percentOf is n of total in percent, empty if the total is 0.
func percentOf(n, total int64) string {
	if total == 0 {
		return ""
	}
	return percent(n, total)
}

// The program that ran may have changed itself, for example its vectors: with fewer
// misses than this, and where this share of packets agrees, there is no question.
const (
	missesAsked = 10
	shareAsked  = 0.999
)

// disagreement says in one line that trace and program do not agree, or nothing. It
// asks whether this is the program that ran if more than a few packets disagree.
func disagreement(a *probe.Agreements) string {
	branches, isyncs := a.Branches.Compared-a.Branches.Agree, a.ISyncs.Compared-a.ISyncs.Agree
	if branches+isyncs == 0 {
		return ""
	}
	if branches+isyncs < missesAsked && agrees(&a.Branches.Agreement) && agrees(&a.ISyncs) {
		return butFor(slices.Concat(a.Branches.Misses, a.ISyncs.Misses))
	}
	var parts []string
	if branches > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s (%s) follow an instruction that cannot branch there",
			thousands(branches), count(a.Branches.Compared, "branch address"), percent(branches, a.Branches.Compared)))
	}
	if isyncs > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s (%s) say another place than the program had got to",
			thousands(isyncs), count(a.ISyncs.Compared, "periodic synchronisation"), percent(isyncs, a.ISyncs.Compared)))
	}
	return strings.Join(parts, ", and ") + ": is this the program that ran?"
}

// agrees reports whether all packets of one kind agree, or nearly all.
func agrees(a *probe.Agreement) bool {
	return a.Compared == 0 || float64(a.Agree) >= shareAsked*float64(a.Compared)
}

// butFor names the addresses of the program that have misses.
func butFor(misses []probe.Miss) string {
	var addresses []string
	for _, m := range misses {
		addresses = append(addresses, cmp.Or(m.After, m.Expected))
	}
	slices.Sort(addresses)
	return fmt.Sprintf("trace and program agree but for %s, at %s", count(int64(len(misses)), "exception"),
		strings.Join(slices.Compact(addresses), ", "))
}

// misses lists where packets do not agree with the program.
func (s *screen) misses(kind string, a *probe.Agreement, words func(*probe.Miss) string) {
	if len(a.Misses) == 0 {
		return
	}
	first := ""
	if all := a.Compared - a.Agree; int64(len(a.Misses)) < all {
		first = fmt.Sprintf(", the first %d of %s", len(a.Misses), thousands(all))
	}
	s.blank()
	s.indented("%s that do not agree%s", kind, first)
	for i := range a.Misses {
		m := &a.Misses[i]
		text := fmt.Sprintf("%s, the packet says %s %s", words(m), m.Found, m.FoundISA)
		if m.Security != "" {
			text += ", " + m.Security
		}
		s.paragraph(fmt.Sprintf("    offset 0x%08x  ", m.Offset), text)
	}
}

// branchMiss says what was expected of a branch address.
func branchMiss(m *probe.Miss) string {
	if m.After == "" {
		return fmt.Sprintf("no branch in the code from %s %s on", m.Expected, m.ExpectedISA)
	}
	return fmt.Sprintf("after %s the program continues at %s %s", m.After, m.Expected, m.ExpectedISA)
}

// isyncMiss says what was expected of an I-sync.
func isyncMiss(m *probe.Miss) string {
	return fmt.Sprintf("the program had got to %s %s", m.Expected, m.ExpectedISA)
}
