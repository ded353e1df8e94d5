package process

import (
	"cmp"
	"slices"
	"sort"
)

// A history is the values that keys have over time. They are set in the order of time; after
// seal, they are read.
type history[V comparable] struct {
	now     map[int32]V // until seal
	changes []change[V] // after seal by key, of one key by time
}

type change[V comparable] struct {
	key   int32
	time  uint64
	value V
}

func (h *history[V]) set(key int32, time uint64, value V) {
	if before, ok := h.now[key]; ok && before == value {
		return
	}
	if h.now == nil {
		h.now = map[int32]V{}
	}
	h.now[key] = value
	h.changes = append(h.changes, change[V]{key, time, value})
}

func (h *history[V]) seal() {
	h.now = nil
	slices.SortStableFunc(h.changes, func(a, b change[V]) int { return cmp.Compare(a.key, b.key) })
	h.changes = slices.Clip(h.changes)
}

// at returns the value that a key has at a time: the last one set up to then.
func (h *history[V]) at(key int32, time uint64) (value V, ok bool) {
	i := h.after(key, time) - 1
	if i < 0 || h.changes[i].key != key {
		return value, false
	}
	return h.changes[i].value, true
}

// atOrFirst returns the value at a time or, where that is before the first one, the first one.
func (h *history[V]) atOrFirst(key int32, time uint64) (value V, ok bool) {
	if value, ok = h.at(key, time); ok {
		return value, true
	}
	if i := h.after(key, time); i < len(h.changes) && h.changes[i].key == key {
		return h.changes[i].value, true
	}
	return value, false
}

// after returns the index of the first change after a time.
func (h *history[V]) after(key int32, time uint64) int {
	return sort.Search(len(h.changes), func(i int) bool {
		c := &h.changes[i]
		return c.key > key || c.key == key && c.time > time
	})
}
