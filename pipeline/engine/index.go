package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/tracelake/tracelake/decode/frame"
)

// Index counts what is in the frames of a buffer: block by block with all workers, or frame by
// frame if one is out of step.
func (w Workers) Index(ctx context.Context, b *plan.Buffer) (*frame.Census, error) {
	blocks, ok, err := frame.NewBlocks(b.Data, b.Looked, b.Layout)
	if err != nil {
		return nil, err
	}
	if ok {
		err = Ordered(ctx, w, numbers(blocks.Len()), func(_ context.Context, i int) (*frame.Block, error) {
			return blocks.Count(i)
		}, func(k *frame.Block) error {
			blocks.Add(k)
			return nil
		})
		if err == nil {
			return blocks.Census(), nil
		}
		if !errors.Is(err, frame.ErrOutOfStep) {
			return nil, err
		}
	}
	return frame.Scan(b.Data, b.Looked, b.Layout)
}

// numbers are the numbers from 0 to below n.
func numbers(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}
