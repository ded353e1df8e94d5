package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Views returns views.sql for a dataset of these tables, SQL for DuckDB 1.1 and
// later: macros, a view for each table, comments for all of them. With blocks in
// place of instructions, the view `instructions` expands them. Datasets of Arrow
// files get macros only: DuckDB cannot read those files by itself.
func Views(tables []*Table, f Format) string {
	var b strings.Builder
	if f == Arrow {
		b.WriteString(arrowHead)
		b.WriteString(macros)
		return b.String()
	}
	b.WriteString(parquetHead)
	b.WriteString(macros)
	for _, t := range tables {
		writeTableView(&b, t)
	}
	switch {
	case slices.Contains(tables, &Instructions):
		b.WriteString(flatWindow)
	case slices.Contains(tables, &Blocks) && slices.Contains(tables, &CodeBlocks):
		writeExpansion(&b)
	}
	return b.String()
}

const parquetHead = `-- Views of a tracelake dataset, for DuckDB.
--
-- In the dataset's directory:  duckdb -init views.sql
-- From elsewhere, or for several datasets at once, name them first:
--   SET VARIABLE tracelake_dirs = ['runs/a', 'runs/b'];
--   .read runs/a/views.sql
-- The column dataset of each view has the name of the dataset's directory.
`

const arrowHead = `-- Macros for a tracelake dataset, for DuckDB.
--
-- There are no views: these tables are Arrow files, which DuckDB does not read
-- by itself. In Python it queries them through pyarrow:
--   instructions = pyarrow.dataset.dataset('DIR/instructions', format='ipc')
--   duckdb.sql('SELECT count(*) FROM instructions')
`

// The label of a dataset is the last part of its path; where two would have the
// same one, all have their whole path. Both macros for directories work on
// constants, so they cost nothing per row.
const macros = `
-- a as eight hexadecimal digits; for the outermost SELECT, it is slow
CREATE OR REPLACE MACRO hex8(a) AS printf('0x%08x', a);
-- the datasets to read: by default the working directory
CREATE OR REPLACE MACRO tracelake_datasets() AS
  [rtrim(d, '/') FOR d IN coalesce(getvariable('tracelake_dirs'), ['.'])];
-- the paths of files of that name in all datasets
CREATE OR REPLACE MACRO tracelake_files(f) AS [d || '/' || f FOR d IN tracelake_datasets()];
-- whether the last parts of their paths tell the datasets apart
CREATE OR REPLACE MACRO tracelake_names_differ() AS
  len(list_distinct([parse_filename(d) FOR d IN tracelake_datasets()])) = len(tracelake_datasets());
-- the label of the dataset that a file is from
CREATE OR REPLACE MACRO dataset_of(f) AS
  CASE WHEN tracelake_names_differ() THEN coalesce(nullif(nullif(regexp_extract(f, '([^/\\]*)[/\\][^/\\]+[/\\][^/\\]+$', 1), '.'), ''), 'here')
       ELSE regexp_extract(f, '^(.*)[/\\][^/\\]+[/\\][^/\\]+$', 1) END;
`

const datasetComment = "Name of the directory of the dataset, its whole path where names are alike."

// writeTableView writes the view of a table and its comments.
func writeTableView(b *strings.Builder, t *Table) {
	fmt.Fprintf(b, "\nCREATE OR REPLACE VIEW %s AS\nSELECT * EXCLUDE (filename), dataset_of(filename) AS dataset\nFROM read_parquet(tracelake_files('%s'), filename = true, union_by_name = true);\n",
		t.Name, t.Glob(Parquet))
	writeComments(b, t, t.Row)
}

// writeComments comments on a view with the columns of t.
func writeComments(b *strings.Builder, t *Table, row string) {
	fmt.Fprintf(b, "COMMENT ON VIEW %s IS %s;\n", t.Name, quote("One row per "+row+"."))
	for _, c := range t.Columns {
		doc := c.Doc
		if c.Unit != "" {
			doc += " Unit: " + c.Unit + "."
		}
		fmt.Fprintf(b, "COMMENT ON COLUMN %s.\"%s\" IS %s;\n", t.Name, c.Name, quote(doc))
	}
	fmt.Fprintf(b, "COMMENT ON COLUMN %s.dataset IS %s;\n", t.Name, quote(datasetComment))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

const flatWindow = `
-- instructions a to z (seq), of every source
CREATE OR REPLACE MACRO instructions_window(a, z) AS TABLE
SELECT * FROM instructions WHERE seq BETWEEN a AND z;
`

// expansion is the rows of instructions, from blocks. The instruction at
// d.position is number i = d.position - b.first of its run.
const expansion = `SELECT b.source, b.seq + d.position - b.first AS seq, b.segment, b.byte_offset,
       d.address, d.size, d.isa, d.opcode, d.kind,
       CASE WHEN d.position = b.first + b.instructions - 1
            THEN CASE WHEN b.outcome <> 'untold' THEN b.outcome <> 'not_taken' END
            ELSE (b.failed >> (d.position - b.first)) & 1 = 0 END AS executed,
       CASE WHEN d.position = b.first + b.instructions - 1 THEN b.cycles END AS cycles,
       b.epoch,
       CASE WHEN d.position = b.first + b.instructions - 1 THEN b.cycle END AS cycle,
       b.timestamp, b.context_id, b.vmid, b.security, b.dataset
FROM blocks b JOIN code_blocks d USING (dataset, source, code_block)
WHERE d.position >= b.first AND d.position < b.first + b.instructions`

// writeExpansion writes the view `instructions` over blocks. A filter on its
// computed seq cannot reach the scan of blocks, hence the macro beside it, which
// says the same of the seq of a run: none is longer than MaxBlockRow.
func writeExpansion(b *strings.Builder) {
	fmt.Fprintf(b, "\n-- for looking at rows; to count, group blocks first, then join code_blocks\nCREATE OR REPLACE VIEW %s AS\n%s;\n", Instructions.Name, expansion)
	writeComments(b, &Instructions, Instructions.Row+" (expanded from blocks: of a run only the last has cycles and cycle)")
	fmt.Fprintf(b, `
-- instructions a to z (seq), of every source: much faster than a filter on the view
CREATE OR REPLACE MACRO instructions_window(a, z) AS TABLE
SELECT * FROM (
%s
  AND b.seq BETWEEN a - %d AND z)
WHERE seq BETWEEN a AND z;
`, expansion, MaxBlockRow-1)
}
