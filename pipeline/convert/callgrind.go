package convert

import (
	"bufio"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
)

// Callgrind writes a profile in the format of callgrind (Valgrind's manual, "Callgrind Format
// Specification"): what each instruction cost, with its line, and what calls cost. Tasks are
// functions that call the roots of their stacks, and exceptions are functions that call their
// handlers. made is the program that wrote it; comments say what the format cannot.
func Callgrind(w io.Writer, c *profile.Costs, paths *Paths, made string, comments []string) error {
	b := &callgrindWriter{Writer: bufio.NewWriter(w), c: c, paths: paths, names: map[callgrindName]int{}}
	b.header(made, comments)
	for i := range c.Functions {
		if f := &c.Functions[i]; len(f.Own) > 0 || len(f.Calls) > 0 {
			b.function(i, f)
		}
	}
	fmt.Fprintf(b, "\ntotals:%s\n", b.work(c.Executed))
	return b.Flush()
}

// A callgrindWriter writes the lines of a profile.
type callgrindWriter struct {
	*bufio.Writer
	c     *profile.Costs
	paths *Paths
	names map[callgrindName]int // numbers of names that were written before
}

// A callgrindName is a name that has a number.
type callgrindName struct {
	space string // ob, fl or fn: each has numbers of its own
	name  string
}

func (b *callgrindWriter) header(made string, comments []string) {
	events := "Instructions"
	if b.c.Executed.Cycles.OK {
		events += " Cycles"
	}
	fmt.Fprintf(b, "# callgrind format\nversion: 1\ncreator: %s\n", clean(made))
	for _, c := range comments {
		fmt.Fprintf(b, "desc: Trust: %s\n", clean(c))
	}
	fmt.Fprintf(b, "positions: instr line\nevents: %s\nsummary:%s\n", events, b.work(b.c.Executed))
}

// function writes what a function cost, and what its calls cost.
func (b *callgrindWriter) function(i int, f *profile.FunctionCosts) {
	object, file, name := b.place(i)
	fmt.Fprintf(b, "\nob=%s\nfl=%s\nfn=%s\n", b.number("ob", object), b.number("fl", file), b.number("fn", name))
	at := file
	for j := range f.Own {
		cost := &f.Own[j]
		at = b.enter(at, b.file(cost.Place.File, file), file)
		fmt.Fprintf(b, "%#x %d%s\n", cost.Place.Address, cost.Place.Line, b.work(cost.Work))
	}
	b.enter(at, file, file)
	for j := range f.Calls {
		call := &f.Calls[j]
		object, file, name := b.place(call.Callee)
		to := &b.c.Frames[call.Callee]
		fmt.Fprintf(b, "cob=%s\ncfi=%s\ncfn=%s\ncalls=%d %#x %d\n%#x %d%s\n", b.number("ob", object), b.number("fl", file),
			b.number("fn", name),
			call.Calls, to.Address, to.Line, call.From.Address, call.From.Line, b.work(call.All))
	}
}

// enter says that lines are of another file than before: one inlined into the function, or its
// own again.
func (b *callgrindWriter) enter(at, file, own string) string {
	switch file {
	case at:
	case own:
		fmt.Fprintf(b, "fe=%s\n", b.number("fl", file))
	default:
		fmt.Fprintf(b, "fi=%s\n", b.number("fl", file))
	}
	return file
}

// unknown is what callgrind calls a file or object that it does not know.
const unknown = "???"

// place returns the program file, the source file and the name of a function.
func (b *callgrindWriter) place(i int) (object, file, name string) {
	if i >= len(b.c.Frames) {
		return unknown, unknown, clean(taskText(&b.c.Tasks[i-len(b.c.Frames)]))
	}
	f := &b.c.Frames[i]
	object = unknown
	if s := b.c.Sections.Find(f.Core, f.Address); s >= 0 && f.IsCode() {
		object = clean(b.c.Sections[s].File)
	}
	return object, b.file(f.File, unknown), clean(f.Text())
}

// file returns the path to open a source file at, or another one if there is none.
func (b *callgrindWriter) file(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return clean(b.paths.Find(b.paths.Move(name)))
}

// number returns a name with its number, the first time, and its number alone after that.
func (b *callgrindWriter) number(space, name string) string {
	key := callgrindName{space, name}
	if n, ok := b.names[key]; ok {
		return fmt.Sprintf("(%d)", n)
	}
	b.names[key] = len(b.names) + 1
	return fmt.Sprintf("(%d) %s", len(b.names), name)
}

// work returns what was executed, a number for each event, each after a space.
func (b *callgrindWriter) work(w stacks.Work) string {
	if !b.c.Executed.Cycles.OK {
		return fmt.Sprintf(" %d", w.Instructions)
	}
	return fmt.Sprintf(" %d %d", w.Instructions, w.Cycles.V)
}
