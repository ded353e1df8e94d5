package exceptions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// none is the number of a node where there is none.
const none = -1

// A span is an exception that was entered.
type span struct {
	kind
	ordinal, seq int64
	end          schema.Null[int64] // NULL: it was open when trace ended
	within       int32              // the node of the call tree that it interrupted; none: it is not known
}

// spanAt returns a row of `exception_spans`, whose stack is one of a call tree, if there is one.
func spanAt(b *schema.Batch, row int, t *calls.Tree) (span, error) {
	x := span{
		ordinal: int64(schema.ExceptionSpansOrdinal.At(b, row)), seq: int64(schema.ExceptionSpansSeq.At(b, row)),
		end: read.Null(b, row, schema.ExceptionSpansEndSeq), within: read.Ordinal(b, row, schema.ExceptionSpansStack),
	}
	if t != nil && (x.within < none || int(x.within) >= len(t.Nodes)) {
		return x, fmt.Errorf("span %d is of stack %d, which there is not", int64(schema.ExceptionSpansSpan.At(b, row)), x.within)
	}
	return x, nil
}

// A path is what is above a node of a call tree, the node too.
type path struct {
	exceptions int64
	root       int32
}

// pathsOf returns the paths of nodes.
func pathsOf(nodes []stacks.Node) []path {
	paths := make([]path, len(nodes))
	for i := range nodes {
		p := &paths[i]
		if p.root = int32(i); nodes[i].Parent != none {
			*p = paths[nodes[i].Parent]
		}
		if nodes[i].Entry == schema.StackException {
			p.exceptions++
		}
	}
	return paths
}

// An entered is an exception that may go on.
type entered struct {
	end    schema.Null[int64]
	nested int64
}

// nest notes how deep the exceptions of a source are nested. The call tree has those that one was within up to a
// task, or up to an asynchronous exception: that is the latest of its kind that had not ended, with what it is
// within itself. What waits in other tasks does not count.
func nest(spans []span, t *calls.Tree, rowOf func(kind) *Row) {
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.ordinal, y.ordinal) })
	paths, open := pathsOf(t.Nodes), map[read.Exception][]entered{}
	for i := range spans {
		x := &spans[i]
		if x.within == none {
			continue
		}
		p := paths[x.within]
		nested := p.exceptions
		if root := &t.Nodes[p.root]; root.Entry == schema.StackException {
			l := goingOn(open[root.Exception], x.seq)
			if open[root.Exception] = l; len(l) > 0 {
				nested += l[len(l)-1].nested
			}
		}
		open[x.Exception] = append(open[x.Exception], entered{x.end, nested})
		row := rowOf(x.kind)
		row.Nested = schema.Of(max(nested, row.Nested.V))
	}
}

// goingOn drops the latest exceptions that ended before an instruction.
func goingOn(l []entered, seq int64) []entered {
	for n := len(l); n > 0 && l[n-1].end.OK && l[n-1].end.V < seq; n-- {
		l = l[:n-1]
	}
	return l
}
