package etmv1

import "slices"

// A queue holds items in order, in memory that it uses again.
type queue[T any] struct {
	items []T
	head  int // the first one left
}

// all returns the items. They move when one is pushed.
func (q *queue[T]) all() []T { return q.items[q.head:] }

func (q *queue[T]) len() int { return len(q.items) - q.head }

// push adds an item at the end.
func (q *queue[T]) push(x T) { *q.extend() = x }

// extend adds an item at the end, which has any value.
func (q *queue[T]) extend() *T {
	n := len(q.items)
	if n == cap(q.items) {
		if q.head > 0 && q.head >= q.len() {
			q.items, q.head = q.items[:copy(q.items, q.all())], 0
		} else {
			q.items = slices.Grow(q.items, max(n, 16))
		}
		n = len(q.items)
	}
	q.items = q.items[:n+1]
	return &q.items[n]
}

// drop removes the first n items.
func (q *queue[T]) drop(n int) {
	if q.head += n; q.head == len(q.items) {
		q.clear()
	}
}

func (q *queue[T]) clear() { q.items, q.head = q.items[:0], 0 }
