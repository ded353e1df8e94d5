package schema

import (
	"fmt"
	"strings"
)

// A SummaryColumn is a column of the view `summary`.
type SummaryColumn struct {
	Name, Type, Doc string

	table *Table // the value is NULL in a dataset without it
	value string
}

// gapDoc says what a gap is.
const gapDoc = "A gap is a restart of trace (event trace_on, overflow or debug_exit) other than the one that the first " +
	"segment of its source begins with: how much was executed just before it is not known."

// Summary returns the columns of the view `summary`, in their order, but for
// `dataset`.
func Summary() []SummaryColumn {
	const timed = "(SELECT %s(t.timestamp) FROM timestamps t WHERE t.dataset = s.dataset AND t.source = s.source)"
	first, last := fmt.Sprintf(timed, "min"), fmt.Sprintf(timed, "max")
	columns := []SummaryColumn{}
	for _, name := range []string{
		"source", "name", "protocol", "core", "status", "bytes", "bytes_decoded", "bytes_lost", "bytes_unplaced",
		"segments", "instructions", "exceptions", "losses",
	} {
		c := Sources.Column(name)
		columns = append(columns, SummaryColumn{name, c.Type.SQL(), c.Doc, &Sources, "s." + name})
	}
	return append(columns,
		SummaryColumn{"gaps", "BIGINT", gapDoc, &Events, `(SELECT count(*) FROM events e JOIN segments g USING (dataset, source)
         WHERE e.dataset = s.dataset AND e.source = s.source AND e.event IN ('trace_on', 'overflow', 'debug_exit')
           AND g.segment = 0 AND e.byte_offset > g.byte_offset)`},
		SummaryColumn{
			"cycles", "BIGINT", "Sum of epochs.cycles, gaps too; NULL if there is none.", &Epochs,
			"(SELECT sum(c.cycles)::BIGINT FROM epochs c WHERE c.dataset = s.dataset AND c.source = s.source)",
		},
		SummaryColumn{"first_timestamp", "BIGINT", "Lowest value in timestamps; NULL if there is none.", &Timestamps, first},
		SummaryColumn{"last_timestamp", "BIGINT", "Highest value in timestamps; NULL if there is none.", &Timestamps, last},
		SummaryColumn{
			"seconds", "DOUBLE",
			"Time from first_timestamp to last_timestamp; NULL if timestamp_hz of the source is.", &Timestamps,
			"(" + last + " - " + first + ") / s.timestamp_hz",
		},
	)
}

// summaryParts returns the view `summary`, which has the same columns for every choice of tables: a column of it that
// needs a table is there in two parts.
func summaryParts() []ViewsPart {
	parts := []ViewsPart{{Text: "\nCREATE OR REPLACE VIEW summary AS\nSELECT "}}
	for _, c := range Summary() {
		line := func(value string) string { return fmt.Sprintf("(%s)::%s AS %s,\n       ", value, c.Type, c.Name) }
		parts = append(parts, ViewsPart{Text: line(c.value), With: names(c.table)},
			ViewsPart{Text: line("NULL"), Without: names(c.table)})
	}
	return append(parts, ViewsPart{Text: "s.dataset\nFROM sources s;\n" + summaryComments()})
}

func summaryComments() string {
	var b strings.Builder
	fmt.Fprintf(&b, "COMMENT ON VIEW summary IS %s;\n", quote("One row per source. "+gapDoc))
	for _, c := range Summary() {
		fmt.Fprintf(&b, "COMMENT ON COLUMN summary.%s IS %s;\n", c.Name, quote(c.Doc))
	}
	fmt.Fprintf(&b, "COMMENT ON COLUMN summary.dataset IS %s;\n", quote(datasetComment))
	return b.String()
}
