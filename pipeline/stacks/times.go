package stacks

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// Times are a row of `call_times`: calls of a function that took about as long.
type Times struct {
	Function    schema.Null[int32]
	Address     schema.Address // see Stack
	Least, Most int64
	Calls       int64
}

// times count calls by how long they took, for each function.
type times struct {
	index   map[schema.Address]int32 // of those below, by address of the function
	of      []timesOf
	touched []touch // what was counted since others took it, in order of its first count
}

// A timesOf has how often a function took how long.
type timesOf struct {
	function int32
	address  schema.Address
	calls    []int64 // by class
}

// A touch is a class of a function.
type touch struct{ of, class int32 }

// Durations are told apart up to exact, and from there on in 32 classes an octave.
const (
	exactBits  = 6
	octaveBits = 5
	exact      = 1 << exactBits
)

// classOf returns the class of a duration, which is not negative.
func classOf(took int64) int32 {
	if took < exact {
		return int32(took)
	}
	octave := bits.Len64(uint64(took)) - 1
	return exact + int32(octave-exactBits)<<octaveBits + int32(took>>(octave-octaveBits))&(1<<octaveBits-1)
}

// rangeOf returns the least and the longest duration of a class.
func rangeOf(class int32) (least, most int64) {
	if class < exact {
		return int64(class), int64(class)
	}
	class -= exact
	shift := class>>octaveBits + exactBits - octaveBits
	least = int64(1<<octaveBits|class&(1<<octaveBits-1)) << shift
	return least, least + 1<<shift - 1
}

// add counts a call of a function at an address; known is 1 more than the index that a node has
// noted, 0 before the first call.
func (t *times) add(known *int32, function int32, address schema.Address, took int64) {
	if *known == 0 {
		*known = t.at(function, address) + 1
	}
	t.count(*known-1, classOf(max(took, 0)), 1)
}

// count counts calls of a function, by its index, in a class.
func (t *times) count(i, class int32, calls int64) {
	x := t.of[i].to(class)
	if *x == 0 {
		t.touched = append(t.touched, touch{i, class})
	}
	*x += calls
}

// at returns the index of a function at an address.
func (t *times) at(function int32, address schema.Address) int32 {
	i, ok := t.index[address]
	if !ok {
		if t.index == nil {
			t.index = map[schema.Address]int32{}
		}
		i = int32(len(t.of))
		t.index[address] = i
		t.of = append(t.of, timesOf{function: function, address: address})
	}
	return i
}

// to returns the count of a class.
func (x *timesOf) to(class int32) *int64 {
	if more := int(class) + 1 - len(x.calls); more > 0 {
		x.calls = append(x.calls, make([]int64, more)...)
	}
	return &x.calls[class]
}

// rows returns what was counted, by address.
func (t *times) rows() (rows []Times) {
	slices.SortFunc(t.of, func(a, b timesOf) int { return cmp.Compare(a.address, b.address) })
	for i := range t.of {
		x := &t.of[i]
		for class, n := range x.calls {
			if n > 0 {
				least, most := rangeOf(int32(class))
				rows = append(rows, Times{schema.Null[int32]{V: max(x.function, 0), OK: x.function != none}, x.address, least, most, n})
			}
		}
	}
	return rows
}

// take moves what others counted to t.
func (t *times) take(x *times) {
	for _, at := range x.touched {
		from := &x.of[at.of]
		n := &from.calls[at.class]
		t.count(t.at(from.function, from.address), at.class, *n)
		*n = 0
	}
	x.touched = x.touched[:0]
}
