package read

// An Index numbers keys in the order in which they come.
type Index[K comparable] map[K]int

// Of returns the number of a key, and whether it is new: then it is the highest.
func (x Index[K]) Of(key K) (n int, isNew bool) {
	n, ok := x[key]
	if !ok {
		n = len(x)
		x[key] = n
	}
	return n, !ok
}
