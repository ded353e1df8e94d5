package rows

import "testing"

// The limit counts what was taken before.
func TestLimitCounts(t *testing.T) {
	l := Limit{Most: 10}
	for _, n := range []int64{4, 6} {
		if err := l.take(n); err != nil {
			t.Fatalf("%d of 10 rows: %v", l.rows, err)
		}
	}
	if l.take(1) == nil {
		t.Error("11 rows of 10")
	}
}
