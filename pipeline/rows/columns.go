package rows

import "github.com/tracelake/tracelake/schema"

// This file appends to columns of batches.

// appendNull appends a value that may be NULL.
func appendNull[T any](s *[]T, valid *[]uint8, x schema.Null[T]) {
	ok := uint8(0)
	if x.OK {
		ok = 1
	}
	*s, *valid = append(*s, x.V), append(*valid, ok)
}
