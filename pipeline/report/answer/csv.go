package answer

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// CSV writes the rows of an answer (RFC 4180): a line of keys, then a line a row. Numbers are as in
// JSON; what nobody knows is empty, and so is what has no key there. A figure has columns for what it
// counts and for its whole.
func CSV(w io.Writer, a *Answer) error {
	s := a.Section()
	out := csv.NewWriter(w)
	var line []string
	for _, c := range s.Columns {
		switch {
		case c.Key == "" || c.Unit == Chart || c.Unit == Words && s.nested(c.Key):
		case c.Unit == Figure:
			line = append(line, c.Key+".count", c.Key+".of")
		default:
			line = append(line, c.Key)
		}
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for i := range s.Shown() {
		line = line[:0]
		missing := "" // the prefix of an object that the row does not have
		for _, c := range s.Columns {
			switch {
			case c.Key == "" || c.Unit == Chart:
			case c.Unit == Words && s.nested(c.Key):
				if missing = ""; c.At(i).IsNone() {
					missing = c.Key + "."
				}
			case missing != "" && strings.HasPrefix(c.Key, missing):
				line = appendCells(line, c.Unit, None)
			default:
				line = appendCells(line, c.Unit, c.At(i))
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// nested says whether a key is of an object that has columns of its own.
func (s *Section) nested(key string) bool {
	for _, c := range s.Columns {
		if strings.HasPrefix(c.Key, key+".") {
			return true
		}
	}
	return false
}

// appendCells appends the text of a value: of a figure both its numbers.
func appendCells(line []string, unit Unit, v Value) []string {
	if v.shown {
		v = None
	}
	if unit == Figure {
		if v.kind != figure {
			return append(line, "", "")
		}
		of := ""
		if v.of > 0 {
			of = strconv.FormatInt(v.of, 10)
		}
		return append(line, strconv.FormatInt(v.n, 10), of)
	}
	switch v.kind {
	case text:
		return append(line, v.text)
	case whole:
		return append(line, strconv.FormatInt(v.n, 10))
	case fraction, tenths, share:
		return append(line, strconv.FormatFloat(v.number(), 'f', -1, 64))
	case other:
		b, err := json.Marshal(v.other)
		if err == nil {
			return append(line, string(b))
		}
	default:
	}
	return append(line, "")
}
