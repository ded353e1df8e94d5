package dataset

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A sum has the totals of the rows of a table and source.
type sum struct {
	rows         int64
	columns      map[string]int64 // those of summedColumns, by name
	instructions int64            // of `blocks`, `stacks` and `tasks`
	cycles       int64            // of `epochs` and `cycle_counts`
	unsynced     int64            // of `losses`: bytes before the first segment
	entries      int64            // of `exceptions`: rows that are no returns
}

// summedColumns are the columns that are added up, by table. Of `sources` there
// is one row each.
func summedColumns(t *schema.Table) []schema.IndexU64 {
	switch t {
	case &schema.Sources:
		return []schema.IndexU64{
			schema.SourcesBytes, schema.SourcesBytesDecoded, schema.SourcesBytesLost, schema.SourcesBytesUnplaced,
			schema.SourcesSegments, schema.SourcesInstructions, schema.SourcesExceptions, schema.SourcesLosses,
		}
	case &schema.Segments:
		return []schema.IndexU64{
			schema.SegmentsBytes, schema.SegmentsBytesDecoded, schema.SegmentsBytesLost, schema.SegmentsBytesUnplaced,
			schema.SegmentsInstructions, schema.SegmentsExceptions,
		}
	case &schema.Losses:
		return []schema.IndexU64{schema.LossesBytes}
	}
	return nil
}

// totals sum up the rows of tables.
type totals struct {
	rows    int64
	sums    map[series]*sum
	answers *answers
}

func newTotals() totals { return totals{sums: map[series]*sum{}, answers: newAnswers()} }

// merge adds the totals of other tables.
func (t *totals) merge(u *totals) {
	t.rows += u.rows
	maps.Copy(t.sums, u.sums)
	t.answers.merge(u.answers)
}

// sum returns the sum of a table and source.
func (t *totals) sum(table *schema.Table, source uint8) *sum {
	key := series{table, source}
	if t.sums[key] == nil {
		t.sums[key] = &sum{columns: map[string]int64{}}
	}
	return t.sums[key]
}

// addRows adds the rows of a batch to the sum of their source.
func (t *totals) addRows(b *schema.Batch, source uint8) {
	t.rows += int64(b.Rows())
	if b.Table != &schema.Sources {
		t.sum(b.Table, source).add(b, 0, b.Rows())
		return
	}
	for i, id := range *schema.SourcesSource.In(b) {
		t.sum(b.Table, id).add(b, i, i+1)
	}
}

// add adds rows of a batch.
func (s *sum) add(b *schema.Batch, from, to int) {
	s.rows += int64(to - from)
	for _, i := range summedColumns(b.Table) {
		for _, n := range (*i.In(b))[from:to] {
			s.columns[b.Table.Columns[i].Name] += int64(n)
		}
	}
	switch b.Table {
	case &schema.Blocks:
		for _, n := range (*schema.BlocksInstructions.In(b))[from:to] {
			s.instructions += int64(n)
		}
	case &schema.Epochs:
		s.addCycles(b, schema.EpochsCycles)
	case &schema.CycleCounts:
		s.addCycles(b, schema.CycleCountsCycles)
	case &schema.Stacks:
		s.addInstructions(*schema.StacksInstructions.In(b))
	case &schema.Tasks:
		s.addInstructions(*schema.TasksInstructions.In(b))
	case &schema.Losses:
		for i := from; i < to; i++ {
			if b.Columns[schema.KeySegment].Null(i) {
				s.unsynced += int64(schema.LossesBytes.At(b, i))
			}
		}
	case &schema.Exceptions:
		for _, event := range (*schema.ExceptionsEvent.In(b))[from:to] {
			if schema.ExceptionEvent(event) == schema.ExceptionEntry {
				s.entries++
			}
		}
	}
}

// addInstructions adds those of rows.
func (s *sum) addInstructions(column []uint64) {
	for _, n := range column {
		s.instructions += int64(n)
	}
}

// addCycles adds those of rows; where there are none they are 0.
func (s *sum) addCycles(b *schema.Batch, column schema.IndexU64) {
	for _, n := range *column.In(b) {
		s.cycles += int64(n)
	}
}

// checkSums compares the manifest with the rows. If files are damaged, it checks
// nothing, since the sums are incomplete.
func (c *checker) checkSums(context.Context) error {
	c.report.Rows = c.rows
	if len(c.report.Problems) > 0 || c.report.Older {
		return nil
	}
	m := &c.dataset.Manifest
	var totals schema.Totals
	for i := range m.Sources {
		totals.Add(m.Sources[i].Totals)
		c.checkSource(&m.Sources[i])
	}
	if totals != m.Totals {
		c.wrong(schema.ManifestFile, "has totals that are not the sums of its sources")
	}
	c.checkAnswers()
	for _, t := range schema.Tables() {
		if f, ok := m.Tables[t.Name]; ok {
			c.checkTable(t, f)
		} else if t.Written == schema.Always && !slices.Contains(schema.Answers(), t) { // a truth has none
			c.wrong(schema.ManifestFile, fmt.Sprintf("has no table %s, which every dataset has", t.Name))
		}
	}
	return nil
}

// wrong notes what a file says that cannot be.
func (c *checker) wrong(file, problem string) {
	c.report.Problems = append(c.report.Problems, c.dataset.damaged(file, problem))
}

// checkTable checks what the manifest says of all parts of a table, and that no
// source is missing in the manifest.
func (c *checker) checkTable(t *schema.Table, f schema.Files) {
	var bytes int64
	for _, p := range f.Parts {
		bytes += p.Bytes
	}
	if rows := c.dataset.Rows(t); rows != f.Rows || bytes != f.Bytes || len(f.Parts) == 0 {
		c.wrong(schema.ManifestFile, wrongFiles(t.Name, f, schema.Files{Rows: rows, Bytes: bytes}))
	}
	if t != &schema.Sources && t != &schema.Segments && t != &schema.Losses {
		return // `events` has those of the trigger ID, which is no source
	}
	for key, s := range c.sums {
		listed := func(m schema.SourceTotals) bool { return m.Source == key.source }
		if key.table == t && s.rows > 0 && !slices.ContainsFunc(c.dataset.Manifest.Sources, listed) {
			c.wrong(t.Name, fmt.Sprintf("has rows of source 0x%02x, which the manifest does not have", key.source))
		}
	}
}

// wrongFiles says that the parts of a table have not the rows and bytes that the
// manifest says.
func wrongFiles(table string, says, sum schema.Files) string {
	return fmt.Sprintf("says %d rows and %d bytes of %s, whose %d parts have %d and %d", says.Rows, says.Bytes, table,
		len(says.Parts), sum.Rows, sum.Bytes)
}

// checkSource checks that all bytes of a source are accounted for, and that its
// rows are as many as the manifest says.
func (c *checker) checkSource(m *schema.SourceTotals) {
	want := map[string]int64{
		"bytes": m.Bytes, "bytes_decoded": m.BytesDecoded, "bytes_lost": m.BytesLost, "bytes_unplaced": m.BytesUnplaced,
		"segments": m.Segments, "instructions": m.Instructions, "exceptions": m.Exceptions, "losses": m.Losses,
	}
	demand := func(t *schema.Table, what string, got, want int64) {
		if got != want {
			c.wrong(t.Name, fmt.Sprintf("has %d %s of source 0x%02x, the manifest says %d", got, what, m.Source, want))
		}
	}
	demand(&schema.Sources, "rows", c.sum(&schema.Sources, m.Source).rows, 1)
	for _, i := range summedColumns(&schema.Sources) {
		name := schema.Sources.Columns[i].Name
		demand(&schema.Sources, name, c.sum(&schema.Sources, m.Source).columns[name], want[name])
	}
	losses, segments := c.sum(&schema.Losses, m.Source), c.sum(&schema.Segments, m.Source)
	demand(&schema.Losses, "losses", losses.rows, m.Losses)
	demand(&schema.Losses, "bytes_lost", losses.columns["bytes"], m.BytesLost)
	demand(&schema.Segments, "segments", segments.rows, m.Segments)
	for _, i := range summedColumns(&schema.Segments) {
		name := schema.Segments.Columns[i].Name
		got := segments.columns[name]
		if name == "bytes" || name == "bytes_lost" {
			got += losses.unsynced // in no segment
		}
		demand(&schema.Segments, name, got, want[name])
	}
	if m.BytesDecoded+m.BytesLost != m.Bytes {
		c.wrong(schema.ManifestFile, fmt.Sprintf("says that of %d bytes of source 0x%02x %d were decoded and %d lost",
			m.Bytes, m.Source, m.BytesDecoded, m.BytesLost))
	}
	for _, x := range []struct {
		table     *schema.Table
		what      string
		got, want int64
	}{
		{&schema.Instructions, "rows", c.sum(&schema.Instructions, m.Source).rows, m.Instructions},
		{&schema.Blocks, "instructions", c.sum(&schema.Blocks, m.Source).instructions, m.Instructions},
		{&schema.Exceptions, "exceptions", c.sum(&schema.Exceptions, m.Source).entries, m.Exceptions},
		{&schema.Counts, "instructions", c.answers.executed[m.Source], m.Instructions},
		{&schema.DataAccesses, "rows", c.sum(&schema.DataAccesses, m.Source).rows, m.DataAccesses},
	} {
		if c.dataset.Has(x.table) {
			demand(x.table, x.what, x.got, x.want)
		}
	}
	epochs, counts := c.sum(&schema.Epochs, m.Source), c.sum(&schema.CycleCounts, m.Source)
	if c.dataset.Has(&schema.Epochs) && c.dataset.Has(&schema.CycleCounts) && epochs.cycles != counts.cycles {
		c.wrong(schema.Epochs.Name, fmt.Sprintf("has %d cycles of source 0x%02x, cycle_counts %d", epochs.cycles, m.Source,
			counts.cycles))
	}
	for _, t := range []*schema.Table{&schema.Stacks, &schema.Tasks} {
		if s := c.sum(t, m.Source); s.rows > 0 { // whoever counts need not rebuild stacks
			demand(t, "instructions", s.instructions, m.Instructions)
		}
	}
}
