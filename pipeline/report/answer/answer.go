// Package answer describes answers: of which facts and which rows one consists, what each column is
// called, in which unit it counts, and where it is left out. An [Answer] is described once. [JSON]
// and [CSV] write it for programs; a screen lays out the same columns for people.
//
// Its API is not stable (docs/guide/library.md).
package answer

import (
	"math"

	"github.com/tracelake/tracelake/schema"
)

// An Answer is what a report says: facts in the order of its JSON object.
type Answer struct {
	Name  string // of the report
	Facts []Fact
}

// A Fact is a figure, or rows, under its key.
type Fact struct {
	Key   string
	Value Value
}

// Section returns the rows of an answer, nil if it has none.
func (a *Answer) Section() *Section { return section(a.Facts) }

// Section returns the rows of an object, nil if it has none.
func (v Value) Section() *Section { return section(v.facts) }

func section(facts []Fact) *Section {
	for i := range facts {
		if v := &facts[i].Value; v.kind == rows {
			return v.rows
		}
	}
	return nil
}

// A Section is rows that have the same columns.
type Section struct {
	Noun    string // what a row stands for, in the singular
	Rows    int
	Top     int   // how many rows are written; 0: all
	Whole   int64 // what shares are of
	Columns []Column
	// Part is what a row has of the whole, which is of that unit; nil: nothing adds up.
	Part func(row int) int64
	Unit string
	// Bar is what of a whole a bar shows of a row; nil: there are no bars.
	Bar func(row int) (full, part, whole float64)
	// Heading is a line before a row on screens, "" if there is none; nil: no row has one.
	Heading func(row int) string
}

// Shown is how many rows are written.
func (s *Section) Shown() int {
	if s.Top == 0 {
		return s.Rows
	}
	return min(s.Top, s.Rows)
}

// addUp says what a row has of the whole, which is what all have.
func (s *Section) addUp(part func(row int) int64) {
	s.Part = part
	for i := range s.Rows {
		s.Whole += part(i)
	}
}

// A Column is what rows have in common.
type Column struct {
	// Key is that of JSON and the heading of CSV; "": it is on screens alone. Columns that follow one
	// another and have the same text before a dot are an object of that name.
	Key    string
	Title  string // on screens; "": it is not there
	Unit   Unit
	Weight Weight
	Place  int // on screens: columns are in this order
	At     func(row int) Value
}

// OnScreen says whether screens have the column.
func (c *Column) OnScreen() bool { return c.Title != "" || c.Weight == Share || c.Weight == Extent }

// When is a column of screens that is there on a condition. JSON has it in any case, as null.
func When(there bool, c Column) Column {
	if !there {
		c.Title, c.At = "", func(int) Value { return None }
	}
	return c
}

// Weight is what of a table goes first where there is too little room.
type Weight uint8

// The weights, as the columns of screens have them.
const (
	Name   Weight = iota // to the left; shortened in the middle, never left out
	Path                 // likewise; shortened at the start
	Main                 // a number that is never left out
	Number               // a number
	Spare                // a number that is shown where there is much room
	Remark               // words
	Reason               // words that are never left out; shortened at the end
	Share                // a bar that fills up to its whole
	Extent               // a bar that shows the rest of its whole, too
)

// Unit is what a value counts, and how it is rounded for people.
type Unit uint8

// The units.
const (
	Words   Unit = iota
	Count        // with commas
	Cycles       // whole ones for people, tenths for programs
	Seconds      // in a unit that suits it
	OfWhole      // the share that it is of Section.Whole, in percent
	Percent      // the share that a figure is
	Exact        // likewise, with more decimals
	Points       // percentage points, with a sign
	Signed       // a whole number with a sign
	Ratio        // two decimals
	Mean         // one decimal
	Figure       // so many of so many
	FromTo       // what it was, and what it is
	Chart        // what a chart is drawn of: JSON alone has it
	Hash         // of which the first characters are enough for people
)

// A Value is what a row or an answer has: the zero Value is [None].
type Value struct {
	kind  kind
	text  string
	n, of int64 // of a figure; what was, and what is
	x     float64
	other any  // as encoding/json writes it
	shown bool // on screens alone: programs get null
	about bool // people are told that it is not exact
	facts []Fact
	rows  *Section
}

type kind uint8

const (
	none kind = iota
	absent
	text
	whole
	fraction
	tenths // a fraction that programs get rounded
	share  // a fraction that programs get in percent
	figure
	change
	other
	object
	rows
	list
)

// Values that are none.
var (
	None   = Value{}             // nobody knows it: null in JSON
	Absent = Value{kind: absent} // it has none: JSON does not have the key
)

// Text is words. Without words there is none, and JSON does not have the key.
func Text(s string) Value {
	if s == "" {
		return Absent
	}
	return Word(s)
}

// Word is text that JSON has even if it is empty.
func Word(s string) Value { return Value{kind: text, text: s} }

// Int is a whole number.
func Int[N ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](n N) Value {
	return Value{kind: whole, n: int64(n)}
}

// Nullable is a number that may be unknown.
func Nullable(n schema.Null[int64]) Value { return If(n.OK, Int(n.V)) }

// Float is a number.
func Float(x float64) Value { return Value{kind: fraction, x: x} }

// positive is a number that is not known if it is 0.
func positive(x float64) Value { return If(x != 0, Float(x)) }

// Tenths is a sum of shares of cycles, which programs get rounded to a tenth.
func Tenths(x float64) Value { return Value{kind: tenths, x: x} }

// Round rounds a sum of shares of cycles to a tenth.
func Round(cycles float64) float64 { return math.Round(cycles*10) / 10 }

// PercentOf is a share, or how it changed: 1 is 100 percent to programs.
func PercentOf(x float64) Value { return Value{kind: share, x: x} }

// Of is so many of so many; of 0 is nothing known of the whole.
func Of(n, of int64) Value { return Value{kind: figure, n: n, of: of} }

// Was is what was before, and what is now.
func Was(before, now int64) Value { return Value{kind: change, of: before, n: now} }

// JSONOf is a value of which only JSON knows the form, as encoding/json writes it.
func JSONOf(x any) Value { return Value{kind: other, other: x} }

// Object is facts of their own.
func Object(facts ...Fact) Value { return Value{kind: object, facts: facts} }

// Rows is a section.
func Rows(s *Section) Value { return Value{kind: rows, rows: s} }

// List is a section of which all rows are written.
func List(s *Section) Value { return Value{kind: list, rows: s} }

// each is a list of so many rows that only programs read.
func each(n int, columns ...Column) Value { return List(&Section{Rows: n, Columns: columns}) }

// If is a value on a condition, else [None].
func If(known bool, v Value) Value {
	if !known {
		return None
	}
	return v
}

// IfAny is a value on a condition, else [Absent].
func IfAny(there bool, v Value) Value {
	if !there {
		return Absent
	}
	return v
}

// unless is a value that only screens show, unless something is so.
func (v Value) unless(is bool) Value {
	v.shown = !is
	return v
}

// aboutIf has people be told that a value is not exact.
func (v Value) aboutIf(is bool) Value {
	v.about = is
	return v
}

// IsAbout says whether people are told that it is not exact.
func (v Value) IsAbout() bool { return v.about }

// IsAbsent says whether even programs get nothing.
func (v Value) IsAbsent() bool { return v.kind == absent }

// IsNone says whether there is no value.
func (v Value) IsNone() bool { return v.kind <= absent }

// Words returns the text of a value.
func (v Value) Words() string { return v.text }

// Int returns a whole number, of another number that rounded.
func (v Value) Int() int64 {
	if v.fractional() {
		return int64(math.Round(v.x))
	}
	return v.n
}

// Float returns a number.
func (v Value) Float() float64 {
	if v.fractional() {
		return v.x
	}
	return float64(v.n)
}

func (v Value) fractional() bool { return v.kind == fraction || v.kind == tenths || v.kind == share }

// number returns a number as programs get it.
func (v Value) number() float64 {
	switch v.kind {
	case tenths:
		return Round(v.x)
	case share:
		return v.x * 100
	default:
		return v.x
	}
}

// Of returns the whole of a figure, or what was before.
func (v Value) Of() int64 { return v.of }
