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

// repeat appends n times x.
func repeat[T any](s *[]T, x T, n int) {
	added := extend(s, n)
	if n == 0 {
		return
	}
	added[0] = x
	for done := 1; done < n; done *= 2 {
		copy(added[done:], added[:done])
	}
}

// appendNull appends a value that may be NULL.
func appendNull[T any](s *[]T, valid *[]uint8, x schema.Null[T]) {
	*s, *valid = append(*s, x.V), append(*valid, flag(x.OK))
}

// repeatNull appends n times a value that may be NULL.
func repeatNull[T any](s *[]T, valid *[]uint8, x schema.Null[T], n int) {
	repeat(s, x.V, n)
	repeat(valid, flag(x.OK), n)
}

// flag returns 1 if x, as columns have it.
func flag(x bool) uint8 {
	if x {
		return 1
	}
	return 0
}
