package main

const head = `<!-- Generated from schema/tables.go by go generate ./schema; do not edit. -->

# Tables

These are the tables of schema version %d, then the [views and macros](#views-and-macros) over them. What holds for all is said here only:

- **Types** are those of DuckDB; the unit follows. Ticks are those of ` + "`sources.timestamp_hz`" + `; bytes of a stream are samples where
  ` + "`sources.unit`" + ` says so.
- **NULL** can be where the type has a ?. It means that the value is not known, or that there is none, unless the text says more. What
  is in cycles is NULL without cycle accuracy, too; a share or a percentage is NULL if it is one of nothing.
- **Numbers and ordinals** count within a source, those of functions within a core. A column that names a row of another table means one of
  the same source or core.
- **Addresses** are as executed. In a recording of several processes those of counts, edges, code, functions, lines, symbols and images, of
  functions in call trees, and of views over them are places: a program file has one, wherever processes map it.
- **Shared** columns are [described before the tables](#%s). Others that mean the same are described in the first table or view that
  has them.
- **Parts** of a table are ` + "`TABLE/13-00000.parquet`" + ` … for source 0x13; those of %s are ` +
	"`TABLE/all-00000.parquet`" + ` … for all sources.

The files say all this of each column: in the key ` + "`%s`" + ` of Parquet and Arrow files, in ` + "`description`" + ` of Arrow fields, and in
comments of the views.
`

const sharedHead = `
## %s

` + "`name`" + ` is that of the column ` + "`function`" + `, ` + "`line`" + ` one of ` + "`file`" + `. A table that means something else by one of these says so itself.
`

var tableGroups = []group{
	{"What ran", "instructions"},
	{"What happened", "exceptions"},
	{"Where it is from, and what is lost", "losses"},
	{"Sums", "epochs"},
	{"Calls and tasks", "stacks"},
	{"The program", "code"},
	{"The trace", "packets"},
}

const viewsHead = `
# Views and macros

` + "`views.sql`" + ` has a view for each table, with the column ` + "`dataset`" + ` more. At level blocks the view ` + "`instructions`" + ` expands the
runs; at level none there is no such view, nor are there the macros over it. The script finds its dataset in the working directory, up to three
levels below it, in the two directories above it and in their folders; for one elsewhere, or for several, set ` + "`tracelake_dirs`" + ` first:

` + "```sql\nSET VARIABLE tracelake_dirs = ['/data/a', '/data/b'];\n.read /data/a/views.sql\n```" + `

| macro | result |
|---|---|
| pct(n, total) | the percentage that n is of total, with two decimals: 100 only if it is all, 0 only if it is none, NULL of nothing |
| hex8(a) | the address as 0x and eight digits, sixteen from 2³² on; group by the address and not by this text, which is 30 times as slow |
| instructions_window(a, z) | rows of instructions with seq from a to z, of every source; at level blocks much faster than a filter on seq |
| before_offset(x, n) | the last n rows of instructions, of each source, that packets before byte x of the capture report (byte_offset < x), ` +
	`fewer if there are fewer; it reads only the end of the last segment that begins before x |

Addresses are signed 64-bit integers, so that differences are too: ` + "`address - lag(address) OVER (…)`" + ` can be negative.
Those of 2⁶³ and more have the same bits: they are negative.
`

const answersHead = `
## Views that answer questions

They sum the datasets of one build, and read counts and edges, never instructions. Without a program file percentages,
` + "`outside_code` and `outside_executions`" + ` are NULL; without the table events, ` + "`gaps`" + `. Beside a percentage belongs what
[trust](#trust) and [coverage](#coverage) have: what was not decoded, and what was executed outside the program. [queries](queries/README.md) has questions that they answer.
`

var viewGroups = []group{
	{"Datasets and their program", "builds"},
	{"Counts", "counts_all"},
	{"Trust", "trust"},
	{"Coverage", "coverage_instructions"},
	{"Flow and cost", "branch_outcomes"},
}
