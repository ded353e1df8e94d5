package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// missingShown is how many missing ranges a summary names.
const missingShown = 10

// summaryText says what an export to dir came to.
func summaryText(dir string, s *pipeline.Summary) string {
	b := &strings.Builder{}
	first := count(s.Totals.Instructions, "instruction")
	if s.PacketsOnly {
		first = count(s.Tables[schema.Packets.Name].Rows, "packet")
	}
	fmt.Fprintf(b, "%s: %s: %s, %s, %s\n", dir, statusWords[overall(s.Sources)],
		first, count(s.Totals.Exceptions, "exception"), count(s.Totals.Gaps, "gap"))
	writeVerdicts(b, s.Sources)
	for i := range s.Sources {
		writeSource(b, &s.Sources[i])
	}
	writeMissing(b, s.Sources)
	writeNotes(b, s.Notes)
	b.WriteString("\n")
	writeTables(b, s.Tables)
	return b.String()
}

// writeSource says how much of a source was understood.
func writeSource(b *strings.Builder, s *pipeline.SourceSummary) {
	fmt.Fprintf(b, "\nsource %s%s\n", schema.SourceText(s.Source), sourceWords(schema.SourceText(s.Source), s.Name, s.Protocol, s.Version, s.Core))
	switch {
	case s.Status == schema.SourceStatusNames[schema.StatusEmpty]:
		b.WriteString("  no bytes\n")
		return
	case s.Status != schema.SourceStatusNames[schema.StatusDecoded]:
		fmt.Fprintf(b, "  %s, not decoded: %s\n", count(s.Bytes, strings.TrimSuffix(s.Unit, "s")), cmp.Or(s.Problem, s.Status))
		return
	}
	unit := strings.TrimSuffix(s.Unit, "s")
	fmt.Fprintf(b, "  %s: %s decoded (%s), %s, %s unplaced (%s)\n", count(s.Bytes, unit),
		thousands(s.BytesDecoded), percent(s.BytesDecoded, s.Bytes), lostWords(s.BytesLost, s.Bytes, unit, s.Verdict),
		thousands(s.BytesUnplaced), percent(s.BytesUnplaced, s.Bytes))
	if s.Kept {
		b.WriteString("  as it was: its decoder comes to no page of memory that changed\n")
	}
	fmt.Fprintf(b, "  %s, %s, %s, %s\n", count(s.Instructions, "instruction"), count(s.Exceptions, "exception"),
		count(s.Gaps, "gap"), count(s.Segments, "segment"))
	if s.FIFO != nil {
		fmt.Fprintf(b, "  FIFO: %s\n", fifoWords(s.FIFO))
	}
	if text := disagreement(&s.Agreements); text != "" && !contradicted(s.Verdict) {
		fmt.Fprintf(b, "  %s (tracelake report quality shows where)\n", text)
	}
}

// missingOf is the memory that sources miss.
func missingOf(sources []pipeline.SourceSummary) []pipeline.SourceMissing {
	var missing []pipeline.SourceMissing
	for i := range sources {
		missing = append(missing, pipeline.SourceMissing{Source: sources[i].Source, Missing: sources[i].Missing})
	}
	return missing
}

// missingLines ranks the memory that would make more decodable.
func missingLines(missing []pipeline.SourceMissing) []string {
	type wanted struct {
		pipeline.MissingMemory
		source uint8
	}
	var all []wanted
	var other int64
	for _, s := range missing {
		for _, r := range s.Wanted {
			all = append(all, wanted{r, s.Source})
		}
		other += s.OtherStops
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(x, y wanted) int { return cmp.Compare(y.Stops, x.Stops) })
	lines := []string{"program memory missing, most wanted first (give it with -e FILE or --image FILE@ADDR)"}
	for _, r := range all[:min(len(all), missingShown)] {
		lines = append(lines, fmt.Sprintf("  %s-%s  %s of source %s", r.First, r.Last, count(r.Stops, "stop"), schema.SourceText(r.source)))
	}
	if more := len(all) - missingShown; more > 0 {
		lines = append(lines, "  and "+count(int64(more), "more range"))
	}
	if other > 0 {
		lines = append(lines, "  and "+otherStops(other))
	}
	return lines
}

// writeMissing writes the lines of missingLines, if any.
func writeMissing(b *strings.Builder, sources []pipeline.SourceSummary) {
	if lines := missingLines(missingOf(sources)); len(lines) > 0 {
		b.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	}
}

func writeNotes(b *strings.Builder, notes []string) {
	if len(notes) == 0 {
		return
	}
	b.WriteString("\nnotes\n")
	for _, n := range notes {
		fmt.Fprintf(b, "  %s\n", n)
	}
}

// writeTables lists the tables that were written, in the order of the schema.
func writeTables(b *strings.Builder, tables map[string]schema.Files) {
	const line = "%-14s %15s %15s\n"
	fmt.Fprintf(b, line, "table", "rows", "bytes")
	for _, t := range schema.Tables() {
		if f, ok := tables[t.Name]; ok {
			fmt.Fprintf(b, line, t.Name, thousands(f.Rows), thousands(f.Bytes))
		}
	}
}
