package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// However slow emit is, what waits for it is bounded by its bytes, and an item
// that is larger than the limit still goes through.
func TestBudgetBoundsWhatWaits(t *testing.T) {
	for _, tt := range []struct {
		workers    int
		item, want int64 // want: the most that waits
	}{
		{7, 10, 40},   // a fourth is begun while 30 of 35 are used
		{7, 100, 100}, // one at a time
		{1, 10, 30},   // one is emitted, two wait: ordered holds no more
	} {
		t.Run(fmt.Sprint(tt.workers, " workers, items of ", tt.item), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := NewBudget(35)
				emitted := 0
				items := Throttled(t.Context(), b, func(yield func(int, error) bool) {
					for i := range 50 {
						time.Sleep(time.Millisecond) // the one before is weighed meanwhile
						if !yield(i, nil) {
							return
						}
					}
				})
				err := Ordered(t.Context(), NewWorkers(tt.workers), items, func(_ context.Context, i int) (int, error) {
					b.Take(tt.item)
					return i, nil
				}, func(int) error {
					time.Sleep(time.Second)
					b.Give(tt.item)
					emitted++
					return nil
				})
				if err != nil || emitted != 50 || b.used != 0 {
					t.Fatalf("%d emitted, %d bytes used, %v", emitted, b.used, err)
				}
				if b.most != tt.want {
					t.Errorf("%d bytes waited, want %d", b.most, tt.want)
				}
			})
		})
	}
}

// A wait for room ends with the context.
func TestBudgetStopsOnCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := NewBudget(1)
	b.Take(1)
	cancel()
	if err := b.Room(ctx); err == nil {
		t.Error("there is room")
	}
}
