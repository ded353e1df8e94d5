package window

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// path returns the frames from the root of a call tree to a node, nil if the index has no stacks.
func (x *Index) path(source uint8, node int32) (path []schema.Frame, err error) {
	if !x.Has(&schema.Stacks) {
		return nil, nil
	}
	r := x.Open(&schema.Stacks, source)
	defer func() { err = errors.Join(err, r.Close()) }()
	var parents []int32 // by number of the node; of a root -1
	var frames []schema.Frame
	for int(node) >= len(frames) {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, x.wrongStack(source, node)
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Rows() {
			parent := null[int32](b, i, schema.StacksParent)
			if !parent.OK {
				parent.V = -1
			}
			parents, frames = append(parents, parent.V), append(frames, frameOf(b, i))
		}
	}
	for at := node; at >= 0; at = parents[at] {
		if parents[at] >= at {
			return nil, x.wrongStack(source, node)
		}
		path = append(path, frames[at])
	}
	slices.Reverse(path)
	return path, nil
}

func frameOf(b *schema.Batch, i int) schema.Frame {
	return schema.Frame{
		Entry: schema.StackEntry(schema.StacksEntry.At(b, i)), Address: schema.StacksAddress.At(b, i),
		Exception: null[schema.ExceptionType](b, i, schema.StacksException),
		Number:    null[uint16](b, i, schema.StacksNumber),
	}
}

func (x *Index) wrongStack(source uint8, node int32) error {
	return x.wrong(fmt.Sprintf("has segments of source %s that name stack %d, which there is not",
		schema.SourceText(source), node), "export the whole capture again")
}
