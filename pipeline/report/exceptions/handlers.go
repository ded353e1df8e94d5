package exceptions

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A ran is what a core executed.
type ran struct {
	all       stacks.Work
	uncounted bool // some of it without cycles
	unknown   bool // a dataset does not say
}

// A handling is what was executed in exceptions of a kind.
type handling struct {
	executed stacks.Work
	index    read.Index[report.Name]
	below    []handler
}

// A handler is a function that ran below an exception, with what it called.
type handler struct {
	report.Name
	instructions int64
}

// add adds what a function executed.
func (h *handling) add(name report.Name, instructions int64) {
	i, isNew := h.index.Of(name)
	if isNew {
		h.below = append(h.below, handler{Name: name})
	}
	h.below[i].instructions += instructions
}

// most is the function that most was executed in. A vector is before its handler, which executes as much at least.
func (h *handling) most() (most handler) {
	for _, b := range h.below {
		if b.instructions >= most.instructions {
			most = b
		}
	}
	return most
}

// A handled has what was executed in exceptions, and in all.
type handled struct {
	m     *report.Merged
	cores map[string]*ran
	kinds map[kind]*handling
}

func newHandled(m *report.Merged) *handled {
	return &handled{m, map[string]*ran{}, map[kind]*handling{}}
}

// readTree returns the call tree of a source, and notes what ran in exceptions; nil: there is none.
func (r *handled) readTree(d *dataset.Dataset, s *schema.SourceTotals) (*calls.Tree, error) {
	core := r.cores[s.Core]
	if core == nil {
		core = &ran{}
		r.cores[s.Core] = core
	}
	if !d.Has(&schema.Stacks) {
		core.unknown = true
		return nil, nil
	}
	t, err := calls.ReadTree(r.m, d, s)
	if err != nil {
		return nil, err
	}
	all := stacks.Work{}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		all.Add(n.Own)
		if n.Entry != schema.StackException || n.IsEntryNotSeen() {
			continue
		}
		h := r.handling(kind{s.Core, n.Exception})
		for below := range t.Children(int32(i)) {
			if name := t.Name(below); name.Function != "" || name.Address != 0 {
				h.add(name, t.Nodes[below].All.Instructions)
			}
		}
	}
	t.InExceptions(func(node int32) {
		n := &t.Nodes[node]
		r.handling(kind{s.Core, n.Exception}).executed.Add(n.All)
	})
	core.all.Add(all)
	core.uncounted = core.uncounted || all.Instructions > 0 && !all.Cycles.OK
	return t, nil
}

// handling returns what was executed in exceptions of a kind.
func (r *handled) handling(of kind) *handling {
	h := r.kinds[of]
	if h == nil {
		h = &handling{index: read.Index[report.Name]{}}
		r.kinds[of] = h
	}
	return h
}

// share fills in what was executed in the exceptions of each row.
func (r *handled) share(rows []Row) {
	for i := range rows {
		x := &rows[i]
		h, core := r.kinds[kind{x.Core, x.Exception}], r.cores[x.Core]
		if h == nil || core.unknown {
			continue
		}
		x.Handler, x.Executed, x.Of = h.most().Name, h.executed, core.all
		if core.uncounted {
			x.Executed.Cycles, x.Of.Cycles = schema.Null[int64]{}, schema.Null[int64]{}
		}
	}
}
