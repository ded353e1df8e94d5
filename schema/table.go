package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A Table describes one table of a dataset.
type Table struct {
	Name      string // lower snake case, plural; its folder, too
	Row       string // what one row is, as in "one row per …"
	Written   Written
	Level     Level
	PerSource bool // one series of parts for each source, else one for all
	Columns   []Column
	Example   string // a query of its view, for DuckDB

	// Key is the columns whose order is that of the rows of a source, or of all,
	// in tables that have no seq: NULL first, texts by their bytes, enums by code.
	// No two rows have the same, but in `symbols`.
	Key []string
}

// Written says when a table is in a dataset.
type Written uint8

// When tables are written.
const (
	Always     Written = iota // cannot be left out
	ByDefault                 // unless the user picks others
	WithRows                  // likewise, at the levels that have rows of what was executed
	WhenTraced                // likewise, if a source that is decoded traces data
	OnRequest                 // only if the user names it
)

func (w Written) String() string {
	return [...]string{"always", "by default", "by default but at level none", "by default when traced", "on request"}[w]
}

// Level is the form in which a dataset has the executed instructions.
type Level uint8

// The levels. AnyLevel is that of tables that are the same in all; no table is of
// LevelNone, which has what was counted and no row of what was executed.
const (
	AnyLevel Level = iota
	LevelInstructions
	LevelBlocks
	LevelNone
)

// Levels are those a dataset can have.
func Levels() []Level { return []Level{LevelInstructions, LevelBlocks, LevelNone} }

func (l Level) String() string { return [...]string{"any", "instructions", "blocks", "none"}[l] }

// Column returns the column of that name. It panics if t has none.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	panic(fmt.Sprintf("schema: no column %s in %s", name, t.Name))
}

// KeyColumns returns the places of the columns of the key.
func (t *Table) KeyColumns() []int {
	var places []int
	for _, name := range t.Key {
		places = append(places, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name }))
	}
	return places
}

// SQL returns the DuckDB type that columns of type t are read as.
func (t Type) SQL() string {
	switch t {
	case Uint8, Uint16, Int32:
		return "INTEGER"
	case Uint32, Uint63, Uint64, Int64:
		return "BIGINT"
	case Bool:
		return "BOOLEAN"
	case Enum, String, JSON:
		return "VARCHAR"
	case Bytes:
		return "BLOB"
	case Float64:
		return "DOUBLE"
	}
	panic(fmt.Sprintf("schema: no type %d", t))
}

// A Meta is a key and its value in the metadata of a data file.
type Meta struct {
	Key, Value string
}

// The metadata every data file has.
const (
	MetaSchemaVersion = "tracelake.schema_version"
	MetaTable         = "tracelake.table"
	MetaColumns       = "tracelake.columns" // JSON: a list of objects, in the order of the columns
)

// Meta returns the metadata that every data file of t has. The writers put it
// before what their caller adds.
func (t *Table) Meta() []Meta {
	return []Meta{
		{MetaSchemaVersion, strconv.Itoa(Version)},
		{MetaTable, t.Name},
		{MetaColumns, t.columnsJSON()},
	}
}

func (t *Table) columnsJSON() string {
	type column struct {
		Name        string   `json:"name"`
		Type        string   `json:"type"`
		Nullable    bool     `json:"nullable"`
		Unit        string   `json:"unit,omitempty"`
		Values      []string `json:"values,omitempty"`
		Description string   `json:"description"`
	}
	columns := make([]column, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = column{c.Name, c.Type.SQL(), c.Nullable, c.Unit, c.Names, c.Doc}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(columns); err != nil {
		panic(err) // strings and booleans only
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
