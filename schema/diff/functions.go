package diff

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// functions are where the functions of a dataset begin, by core and ordinal. If one is
// missing, the ordinals of those after it are others; where they begin does not change.
type functions struct {
	entries *entries
	of      map[string][]uint32 // numbers of entries
}

// entries are the addresses at which functions of either dataset begin, each with a number.
type entries struct {
	numbers   map[schema.Address]uint32
	addresses []schema.Address
}

func newEntries() *entries { return &entries{numbers: map[schema.Address]uint32{}} }

// number returns the number of an address.
func (e *entries) number(address schema.Address) uint32 {
	n, ok := e.numbers[address]
	if !ok {
		n = uint32(len(e.addresses))
		e.numbers[address], e.addresses = n, append(e.addresses, address)
	}
	return n
}

// maxFunctions is the most functions of which that is known.
const maxFunctions = 1 << 24

// readFunctions reads the functions of a dataset.
func readFunctions(d *dataset.Dataset, e *entries) (functions, error) {
	f, left := functions{e, map[string][]uint32{}}, maxFunctions
	for b, err := range d.Batches(&schema.Functions) {
		if err != nil {
			return functions{}, err
		}
		for i, ordinal := range *schema.FunctionsFunction.In(b) {
			core := b.Columns[schema.FunctionsCore].Str[i]
			if int(ordinal) == len(f.of[core]) && left > 0 {
				f.of[core] = append(f.of[core], e.number(schema.FunctionsAddress.At(b, i)))
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

// resolve puts the numbers of entries in the place of the ordinals of functions. The ordinal of
// none becomes its complement, which is no number.
func (f *functions) resolve(b *schema.Batch) {
	function, ok := columnOf(b.Table)
	if !ok || f.entries == nil {
		return
	}
	v := &b.Columns[function]
	for i, ordinal := range v.U32 {
		list := f.of[b.Columns[0].Str[i]]
		switch {
		case v.Null(i):
		case int64(ordinal) < int64(len(list)):
			v.U32[i] = list[ordinal]
		default:
			v.U32[i] = ^ordinal
		}
	}
}

// words names the function that a cell refers to, once it was resolved.
func (f *functions) words(cell uint32) string {
	if int64(cell) < int64(len(f.entries.addresses)) {
		return "that at " + f.entries.addresses[cell].Hex()
	}
	return fmt.Sprintf("number %d", ^cell)
}

// refersToFunction says whether values of a column are functions.
func refersToFunction(c *schema.Column) bool {
	return c == &schema.Code.Columns[schema.CodeFunction] || c == &schema.Lines.Columns[schema.LinesFunction]
}
