package stacks

import "testing"

// Each duration is in one class, which is exact up to 63, and up to 1/32 wide from there on.
func TestClasses(t *testing.T) {
	next := int64(0)
	for class := range int32(exact + 58*1<<octaveBits - 32) {
		least, most := rangeOf(class)
		if least != next || most < least || classOf(least) != class || classOf(most) != class {
			t.Fatalf("class %d has %d to %d, of classes %d and %d; %d is the next", class, least, most, classOf(least), classOf(most), next)
		}
		if least < exact && most != least || (most-least)*(1<<octaveBits) > least {
			t.Fatalf("class %d has %d to %d: too wide", class, least, most)
		}
		next = most + 1
	}
}

// What folders counted is added up by function, whichever numbers they gave it.
func TestTimesTake(t *testing.T) {
	var sum times
	for _, order := range [][]int64{{5, 100, 5}, {101, 7}} {
		var x times
		var known [2]int32
		for _, took := range order {
			x.add(&known[0], none, 0x2000, took)
			x.add(&known[1], 3, 0x1000, took)
		}
		var between times
		between.take(&x)
		between.take(&x) // has nothing left
		sum.take(&between)
	}
	got := map[int64]int64{}
	for _, row := range sum.rows() {
		if row.Function.OK != (row.Address == 0x1000) {
			t.Errorf("%+v", row)
		}
		got[row.Least] += row.Calls
	}
	if got[5] != 4 || got[7] != 2 || got[100] != 4 || len(got) != 3 {
		t.Errorf("calls by duration: %v", got)
	}
}
