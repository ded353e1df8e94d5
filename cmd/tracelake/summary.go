package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// missingShown is how many missing ranges a summary names.
const missingShown = 10

// exported says how far an export to dir can be trusted, and what was written.
func (s *screen) exported(dir string, x *pipeline.Summary) {
	s.verdict(judgedOf(&x.Verdict, x.Sources))
	s.summary(dir, x)
}

// judgedOf returns a verdict on sources with its figures.
func judgedOf(v *verdict.Verdict, sources []pipeline.SourceSummary) *judged {
	t := &trust.Summary{Datasets: []trust.Dataset{{}}, Verdict: *v}
	for i := range sources {
		t.Datasets[0].Sources = append(t.Datasets[0].Sources, sources[i].SourceTotals)
		t.AddSource(&sources[i].SourceTotals)
	}
	return judgedOfDatasets(t)
}

// summary says what was written to dir.
func (s *screen) summary(dir string, x *pipeline.Summary) {
	first := count(x.Totals.Instructions, "instruction")
	if x.PacketsOnly {
		first = count(x.Tables[schema.Packets.Name].Rows, "packet")
	}
	s.line("%s: %s, %s, %s", dir, first, count(x.Totals.Exceptions, "exception"), count(x.Totals.Gaps, "gap"))
	s.readings(x.Sources)
	for i := range x.Sources {
		s.source(&x.Sources[i])
	}
	s.missingMemory(x.Sources)
	s.notes(x.Notes)
	s.blank()
	s.tables(x.Tables)
}

// source says how much of a source was understood.
func (s *screen) source(x *pipeline.SourceSummary) {
	s.blank()
	s.line("source %s%s", schema.SourceText(x.Source),
		sourceWords(schema.SourceText(x.Source), x.Name, x.Protocol, x.Version, x.Core))
	switch {
	case x.Status == schema.SourceStatusNames[schema.StatusEmpty]:
		s.indented("no bytes")
		return
	case x.Status != schema.SourceStatusNames[schema.StatusDecoded]:
		s.indented("%s, not decoded: %s", count(x.Bytes, strings.TrimSuffix(x.Unit, "s")), cmp.Or(x.Problem, x.Status))
		return
	}
	unit := strings.TrimSuffix(x.Unit, "s")
	s.indented("%s: %s decoded (%s), %s, %s not matched to code (%s)", count(x.Bytes, unit),
		thousands(x.BytesDecoded), percent(x.BytesDecoded, x.Bytes), lostWords(x.BytesLost, x.Bytes, unit, x.Reading),
		thousands(x.BytesUnplaced), percent(x.BytesUnplaced, x.Bytes))
	if x.Kept {
		s.indented("as it was: it ran no page of memory that changed")
	}
	s.indented("%s, %s, %s, %s", count(x.Instructions, "instruction"), count(x.Exceptions, "exception"),
		count(x.Gaps, "gap"), count(x.Segments, "segment"))
	if x.FIFO != nil {
		s.indented("FIFO: %s", fifoWords(x.FIFO))
	}
	if text := disagreement(&x.Agreements); text != "" && !contradicted(x.Reading) {
		s.indented("%s (tracelake report quality shows where)", text)
	}
}

// missingOf is the memory that sources miss.
func missingOf(sources []pipeline.SourceSummary) []plan.SourceMissing {
	var missing []plan.SourceMissing
	for i := range sources {
		missing = append(missing, plan.SourceMissing{Source: sources[i].Source, Missing: sources[i].Missing})
	}
	return missing
}

// missingLines ranks the memory that would make more decodable.
func missingLines(missing []plan.SourceMissing) []string {
	type wanted struct {
		plan.MissingMemory
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
	lines, remedies := []string{"program memory missing, most wanted first (give it with -e FILE or --image FILE@ADDR)"}, []string{}
	for _, r := range all[:min(len(all), missingShown)] {
		lines = append(lines, fmt.Sprintf("  %s-%s  %s of source %s%s", r.First, r.Last, count(r.Stops, "stop"),
			schema.SourceText(r.source), inFile(&r.MissingMemory)))
		if r.File != "" && !slices.Contains(remedies, r.Remedy) {
			remedies = append(remedies, r.Remedy)
		}
	}
	if len(remedies) > 0 {
		lines[0] = "program memory missing, most wanted first"
	}
	if more := len(all) - missingShown; more > 0 {
		lines = append(lines, "  and "+count(int64(more), "more range"))
	}
	if other > 0 {
		lines = append(lines, "  and "+otherStops(other))
	}
	return append(lines, remedies...)
}

// inFile says in which file missing memory is, if that is known.
func inFile(m *plan.MissingMemory) string {
	if m.File == "" {
		return ""
	}
	return ", in " + m.File
}

// missingMemory writes the lines of missingLines, if any.
func (s *screen) missingMemory(sources []pipeline.SourceSummary) {
	for i, line := range missingLines(missingOf(sources)) {
		if i == 0 {
			s.blank()
		}
		text := strings.TrimLeft(line, " ")
		s.paragraph(line[:len(line)-len(text)], text)
	}
}

func (s *screen) notes(notes []string) {
	if len(notes) == 0 {
		return
	}
	s.blank()
	s.line("notes")
	for _, n := range notes {
		s.indented("%s", n)
	}
}

// tables lists the tables that were written, in the order of the schema.
func (s *screen) tables(tables map[string]schema.Files) {
	t := &table.Table{Columns: []answer.Column{
		{Title: "TABLE", Weight: answer.Name},
		{Title: "ROWS", Weight: answer.Main},
		{Title: "BYTES", Weight: answer.Main},
	}}
	for _, x := range schema.Tables() {
		if f, ok := tables[x.Name]; ok {
			t.Add(table.Bar{}, x.Name, thousands(f.Rows), thousands(f.Bytes))
		}
	}
	s.table(t)
}
