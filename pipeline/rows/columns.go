package rows

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// This file appends to columns of batches.

// extend makes s longer by n and returns what was added, not initialised.
func extend[T any](s *[]T, n int) []T {
	first := len(*s)
	*s = slices.Grow(*s, n)[:first+n]
	return (*s)[first:]
}

// appendNull appends a value that may be NULL.
func appendNull[T any](s *[]T, valid *[]uint8, x schema.Null[T]) {
	*s, *valid = append(*s, x.V), append(*valid, flag(x.OK))
}

// repeatFlag appends n times whether x.
func repeatFlag(s *[]uint8, x bool, n int) {
	value := flag(x)
	for i := range extend(s, n) {
		(*s)[len(*s)-n+i] = value
	}
}

// flag returns 1 if x, as columns have it.
func flag(x bool) uint8 {
	if x {
		return 1
	}
	return 0
}
