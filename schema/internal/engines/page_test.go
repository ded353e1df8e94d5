package engines_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

var update = flag.Bool("update", false, "write docs/engines.md")

// An engine is a reader of datasets. Types are what it calls those of columns: of
// 32 and of 64 bits, BOOLEAN, DOUBLE, VARCHAR, BLOB, and VARCHAR of a closed list.
type engine struct {
	name, title      string
	parquet, arrow   string // how to open a table; "" if it cannot
	types, arrowType [7]string
}

const (
	pyarrowEnum = "dictionary<values=string, indices=int8, ordered=0>"
	ofIPC       = "pyarrow.dataset.dataset('DIR/instructions', format='ipc')"
)

var engines = []engine{
	{
		"duckdb", "DuckDB", "duckdb -init DIR/views.sql", "duckdb.from_arrow(" + ofIPC + ")",
		[7]string{"INTEGER", "BIGINT", "BOOLEAN", "DOUBLE", "VARCHAR", "BLOB", "VARCHAR"},
		[7]string{"INTEGER", "BIGINT", "BOOLEAN", "DOUBLE", "VARCHAR", "BLOB", "VARCHAR"},
	}, {
		"polars", "Polars", "polars.scan_parquet('DIR/instructions/*.parquet')",
		"polars.scan_ipc('DIR/instructions/*.arrow')",
		[7]string{"Int32", "Int64", "Boolean", "Float64", "String", "Binary", "String"},
		[7]string{"Int32", "Int64", "Boolean", "Float64", "String", "Binary", "Categorical"},
	}, {
		"pandas", "pandas", "pandas.read_parquet('DIR/instructions', dtype_backend='pyarrow')",
		"pandas.read_feather('DIR/instructions/10-00000.arrow', dtype_backend='pyarrow')",
		[7]string{"int32[pyarrow]", "int64[pyarrow]", "bool[pyarrow]", "double[pyarrow]", "string[pyarrow]",
			"binary[pyarrow]", "string[pyarrow]"},
		[7]string{"int32[pyarrow]", "int64[pyarrow]", "bool[pyarrow]", "double[pyarrow]", "string[pyarrow]",
			"binary[pyarrow]", pyarrowEnum + "[pyarrow]"},
	}, {
		"pyarrow", "pyarrow", "pyarrow.dataset.dataset('DIR/instructions').to_table()", ofIPC + ".to_table()",
		[7]string{"int32", "int64", "bool", "double", "string", "binary", "string"},
		[7]string{"int32", "int64", "bool", "double", "string", "binary", pyarrowEnum},
	}, {
		name: "pyiceberg", title: "PyIceberg", parquet: "table.add_files(glob.glob('/path/of/DIR/instructions/*.parquet'))",
		types: [7]string{"int", "long", "boolean", "double", "string", "binary", "string"},
	}, {
		"datafusion", "DataFusion", "SessionContext().read_parquet('DIR/instructions')",
		"SessionContext().register_dataset('instructions', " + ofIPC + ")",
		[7]string{"int32", "int64", "bool", "double", "string_view", "binary_view", "string_view"},
		[7]string{"int32", "int64", "bool", "double", "string", "binary", pyarrowEnum},
	}, {
		"chdb", "chDB (ClickHouse)", "SELECT * FROM file('DIR/instructions/*.parquet', 'Parquet')",
		"SELECT * FROM file('DIR/instructions/*.arrow', 'Arrow')",
		[7]string{"Int32", "Int64", "Bool", "Float64", "String", "String", "String"},
		[7]string{"Int32", "Int64", "Bool", "Float64", "String", "String", "LowCardinality(String)"},
	},
}

// typesOf returns what the engine calls the type of a column in files of a format.
func (e *engine) typesOf(arrow bool) func(schema.Column) string {
	names := e.types
	if arrow {
		names = e.arrowType
	}
	return func(c schema.Column) string {
		if c.Type == schema.Enum {
			return names[6]
		}
		return names[map[string]int{"INTEGER": 0, "BIGINT": 1, "BOOLEAN": 2, "DOUBLE": 3, "VARCHAR": 4,
			"BLOB": 5}[c.Type.SQL()]]
	}
}

const pageHead = `<!-- Written by go test ./schema/internal/engines -update; do not edit. -->

# Engines

These engines read every table: each type and each value of a dataset with addresses of 0x80000000 and more, the least and the greatest
number of each type, NULL in every column that can have it, every value of each closed list, quotes, text outside ASCII, and bytes. The
test ` + "`TestEnginesReadEverything`" + ` writes that dataset as Parquet and as Arrow IPC files, and compares what each engine reads with what was written.

| engine | version | Parquet | Arrow IPC |
|---|---|---|---|
`

const pageTypes = `
## How to open a table

DIR is the dataset. PyIceberg takes absolute paths, for a table that was made with the schema of one of the files.
DuckDB reads Arrow files, and DataFusion Arrow files of several parts, through pyarrow.

| engine | Parquet | Arrow IPC |
|---|---|---|
`

const pageNames = `
## What the types are called

[tables.md](tables.md) has the types of DuckDB. A closed list is a column of which all values are listed there; Arrow files have it as a dictionary.

| engine | format | INTEGER | BIGINT | BOOLEAN | DOUBLE | VARCHAR | BLOB | closed list |
|---|---|---|---|---|---|---|---|---|
`

// page returns docs/engines.md for engines of these versions.
func page(versions map[string]string) string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, e := range engines {
		fmt.Fprintf(&b, "| %s | %s | yes | %s |\n", e.title, versions[e.name],
			or(e.arrow, "yes", "no: Iceberg has no such files"))
	}
	b.WriteString(pageTypes)
	for _, e := range engines {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", e.title, e.parquet, or(e.arrow, "`"+e.arrow+"`", ""))
	}
	b.WriteString(pageNames)
	for _, e := range engines {
		fmt.Fprintf(&b, "| %s | Parquet | %s |\n", e.title, strings.Join(e.types[:], " | "))
		if e.arrow != "" {
			fmt.Fprintf(&b, "| | Arrow IPC | %s |\n", strings.Join(e.arrowType[:], " | "))
		}
	}
	return strings.ReplaceAll(b.String(), pyarrowEnum, "dictionary&lt;string, int8&gt;")
}

func or(s, some, none string) string {
	if s == "" {
		return none
	}
	return some
}

// comparePage compares docs/engines.md with text, or writes it.
func comparePage(t *testing.T, text string) {
	t.Helper()
	const file = "../../../docs/engines.md"
	if *update {
		check(t, os.WriteFile(file, []byte(text), 0o666))
	}
	got, err := os.ReadFile(file)
	check(t, err)
	if string(got) != text && !t.Failed() {
		t.Errorf("docs/engines.md is not what was read: run go test ./schema/internal/engines -update")
	}
}
