package flow

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// Ways whose exits are remembered in one place are not taken for each other.
func TestReturnsInOnePlace(t *testing.T) {
	from, to := &block{index: 1}, &block{address: 0x8000}
	w := &Walker{partStamp: 1, returns: new(returns)}
	place := w.returnFrom(from, to)
	shared := 0
	for i := uint32(2); i < 1<<16; i++ {
		for _, way := range []struct{ from, to *block }{{&block{index: i}, to}, {from, &block{address: to.address + schema.Address(2*i)}}} {
			*w.returnFrom(from, to) = 7
			x := w.returnFrom(way.from, way.to)
			if *x != 0 && x == place {
				t.Fatalf("from block %d to %#x: that from block 1 to 0x8000", way.from.index, way.to.address)
			}
			if *x = 8; x == place {
				shared++
			}
		}
	}
	if shared == 0 {
		t.Error("no two ways are remembered in one place")
	}
	*w.returnFrom(from, to) = 7
	if w.returns.begin(); *w.returnFrom(from, to) != 0 {
		t.Error("an exit of another part is taken for one of this part")
	}
}
