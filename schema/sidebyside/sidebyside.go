// Package sidebyside is for work that reads many files, several at a time, and says how far
// it got: checks of datasets and of archives.
//
// Its API is not stable (docs/guide/library.md).
package sidebyside

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Do calls work with each number below n, as many at a time as there are cores. The first
// error stops everything.
func Do(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) { // no goroutine for each: its stack would grow anew
		g.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := work(ctx, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// A Progress counts bytes that are read. Goroutines may share it.
type Progress struct {
	report func(done, total int64)

	mu          sync.Mutex
	done, total int64
}

// NewProgress returns a Progress that calls report, unless that is nil, with the bytes that
// were read, and those that were announced: one goroutine at a time.
func NewProgress(report func(done, total int64)) *Progress { return &Progress{report: report} }

// Announce adds bytes that are to be read.
func (p *Progress) Announce(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += n
}

// Advance counts bytes that were read.
func (p *Progress) Advance(n int64) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.report(p.done, p.total)
}

// Reader returns a reader that counts what is read of r, until a context is done.
func (p *Progress) Reader(ctx context.Context, r io.Reader) io.Reader {
	return &reader{ctx, r, p}
}

type reader struct {
	ctx      context.Context
	from     io.Reader
	progress *Progress
}

// Read implements [io.Reader].
func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(b)
	r.progress.Advance(int64(n))
	return n, err
}
