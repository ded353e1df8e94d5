package main

import (
	"cmp"
	"fmt"
	"io"
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
		Description: `INPUT is a snapshot directory, its snapshot.ini, or a raw file with --protocol.
A raw file may be compressed (gzip, zstd) or come from standard input (-). Of a
dataset it is the capture that it was made of, if that is where it was.
All of it is decoded, nothing is written. A branch packet agrees with the
program if it follows an instruction that can branch there, a periodic I-sync if
it says where the program had got to. Intact trace with the program that ran
agrees to 100 %; with another program it does not.

Examples:
   tracelake report quality capture
   tracelake report quality etb.bin --protocol pft --framed -e firmware.elf
   tracelake report quality capture --json`,
		Flags: slices.Concat(inputFlags(), []cli.Flag{sourceFlag()}, memoryFlags(), []cli.Flag{
			storeFlag(),
			&cli.BoolFlag{Name: "json", Category: groupOutput, Usage: "print one JSON object"},
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
	_, err = io.WriteString(ctx.App.Writer, qualityText(report))
	return err
}

func readQuality(ctx *cli.Context) (opt pipeline.QualityOptions, err error) {
	opt.Capture = captureOptions(ctx)
	if opt.Sources, err = sources(ctx); err != nil {
		return opt, err
	}
	opt.Workers, err = jobs(ctx)
	return opt, err
}

// qualityText puts a report into words.
func qualityText(r *pipeline.QualityReport) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s: %s\n", r.Input, r.Verdict)
	for i := range r.Sources {
		writeQuality(b, &r.Sources[i])
	}
	if len(r.Notes) > 0 {
		b.WriteString("\nnotes\n  " + strings.Join(r.Notes, "\n  ") + "\n")
	}
	return b.String()
}

// writeMissingOf ranks the memory that a source misses.
func writeMissingOf(b *strings.Builder, m *plan.Missing) {
	label := "program memory missing"
	line := func(text string) {
		fmt.Fprintf(b, "  %-32s %s\n", label, text)
		label = ""
	}
	for _, r := range m.Wanted[:min(len(m.Wanted), missingShown)] {
		line(fmt.Sprintf("%s-%s  %s", r.First, r.Last, count(r.Stops, "stop")))
	}
	if more := len(m.Wanted) - missingShown; more > 0 {
		line("and " + count(int64(more), "more range"))
	}
	if m.OtherStops > 0 {
		line("and " + otherStops(m.OtherStops))
	}
}

// qualityLine is a line of the table of a source: label, number, remark.
const qualityLine = "  %-32s %15s   %s"

func writeQuality(b *strings.Builder, s *pipeline.SourceQuality) {
	fmt.Fprintf(b, "\nsource %s%s\n", s.Source, sourceWords(s.Source, s.Name, s.Protocol, s.Version, s.Core))
	if s.Reading != nil {
		words := string(*s.Verdict)
		if !s.Reading.Fine() {
			words += ": " + s.Reading.String() // how trace and program disagree follows below
		}
		fmt.Fprintf(b, "  %s\n", words)
	}
	line := func(label string, n int64, remark string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(qualityLine, label, thousands(n), remark), " ") + "\n")
	}
	switch {
	case s.Status == schema.SourceStatusNames[schema.StatusEmpty]:
		b.WriteString("  no bytes\n")
		return
	case s.Status != schema.SourceStatusNames[schema.StatusDecoded]:
		line(s.Unit, s.Bytes, "not decoded: "+cmp.Or(s.Problem, s.Status))
		return
	}
	line(s.Unit, s.Bytes, "")
	line("  decoded", s.BytesDecoded, percent(s.BytesDecoded, s.Bytes))
	line("  lost", s.BytesLost, percent(s.BytesLost, s.Bytes))
	for _, l := range s.LossReasons {
		line("    "+l.Reason, l.Bytes, count(l.Losses, "loss"))
	}
	line("  not matched to code", s.BytesUnplaced, percent(s.BytesUnplaced, s.Bytes))
	line("instructions", s.Instructions, "")
	line("exceptions", s.Exceptions, "")
	line("gaps", s.Gaps, "")
	line("segments", s.Segments, "")
	line("branch packets", s.Branches.Compared, notCompared(&s.Branches.Agreement))
	line("  agree with the program", s.Branches.Agree, share(&s.Branches.Agreement))
	line("    after an indirect branch", s.Branches.Indirect, "")
	line("    repeating a direct one", s.Branches.Repeated, "")
	line("periodic I-syncs", s.ISyncs.Compared, notCompared(&s.ISyncs))
	line("  agree with the program", s.ISyncs.Agree, share(&s.ISyncs))
	if s.FIFO != nil {
		line("offsets into the FIFO", s.FIFO.Offsets, "")
		line("  as counted", s.FIFO.OffsetsRight, percentOf(s.FIFO.OffsetsRight, s.FIFO.Offsets))
		line("waits", s.FIFO.Waits, "")
		line("  with no byte owed", s.FIFO.WaitsUnowed, percentOf(s.FIFO.WaitsUnowed, s.FIFO.Waits))
	}
	writeMissingOf(b, &s.Missing)
	if text := disagreement(&s.Agreements); text != "" {
		fmt.Fprintf(b, "  %s\n", text)
	}
	writeMisses(b, "branch packets", &s.Branches.Agreement, branchMiss)
	writeMisses(b, "periodic I-syncs", &s.ISyncs, isyncMiss)
}

func notCompared(a *probe.Agreement) string {
	if a.NotCompared == 0 {
		return ""
	}
	return fmt.Sprintf("and %s where the position in the program was not known", thousands(a.NotCompared))
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
		parts = append(parts, fmt.Sprintf("%s of %s branch packets (%s) follow an instruction that cannot branch there",
			thousands(branches), thousands(a.Branches.Compared), percent(branches, a.Branches.Compared)))
	}
	if isyncs > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s periodic I-syncs (%s) say another place than the program had got to",
			thousands(isyncs), thousands(a.ISyncs.Compared), percent(isyncs, a.ISyncs.Compared)))
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

// writeMisses lists where packets do not agree with the program.
func writeMisses(b *strings.Builder, kind string, a *probe.Agreement, words func(*probe.Miss) string) {
	if len(a.Misses) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  %s that do not agree", kind)
	if all := a.Compared - a.Agree; int64(len(a.Misses)) < all {
		fmt.Fprintf(b, ", the first %d of %s", len(a.Misses), thousands(all))
	}
	b.WriteString("\n")
	for i := range a.Misses {
		m := &a.Misses[i]
		fmt.Fprintf(b, "    offset 0x%08x  %s, the packet says %s %s", m.Offset, words(m), m.Found, m.FoundISA)
		if m.Security != "" {
			fmt.Fprintf(b, ", %s", m.Security)
		}
		b.WriteString("\n")
	}
}

// branchMiss says what was expected of a branch packet.
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
