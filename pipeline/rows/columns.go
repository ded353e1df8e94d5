package rows

import "slices"

// This file appends to columns of batches.

// extend makes s longer by n and returns what was added, not initialised.
func extend[T any](s *[]T, n int) []T {
	first := len(*s)
	*s = slices.Grow(*s, n)[:first+n]
	return (*s)[first:]
}

// flag returns 1 if x, as columns have it.
func flag(x bool) uint8 {
	if x {
		return 1
	}
	return 0
}
