package answer

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// Head is what every answer begins with: how far its figures can be trusted, and what they leave out.
func Head(name string, forced bool, t *trust.Summary, excluded []report.Excluded) []Fact {
	return []Fact{
		{"schema_version", Int(schema.Version)},
		{"report", Text(name)},
		{"verdict", Text(string(t.Word))},
		{"forced", JSONOf(forced)},
		{"trust", trustFigures(t)},
		{"excluded", each(len(excluded),
			Column{Key: "name", At: func(i int) Value { return Word(excluded[i].Name) }},
			Column{Key: "reason", At: func(i int) Value { return Word(excluded[i].Reason) }},
			Column{Key: "instructions", At: func(i int) Value { return Int(excluded[i].Instructions) }},
			Column{Key: "covered", At: func(i int) Value { return Int(excluded[i].Covered) }})},
	}
}

func trustFigures(t *trust.Summary) Value {
	found, datasets := t.Findings, t.Datasets
	return Object(
		Fact{"findings", each(len(found),
			Column{Key: "kind", At: func(i int) Value { return Text(found[i].Kind.String()) }},
			Column{Key: "n", At: func(i int) Value { return Int(found[i].N) }},
			Column{Key: "out_of", At: func(i int) Value { return If(found[i].Of > 0, Int(found[i].Of)) }})},
		Fact{"doubts", each(len(t.Doubts),
			Column{Key: "directory", At: func(i int) Value { return Word(t.Doubts[i].Dir) }},
			Column{Key: "of", At: func(i int) Value { return Word(t.Doubts[i].What) }},
			Column{Key: "kind", At: func(i int) Value {
				return Text(map[bool]string{false: "agreement", true: "match"}[t.Doubts[i].OfProgramFile])
			}},
			Column{Key: "count", At: func(i int) Value { return Int(t.Doubts[i].Agrees) }},
			Column{Key: "percent", At: func(i int) Value { return percent(t.Doubts[i].Agrees, t.Doubts[i].Of) }})},
		Fact{"bytes", Int(t.Bytes)},
		Fact{"bytes_decoded", Int(t.Decoded)},
		Fact{"decoded_percent", percent(t.Decoded, t.Bytes)},
		Fact{"bytes_lost", Int(t.Lost)},
		Fact{"bytes_lost_at_ends", Int(t.Ends)},
		Fact{"bytes_lost_before_synchronisation", Int(t.Unsynced)},
		Fact{"bytes_unplaced", Int(t.Unplaced)},
		Fact{"bytes_of_other_sources", Int(t.Undecoded)},
		Fact{"instructions", Int(t.Instructions)},
		Fact{"gaps", Int(t.Gaps)},
		Fact{"cycles", If(t.Cycles.Traced, Object(Fact{"executed", Int(t.Cycles.Executed)},
			Fact{"unplaced", Int(t.Cycles.Unplaced)}, Fact{"in_gaps", Int(t.Cycles.Gaps)}))},
		Fact{"instructions_in_other", IfAny(t.InOther > 0, Int(t.InOther))},
		Fact{"agreement", Of(t.Agrees, t.Checks)},
		Fact{"match", Of(t.Matching, t.Distinct)},
		Fact{"outside", List(OutsideProgramRows(t, 0))},
		Fact{"conditions_reached", Int(t.Conditions)},
		Fact{"conditions_unknown", Int(t.Unknown)},
		Fact{"program_file", JSONOf(t.HasProgram)},
		Fact{"datasets", each(len(datasets),
			Column{Key: "directory", At: func(i int) Value { return Word(datasets[i].Dir) }},
			Column{Key: "test", At: func(i int) Value { return Text(datasets[i].Test) }},
			Column{Key: "window", At: func(i int) Value { return IfAny(datasets[i].Window != nil, JSONOf(datasets[i].Window)) }},
			Column{Key: "sources", At: func(i int) Value { return List(TrustSources(t, datasets[i:i+1])) }},
			Column{Key: "program_files", At: func(i int) Value { return List(ProgramFiles(t, datasets[i:i+1])) }})},
	)
}

// Trust is how far figures can be trusted, with what was lost, where, and after which gaps trace continued.
func Trust(head []Fact, l *lost.Summary) *Answer {
	buffer := func(i int) *lost.Buffer { return &l.Buffers[i] }
	return &Answer{Name: "trust", Facts: append(head,
		Fact{"losses", each(len(l.Reasons),
			Column{Key: "reason", At: func(i int) Value { return Text(l.Reasons[i].Reason.String()) }},
			Column{Key: "losses", At: func(i int) Value { return Int(l.Reasons[i].Losses) }},
			Column{Key: "bytes", At: func(i int) Value { return Int(l.Reasons[i].Bytes) }})},
		Fact{"buffers", each(len(l.Buffers),
			Column{Key: "directory", At: func(i int) Value { return Word(buffer(i).Dir) }},
			Column{Key: "buffer", At: func(i int) Value { return Word(buffer(i).Name) }},
			Column{Key: "bytes", At: func(i int) Value { return Int(buffer(i).Bytes) }},
			Column{Key: "lost", At: func(i int) Value {
				return each(len(buffer(i).Ranges),
					Column{Key: "offset", At: func(j int) Value { return Int(buffer(i).Ranges[j].Offset) }},
					Column{Key: "bytes", At: func(j int) Value { return Int(buffer(i).Ranges[j].Bytes) }})
			}})},
		Fact{"gaps", each(len(l.Gaps),
			Column{Key: "directory", At: func(i int) Value { return Word(l.Gaps[i].Dir) }},
			Column{Key: "source", At: func(i int) Value { return Text(schema.SourceText(l.Gaps[i].Source)) }},
			Column{Key: "seq", At: func(i int) Value { return Int(l.Gaps[i].Seq) }})},
	)}
}

// TrustSources are the sources of datasets, which are of t.
func TrustSources(t *trust.Summary, datasets []trust.Dataset) *Section {
	var of []*trust.Dataset
	var rows []*schema.SourceTotals
	for i := range datasets {
		for j := range datasets[i].Sources {
			of, rows = append(of, &datasets[i]), append(rows, &datasets[i].Sources[j])
		}
	}
	return &Section{Noun: "source", Rows: len(rows), Columns: []Column{
		{Title: "SOURCE", Weight: Path, At: func(i int) Value {
			return nameIn(t, of[i], schema.SourceText(rows[i].Source)+OfCore(rows[i].Core))
		}},
		{Title: "DECODED", Unit: Exact, Weight: Main, At: func(i int) Value {
			return Of(rows[i].BytesDecoded, rows[i].Bytes)
		}},
		{Key: "source", At: func(i int) Value { return Text(schema.SourceText(rows[i].Source)) }},
		{Key: "core", At: func(i int) Value { return Text(rows[i].Core) }},
		{"status", "STATUS", Words, Remark, 4, func(i int) Value { return Word(rows[i].Status) }},
		{Key: "unit", At: func(i int) Value { return Word(rows[i].Unit) }},
		{"bytes", strings.ToUpper(t.Unit() + "s"), Count, Number, 1, func(i int) Value { return Int(rows[i].Bytes) }},
		{Key: "bytes_decoded", At: func(i int) Value { return Int(rows[i].BytesDecoded) }},
		{"bytes_lost", "LOST", Count, Number, 1, func(i int) Value { return Int(rows[i].BytesLost) }},
		{"bytes_lost_at_ends", "AT ENDS", Count, Number, 1, func(i int) Value { return Int(rows[i].Ends.Unsynced + rows[i].Ends.Truncated) }},
		{"bytes_unplaced", "NOT MATCHED", Count, Number, 1, func(i int) Value { return Int(rows[i].BytesUnplaced) }},
		{"instructions", "INSTRUCTIONS", Count, Number, 3, func(i int) Value { return Int(rows[i].Instructions) }},
		{"gaps", "GAPS", Count, Number, 2, func(i int) Value { return Int(rows[i].Gaps) }},
		{"agreement", "AGREES", Exact, Main, 0, func(i int) Value { return Of(rows[i].Agreement.Checks()) }},
	}}
}

// ProgramFiles are those of datasets, which are of t.
func ProgramFiles(t *trust.Summary, datasets []trust.Dataset) *Section {
	var of []*trust.Dataset
	var rows []trust.ProgramFile
	for i := range datasets {
		for _, f := range datasets[i].Files {
			of, rows = append(of, &datasets[i]), append(rows, f)
		}
	}
	matches := func(i int) Value { return Of(rows[i].Matching, rows[i].Executed) }
	return &Section{Noun: "program file", Rows: len(rows), Columns: []Column{
		{Title: "PROGRAM FILE", Weight: Path, At: func(i int) Value {
			return nameIn(t, of[i], rows[i].File+OfCore(rows[i].Core))
		}},
		{Key: "file", At: func(i int) Value { return Word(rows[i].File) }},
		{Key: "core", At: func(i int) Value { return Text(rows[i].Core) }},
		{Key: "sha256", At: func(i int) Value { return Word(rows[i].SHA256) }},
		{"code_sha256", "CODE", Hash, Remark, 2, func(i int) Value { return Word(rows[i].CodeSHA256) }},
		{"match", "MATCHES", Exact, Main, 0, matches},
		{Title: "ADDRESSES", Unit: Figure, Weight: Number, Place: 1, At: func(i int) Value {
			if rows[i].Executed == 0 {
				return Text("nothing executed")
			}
			return matches(i)
		}},
	}}
}

// OutsideProgramRows is what was executed where no program file has code: top rows, 0 being all.
func OutsideProgramRows(t *trust.Summary, top int) *Section {
	row := func(i int) *trust.Outside { return &t.Outside[i] }
	return &Section{Noun: "address", Rows: len(t.Outside), Top: top, Columns: []Column{
		{Title: "OUTSIDE OF THE PROGRAM", Weight: Name, At: func(i int) Value {
			return Text(row(i).Address.Hex() + OfCore(row(i).Core))
		}},
		{Key: "core", At: func(i int) Value { return Text(row(i).Core) }},
		{Key: "address", At: func(i int) Value { return Text(row(i).Address.Hex()) }},
		{"executions", "EXECUTIONS", Count, Main, 0, func(i int) Value { return Int(row(i).Times) }},
	}}
}

// nameIn is a name in a dataset, which is named too if there are several.
func nameIn(t *trust.Summary, d *trust.Dataset, name string) Value {
	switch {
	case len(t.Datasets) == 1:
		return Text(name)
	case d.Test != "":
		return Text(fmt.Sprintf("%s (test %s): %s", d.Dir, d.Test, name))
	}
	return Text(d.Dir + ": " + name)
}
