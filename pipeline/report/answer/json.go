package answer

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// JSON writes an answer as one object, with its keys in their order.
func JSON(w io.Writer, a *Answer) error {
	var b jsonWriter
	b.facts(a.Facts)
	if b.err != nil {
		return b.err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := out.WriteTo(w)
	return err
}

// A jsonWriter writes JSON without white space.
type jsonWriter struct {
	bytes.Buffer
	err error
}

func (b *jsonWriter) facts(facts []Fact) {
	b.WriteByte('{')
	b.members(facts)
	b.WriteByte('}')
}

func (b *jsonWriter) members(facts []Fact) {
	for _, f := range facts {
		if f.Value.kind == rows {
			b.key("rows_left_out")
			b.encode(f.Value.rows.Rows - f.Value.rows.Shown())
		}
		b.member(f.Key, f.Value)
	}
}

// member writes a key and its value, if there is one.
func (b *jsonWriter) member(key string, v Value) {
	if v.kind != absent {
		b.key(key)
		b.value(v)
	}
}

// key writes a key, after a comma if it is not the first.
func (b *jsonWriter) key(key string) {
	if last := b.Bytes()[b.Len()-1]; last != '{' {
		b.WriteByte(',')
	}
	b.encode(key)
	b.WriteByte(':')
}

func (b *jsonWriter) value(v Value) {
	if v.shown {
		v = None
	}
	switch v.kind {
	case none, absent:
		b.WriteString("null")
	case text:
		b.encode(v.text)
	case whole:
		b.encode(v.n)
	case fraction, tenths, share:
		b.encode(v.number())
	case figure, change:
		b.WriteByte('{')
		b.figure(v)
		b.members(v.facts)
		b.WriteByte('}')
	case other:
		b.encode(v.other)
	case object:
		b.facts(v.facts)
	case rows, list:
		b.rows(v.rows)
	}
}

// figure writes the members of a figure: what is not known is null.
func (b *jsonWriter) figure(v Value) {
	b.member("count", Int(v.n))
	b.member("of", If(v.of > 0, Int(v.of)))
	b.member("percent", percent(v.n, v.of))
}

// percent is the share that a figure is, if its whole is known.
func percent(n, of int64) Value { return If(of > 0, Float(float64(n)/float64(of)*100)) }

func (b *jsonWriter) rows(s *Section) {
	b.WriteByte('[')
	for i := range s.Shown() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		b.columns(s.Columns, i, "")
		b.WriteByte('}')
	}
	b.WriteByte(']')
}

// columns writes the cells of a row. Those of columns whose keys have a prefix and a dot are an
// object; a column with the prefix alone says whether there is one, or begins it with its figure.
func (b *jsonWriter) columns(columns []Column, row int, prefix string) {
	for len(columns) > 0 {
		c := columns[0]
		if c.Key == "" {
			columns = columns[1:]
			continue
		}
		name, rest, nested := strings.Cut(strings.TrimPrefix(c.Key, prefix), ".")
		members := 1
		for members < len(columns) && strings.HasPrefix(columns[members].Key, prefix+name+".") {
			members++
		}
		if !nested && members == 1 {
			b.member(name, c.At(row))
			columns = columns[1:]
			continue
		}
		b.object(columns[:members], row, prefix+name+".", name, rest != "")
		columns = columns[members:]
	}
}

// object writes the columns of an object. The first may be of the object itself.
func (b *jsonWriter) object(columns []Column, row int, prefix, name string, members bool) {
	b.key(name)
	if members {
		b.WriteByte('{')
		b.columns(columns, row, prefix)
		b.WriteByte('}')
		return
	}
	v := columns[0].At(row)
	if v.kind == none {
		b.value(v)
		return
	}
	b.WriteByte('{')
	if v.kind == figure {
		b.figure(v)
	}
	b.columns(columns[1:], row, prefix)
	b.WriteByte('}')
}

// encode writes what encoding/json makes of a value, with <, > and & as they are.
func (b *jsonWriter) encode(x any) {
	e := json.NewEncoder(&b.Buffer)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil && b.err == nil {
		b.err = err
	}
	if n := b.Len(); n > 0 && b.Bytes()[n-1] == '\n' {
		b.Truncate(n - 1)
	}
}
