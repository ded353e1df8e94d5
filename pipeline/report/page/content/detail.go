package content

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// halfWindow is how many instructions before a point, and how many after it, a page has.
const halfWindow = 64

// mostDecoded is how many parts of the capture are decoded again for a page.
const mostDecoded = 16

// detailWindows are the instructions around points of a source, which are in the order of their
// importance: at most so many in all, in at most so many groups, the others are left out.
func detailWindows(points []int64, first, end, most int64, groups int) []last.Window {
	var windows []last.Window
	for _, seq := range points {
		more := slices.Clone(windows)
		more = append(more, last.Window{From: max(first, seq-halfWindow), Until: min(end, seq+halfWindow)})
		if more = joined(more); size(more) <= most && len(last.Groups(more)) <= groups {
			windows = more
		}
	}
	return windows
}

// hasRows says whether a dataset has rows of instructions, or of blocks.
func (p *Content) hasRows(dir string) bool {
	i := slices.IndexFunc(p.Trust.Datasets, func(d trust.Dataset) bool { return d.Dir == dir })
	return i >= 0 && (len(lacking(&p.Trust.Datasets[i], []*schema.Table{&schema.Instructions})) == 0 ||
		len(lacking(&p.Trust.Datasets[i], []*schema.Table{&schema.Blocks, &schema.CodeBlocks})) == 0)
}

// mostGroups is in how many groups the windows of a dataset may be.
func (p *Content) mostGroups(dir string, opt *Options) int {
	switch {
	case p.hasRows(dir):
		return math.MaxInt
	case opt.Rows != nil:
		return mostDecoded
	}
	return 0
}

// joined returns windows in order, those that overlap or touch as one.
func joined(windows []last.Window) []last.Window {
	slices.SortFunc(windows, func(a, b last.Window) int { return int(a.From - b.From) })
	all := windows[:0]
	for _, w := range windows {
		if n := len(all); n > 0 && w.From <= all[n-1].Until {
			all[n-1].Until = max(all[n-1].Until, w.Until)
			continue
		}
		all = append(all, w)
	}
	return all
}

// size is how many instructions are in windows.
func size(windows []last.Window) (n int64) {
	for _, w := range windows {
		n += w.Until - w.From
	}
	return n
}

// edges are the first instructions of windows, and those after their last.
func edges(windows []last.Window) (seqs []int64) {
	for _, w := range windows {
		seqs = append(seqs, w.From, w.Until)
	}
	return seqs
}

// readDetail reads the instructions of windows of a source. Where they cannot be had, it says why.
func (p *Content) readDetail(m *report.Merged, c *clockwork, opt *Options) error {
	if len(c.windows) == 0 {
		return nil
	}
	x := &detailReader{opcodes: !opt.Sources.None, index: map[codeKey]int32{}, functions: map[codePlace]int32{}, files: p.files}
	for name, i := range p.functions { // of several at one address the first
		at := codePlace{name.Core, name.Address}
		if first, ok := x.functions[at]; !ok || i < first {
			x.functions[at] = i
		}
	}
	var rows last.Rows
	if opt.Rows != nil {
		rows = opt.Rows(c.place.Dir)
	}
	if err := last.Around(m, c.place.Dir, c.place.Source, c.windows, rows, x.add); err != nil {
		if p.hasRows(c.place.Dir) {
			return err
		}
		p.NoDetail = "There are no single instructions to show: " + err.Error() + "."
		return nil
	}
	for _, w := range c.windows {
		from, ok := c.spans.passed[w.From]
		until, known := c.spans.passed[w.Until]
		if !known {
			until = c.spans.length
		}
		if !ok {
			from, until = None, None // it is on no axis
		}
		x.Seq, x.Count = append(x.Seq, w.From), append(x.Count, w.Until-w.From)
		x.From, x.Until = append(x.From, from), append(x.Until, until)
	}
	c.detail = &x.Detail
	return nil
}

// A codeKey is what makes two executed instructions one of the code.
type codeKey struct {
	address schema.Address
	isa     schema.ISA
	opcode  uint32
}

// A detailReader makes the detail of a source.
type detailReader struct {
	Detail
	opcodes   bool
	index     map[codeKey]int32
	functions map[codePlace]int32 // by their first address
	files     map[string]int32
}

// A codePlace is an address of a core's program.
type codePlace struct {
	core    string
	address schema.Address
}

// add adds an instruction that was executed.
func (r *detailReader) add(x *last.Executed) {
	key := codeKey{x.Address, x.ISA, x.Opcode}
	i, ok := r.index[key]
	if !ok {
		i = int32(len(r.Address))
		r.index[key] = i
		r.addCode(x)
	}
	cycles := int64(None)
	if x.Cycles.OK {
		cycles = x.Cycles.V
	}
	r.Code, r.Cycles, r.Outcome = append(r.Code, i), append(r.Cycles, cycles), append(r.Outcome, outcome(x))
}

// addCode adds an instruction of the code.
func (r *detailReader) addCode(x *last.Executed) {
	opcode := ""
	if r.opcodes {
		opcode = answer.Opcode(x.Opcode, x.Size)
	}
	function, file := int32(None), int32(None)
	if i, ok := r.functions[codePlace{x.Core, x.Name.Address}]; ok {
		function = i
	}
	if i, ok := r.files[x.File]; ok {
		file = i
	}
	r.Address, r.Opcode, r.Kind = append(r.Address, x.Address), append(r.Opcode, opcode), append(r.Kind, x.Kind.String())
	r.Function, r.File, r.Line = append(r.Function, function), append(r.File, file), append(r.Line, x.Line)
}

// Outcomes of an instruction.
const (
	outcomeNone uint16 = iota // it has none
	outcomeTaken
	outcomeNotTaken
	outcomePassed
	outcomeFailed
	outcomeUnknown
)

// outcome says what became of an instruction that could fail, or branch.
func outcome(x *last.Executed) uint16 {
	switch {
	case x.Executed.OK && x.Branches() && x.Executed.V:
		return outcomeTaken
	case x.Executed.OK && x.Branches():
		return outcomeNotTaken
	case x.Executed.OK && !x.Executed.V:
		return outcomeFailed
	case !x.Conditional:
		return outcomeNone
	case x.Executed.OK:
		return outcomePassed
	}
	return outcomeUnknown
}
