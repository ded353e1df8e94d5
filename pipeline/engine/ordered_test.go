package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// count yields 0, 1, 2 … n-1.
func count(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

// always yields 0, 1, 2 … for ever.
func always(yield func(int, error) bool) {
	for i := 0; yield(i, nil); i++ {
		continue
	}
}

// Results come in the order of the items, however long each takes, and each
// worker works.
func TestOrderedKeepsOrder(t *testing.T) {
	for _, workerCount := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(workerCount), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n = 1000
				r := rand.New(rand.NewPCG(1, 0))
				delays := make([]time.Duration, n)
				for i := range delays {
					delays[i] = time.Duration(r.IntN(1000)) * time.Millisecond
				}
				var mu sync.Mutex
				working, most := 0, 0
				begin := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					working += n
					most = max(most, working)
				}
				var got []int
				err := Ordered(t.Context(), NewWorkers(workerCount), count(n), func(_ context.Context, i int) (int, error) {
					begin(1)
					defer begin(-1)
					time.Sleep(delays[i])
					return 2 * i, nil
				}, func(r int) error {
					got = append(got, r)
					return nil
				})
				if err != nil || len(got) != n {
					t.Fatalf("%d results, %v", len(got), err)
				}
				for i := range got {
					if got[i] != 2*i {
						t.Fatalf("result %d is %d, want %d", i, got[i], 2*i)
					}
				}
				if most != workerCount {
					t.Errorf("at most %d worked at once, want %d", most, workerCount)
				}
			})
		})
	}
}

// However slow emit is, no more results wait than two for each worker.
func TestOrderedBoundsWhatWaits(t *testing.T) {
	for _, workerCount := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(workerCount), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var started atomic.Int64
				var most, emitted int64
				err := Ordered(t.Context(), NewWorkers(workerCount), count(200), func(context.Context, int) (int, error) {
					started.Add(1)
					return 0, nil
				}, func(int) error {
					time.Sleep(time.Second)
					synctest.Wait() // until no other goroutine can continue
					emitted++       // the one in hand waits no more
					most = max(most, started.Load()-emitted)
					return nil
				})
				if err != nil || emitted != 200 {
					t.Fatalf("%d results, %v", emitted, err)
				}
				if want := int64(2 * workerCount); most != want {
					t.Errorf("%d results waited, want at most %d", most, want)
				}
			})
		})
	}
}

// The first error stops everything, from whatever side it comes; synctest fails
// if a goroutine is left.
func TestOrderedStopsOnError(t *testing.T) {
	errStop := errors.New("stop")
	work := func(_ context.Context, i int) (int, error) {
		time.Sleep(time.Second)
		return i, nil
	}
	emit := func(int) error { return nil }
	for _, tt := range []struct {
		name  string
		items iter.Seq2[int, error]
		work  func(context.Context, int) (int, error)
		emit  func(int) error
	}{
		{"items", func(yield func(int, error) bool) {
			for i := range 20 {
				if !yield(i, nil) {
					return
				}
			}
			yield(0, errStop)
		}, work, emit},
		{"work", always, func(ctx context.Context, i int) (int, error) {
			if i == 20 {
				return 0, errStop
			}
			return work(ctx, i)
		}, emit},
		{"work that waits for another", always, func(ctx context.Context, i int) (int, error) {
			if i == 20 {
				return 0, errStop
			}
			if i > 20 { // for what unit 20 would have handed on
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return work(ctx, i)
		}, emit},
		{"emit", always, work, func(r int) error {
			if r == 20 {
				return errStop
			}
			return nil
		}},
	} {
		for _, workerCount := range []int{1, 2, 7} {
			t.Run(fmt.Sprint(tt.name, "/", workerCount), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					err := Ordered(t.Context(), NewWorkers(workerCount), tt.items, tt.work, tt.emit)
					if !errors.Is(err, errStop) {
						t.Errorf("error %v, want %v", err, errStop)
					}
				})
			})
		}
	}
}

// A cancelled context stops everything, also where nothing else would ever
// happen.
func TestOrderedStopsOnCancel(t *testing.T) {
	wait := func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	for _, tt := range []struct {
		name  string
		items iter.Seq2[int, error]
		work  func(context.Context, int) (int, error)
		emit  time.Duration
	}{
		{"endless items", always, func(context.Context, int) (int, error) { return 0, nil }, time.Millisecond},
		{"work that waits", always, wait, 0},
		{"one item", count(1), wait, 0},
		{"slow emit", always, func(context.Context, int) (int, error) { return 0, nil }, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := Ordered(ctx, NewWorkers(2), tt.items, tt.work, func(int) error {
					time.Sleep(tt.emit)
					return nil
				})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
				}
			})
		})
	}
}

// Two stages that share their workers do not wait for each other for ever, even
// with one token: the first hands on to the second as the exporter does.
func TestOrderedSharesTokens(t *testing.T) {
	for _, workerCount := range []int{1, 2} {
		t.Run(fmt.Sprint(workerCount), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				workers := NewWorkers(workerCount)
				jobs := make(chan int)
				done := make(chan error, 1)
				double := func(_ context.Context, i int) (int, error) {
					time.Sleep(time.Millisecond)
					return 2 * i, nil
				}
				go func() {
					defer close(jobs)
					done <- Ordered(t.Context(), workers, count(300), double, func(r int) error {
						jobs <- r
						return nil
					})
				}()
				sum := 0
				err := Ordered(t.Context(), workers, func(yield func(int, error) bool) {
					for j := range jobs {
						if !yield(j, nil) {
							return
						}
					}
				}, double, func(r int) error {
					sum += r
					return nil
				})
				if err := errors.Join(err, <-done); err != nil || sum != 4*299*300/2 {
					t.Errorf("sum %d, %v", sum, err)
				}
			})
		})
	}
}

// Without items there is nothing to do.
func TestOrderedNothing(t *testing.T) {
	err := Ordered(t.Context(), NewWorkers(2), count(0),
		func(context.Context, int) (int, error) { panic("no item") }, func(int) error { panic("no result") })
	if err != nil {
		t.Error(err)
	}
}
