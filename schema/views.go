package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Views returns views.sql for a dataset of these tables, of a schema version, SQL for DuckDB 1.1 and
// later: macros, a view for each table, the view `summary`, the views that answer
// questions over several tables, comments for all of them. With blocks in place of instructions, the view
// `instructions` expands them. Datasets of Arrow files get macros only: DuckDB cannot read those files by itself.
//
// The id is that of the dataset's contents. By it the script finds its own
// directory: DuckDB does not say where a script is.
func Views(tables []*Table, f Format, id string, version int) string {
	if f == Arrow {
		return arrowHead + macros
	}
	var b strings.Builder
	b.WriteString(parquetHead)
	fmt.Fprintf(&b, find, id)
	for _, p := range ViewsParts(version) {
		if p.isOf(tables) {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// A ViewsPart is a part of views.sql. It is there if the dataset has all tables of With and none of Without.
type ViewsPart struct {
	Text          string
	With, Without []string // names of tables
}

// ViewsParts returns the parts of views.sql for Parquet files, in their order, but for the first, which finds the
// dataset. Of them a program in another language makes the views of any dataset: before, it sets tracelake_dirs. The
// newest dataset that is read is of the schema version: columns that it did not have are NULL.
func ViewsParts(version int) []ViewsPart {
	parts := []ViewsPart{{Text: macros}}
	for _, t := range Tables() {
		parts = append(parts, ViewsPart{Text: tableView(t, version), With: names(t)})
	}
	parts = append(parts,
		ViewsPart{
			Text: flatWindow + beforeOffset("SELECT * FROM instructions WHERE true", "byte_offset", "seq", 0),
			With: names(&Instructions),
		},
		ViewsPart{
			Text: expansionView() + beforeOffset(expansion, "b.byte_offset", "b.seq", MaxBlockRow-1),
			With: names(&Blocks, &CodeBlocks), Without: names(&Instructions),
		},
		ViewsPart{Text: withoutRows, Without: names(&Instructions, &Blocks)},
		ViewsPart{Text: withoutRows, With: names(&Blocks), Without: names(&Instructions, &CodeBlocks)})
	// a truth has none of the tables that answer questions
	return append(append(parts, summaryParts()...), ViewsPart{Text: answerViews(), With: names(Answers()...)})
}

func names(tables ...*Table) (names []string) {
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

// isOf reports whether the part is there for a dataset of these tables.
func (p *ViewsPart) isOf(tables []*Table) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(tables, func(t *Table) bool { return t.Name == name })
	}
	missing := slices.ContainsFunc(p.With, func(name string) bool { return !has(name) })
	return !missing && !slices.ContainsFunc(p.Without, has)
}

const parquetHead = `-- Views of a tracelake dataset, for DuckDB.
--
--   duckdb -init run1/views.sql       or, in DuckDB:  .read run1/views.sql
--
-- The script looks for its dataset in the working directory, in folders up to
-- three levels below it, in the two directories above it and in their folders. For
-- a dataset elsewhere, or for several at once, name the directories first:
--   SET VARIABLE tracelake_dirs = ['/data/a', '/data/b'];
--   .read /data/a/views.sql
-- The column dataset of each view has the name of the dataset's directory.
`

// find sets the directory that a dataset is read from where tracelake_dirs is not
// set. Table functions take constants and variables but no subqueries, so each
// step is a variable. A script contains its id, and so is found by it; of equal
// datasets it finds the nearest.
const find = `
SET VARIABLE tracelake_id = '%s';
-- with tracelake_dirs, the scripts of those datasets: nothing is searched for
SET VARIABLE tracelake_scripts = coalesce([rtrim(d, '/') || '/views.sql' FOR d IN getvariable('tracelake_dirs')],
  (SELECT list(replace(file, '\', '/')) FROM glob(['views.sql', '*/views.sql', '*/*/views.sql', '*/*/*/views.sql', '../views.sql', '../*/views.sql', '../../views.sql', '../../*/views.sql'])));
SET VARIABLE tracelake_scripts = CASE WHEN getvariable('tracelake_scripts') IS NOT NULL THEN getvariable('tracelake_scripts')
  ELSE error('tracelake: no dataset is near the working directory. Name it, then read this script again: SET VARIABLE tracelake_dirs = [''path/of/the/dataset'']') END;
SET VARIABLE tracelake_found = (SELECT [coalesce(nullif(rtrim(regexp_replace(replace(filename, '\', '/'), 'views[.]sql$', ''), '/'), ''), '.')]
  FROM read_text(getvariable('tracelake_scripts')) WHERE contains(content, getvariable('tracelake_id'))
  ORDER BY len(string_split(filename, '/')) + len(string_split(filename, '..')), filename LIMIT 1);
SET VARIABLE tracelake_found = CASE WHEN coalesce(getvariable('tracelake_dirs'), getvariable('tracelake_found')) IS NOT NULL THEN getvariable('tracelake_found')
  ELSE error('tracelake: the dataset of this script is not near the working directory. Name it, then read this script again: SET VARIABLE tracelake_dirs = [''path/of/the/dataset'']') END;
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
-- a as eight hexadecimal digits, sixteen from 2³² on; for the outermost SELECT: to group by it is slow
CREATE OR REPLACE MACRO hex8(a) AS printf(CASE WHEN a BETWEEN 0 AND 4294967295 THEN '0x%08x' ELSE '0x%016x' END, a);
-- the percentage that n is of total, with two decimals: 100 only if it is all, 0 only if it is none, NULL of nothing
CREATE OR REPLACE MACRO pct(n, total) AS
  CASE WHEN n IS NULL OR total IS NULL OR total = 0 THEN NULL WHEN n = 0 THEN 0 WHEN n = total THEN 100
       ELSE least(greatest(round(100 * n / total, 2), 0.01), 99.99) END::DOUBLE;
-- the datasets to read
CREATE OR REPLACE MACRO tracelake_datasets() AS
  [rtrim(d, '/') FOR d IN coalesce(getvariable('tracelake_dirs'), getvariable('tracelake_found'), ['.'])];
-- the paths of files of that name in all datasets
CREATE OR REPLACE MACRO tracelake_files(f) AS [d || '/' || f FOR d IN tracelake_datasets()];
-- whether there are several
CREATE OR REPLACE MACRO tracelake_several() AS len(tracelake_datasets()) > 1;
-- whether the last parts of their paths differ
CREATE OR REPLACE MACRO tracelake_names_differ() AS
  len(list_distinct([parse_filename(d) FOR d IN tracelake_datasets()])) = len(tracelake_datasets());
-- the label of the dataset that a file is from
CREATE OR REPLACE MACRO dataset_of(f) AS
  CASE WHEN tracelake_names_differ() THEN coalesce(nullif(nullif(regexp_extract(f, '([^/\\]*)[/\\][^/\\]+[/\\][^/\\]+$', 1), '.'), ''), 'here')
       ELSE regexp_extract(f, '^(.*)[/\\][^/\\]+[/\\][^/\\]+$', 1) END;
`

const datasetComment = "Name of the directory of the dataset, its whole path where names are alike."

// tableView returns the view of a table and its comments, for datasets up to a schema version. Columns are matched by
// name only where there are several datasets, of which some may lack a column: DuckDB
// then groups by values where it groups by the index of a dictionary otherwise, in
// half the time.
func tableView(t *Table, version int) string {
	var b, lacks strings.Builder
	for _, c := range t.Columns {
		if c.Since > version {
			fmt.Fprintf(&lacks, "NULL::%s AS \"%s\", ", c.Type.SQL(), c.Name)
		}
	}
	fmt.Fprintf(&b,
		"\nCREATE OR REPLACE VIEW %s AS\nSELECT * EXCLUDE (filename), %sdataset_of(filename) AS dataset\nFROM "+
			"read_parquet(tracelake_files('%s'), filename = true, union_by_name = tracelake_several());\n",
		t.Name, lacks.String(), t.Glob(Parquet))
	writeComments(&b, t, t.Row)
	return b.String()
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

const withoutRows = `
-- There are no rows of what was executed, and so no view instructions and no macros
-- instructions_window and before_offset: export with --level instructions or blocks
-- for them. What was executed is counted: see counts, edges and the views over them.
`

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
            THEN CASE WHEN b.outcome <> 'unknown' THEN b.outcome <> 'not_taken' END
            ELSE (b.failed >> (d.position - b.first)) & 1 = 0 END AS executed,
       CASE WHEN d.position = b.first + b.instructions - 1 THEN b.cycles END AS cycles,
       b.epoch,
       CASE WHEN d.position = b.first + b.instructions - 1 THEN b.cycle END AS cycle,
       b.timestamp, b.context_id, b.vmid, b.security, b.exception_level, b.transaction, b.dataset
FROM blocks b JOIN code_blocks d USING (dataset, source, code_block)
WHERE d.position >= b.first AND d.position < b.first + b.instructions`

// expansionView returns the view `instructions` over blocks. A filter on its
// computed seq cannot reach the scan of blocks, hence the macro beside it, which
// says the same of the seq of a run: none is longer than MaxBlockRow.
func expansionView() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"\n-- for looking at rows; to count, group blocks by run first, then join block_runs and code_blocks\nCREATE OR "+
			"REPLACE VIEW %s AS\n%s;\n", Instructions.Name, expansion)
	writeComments(&b, &Instructions,
		Instructions.Row+" (expanded from blocks: of a run only the last has cycles and cycle)")
	fmt.Fprintf(&b, `
-- instructions a to z (seq), of every source: much faster than a filter on the view
CREATE OR REPLACE MACRO instructions_window(a, z) AS TABLE
SELECT * FROM (
%s
  AND b.seq BETWEEN a - %d AND z)
WHERE seq BETWEEN a AND z;
`, expansion, MaxBlockRow-1)
	return b.String()
}

// beforeOffset returns the macro over a query of instructions, in which offset
// and seq are columns with statistics; a row of theirs is of so many instructions
// more. What bounds the search is the first instruction of the last segment that
// begins before x: without it, the whole table is sorted.
func beforeOffset(query, offset, seq string, more int) string {
	return fmt.Sprintf(`
-- the last n instructions of each source that packets before byte x of the capture report
CREATE OR REPLACE MACRO before_offset(x, n) AS TABLE
SELECT * FROM (
%s
  AND %s < x
  AND %s >= (SELECT min(bound) FROM (SELECT max(seq) - n - %d AS bound FROM segments WHERE byte_offset < x GROUP BY dataset, source)))
QUALIFY row_number() OVER (PARTITION BY dataset, source ORDER BY seq DESC) <= n;
`, query, offset, seq, more)
}
