package diff

import (
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// functions are where the functions of a core begin, by ordinal. If one is missing,
// the ordinals of those after it are others; where they begin does not change.
type functions map[string][]uint32

// maxFunctions is the most functions of which that is known.
const maxFunctions = 1 << 24

// readFunctions reads the functions of a dataset.
func readFunctions(d *dataset.Dataset) (functions, error) {
	f, left := functions{}, maxFunctions
	for b, err := range d.Batches(&schema.Functions) {
		if err != nil {
			return nil, err
		}
		for i, ordinal := range *schema.FunctionsFunction.In(b) {
			core := b.Columns[schema.FunctionsCore].Str[i]
			if int(ordinal) == len(f[core]) && left > 0 {
				f[core] = append(f[core], (*schema.FunctionsAddress.In(b))[i])
				left--
			}
		}
	}
	return f, nil
}

// columnOf returns the column of a table that refers to functions of the row's core,
// which is the first column.
func columnOf(t *schema.Table) (function schema.IndexU32, ok bool) {
	switch t {
	case &schema.Code:
		return schema.CodeFunction, true
	case &schema.Lines:
		return schema.LinesFunction, true
	}
	return 0, false
}

// resolve puts the addresses of functions in the place of their ordinals.
func (f functions) resolve(b *schema.Batch) {
	function, ok := columnOf(b.Table)
	if !ok || f == nil {
		return
	}
	v := &b.Columns[function]
	for i, ordinal := range v.U32 {
		list := f[b.Columns[0].Str[i]]
		if !v.Null(i) && int64(ordinal) < int64(len(list)) {
			v.U32[i] = list[ordinal]
		}
	}
}

// refersToFunction says whether values of a column are functions.
func refersToFunction(c *schema.Column) bool {
	return c == &schema.Code.Columns[schema.CodeFunction] || c == &schema.Lines.Columns[schema.LinesFunction]
}
