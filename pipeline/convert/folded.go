package convert

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/profile"
)

// Folded writes folded stacks, as flame graphs are made of: a line
// TASK;ROOT;CALLER;CALLEE NUMBER for each path, in the order of their text. Numbers are cycles if
// all that ran has cycles, else instructions; their sum is that of the profile. Tasks, cores and
// exceptions are between brackets, as no function is. Handlers of asynchronous exceptions are in no task.
func Folded(w io.Writer, p *profile.Profile) error {
	f := newFolder(p)
	sums := map[string]int64{}
	for i := range p.Nodes {
		if n := p.Nodes[i].Own.In(p.ByCycles); n > 0 {
			sums[f.path(int32(i))] += n
		}
	}
	b := bufio.NewWriter(w)
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(b, "%s %d\n", path, sums[path])
	}
	return b.Flush()
}

// A folder writes paths.
type folder struct {
	p      *profile.Profile
	tasks  []string // what paths begin with, of handlers nothing but the core
	frames []string
	nodes  []int32 // of the path at hand, the last first
}

func newFolder(p *profile.Profile) *folder {
	f := &folder{p: p}
	several := slices.ContainsFunc(p.Tasks, func(t profile.Task) bool { return coreText(&t) != coreText(&p.Tasks[0]) })
	for i := range p.Tasks {
		var text string
		if several {
			text = foldable("["+coreText(&p.Tasks[i])+"]") + ";"
		}
		if !p.Tasks[i].Handlers {
			text += foldable(taskText(&p.Tasks[i])) + ";"
		}
		f.tasks = append(f.tasks, text)
	}
	for i := range p.Frames {
		f.frames = append(f.frames, foldable(p.Frames[i].Text()))
	}
	return f
}

// path returns the path of a node.
func (f *folder) path(node int32) string {
	b := &strings.Builder{}
	b.WriteString(f.tasks[f.p.Nodes[node].Task])
	f.nodes = f.nodes[:0]
	for ; node >= 0; node = f.p.Nodes[node].Parent {
		f.nodes = append(f.nodes, node)
	}
	for i, n := range slices.Backward(f.nodes) {
		if i < len(f.nodes)-1 {
			b.WriteByte(';')
		}
		b.WriteString(f.frames[f.p.Nodes[n].Frame])
	}
	return b.String()
}

// foldable returns text that can be a frame of a path.
func foldable(text string) string { return strings.ReplaceAll(clean(text), ";", `\x3b`) }

// taskText is the frame of a task: [task idle], with a Context ID [task idle 0x2a]; of handlers [irq 14].
func taskText(t *profile.Task) string {
	if t.Handlers {
		return t.Name
	}
	if !t.ContextID.OK {
		return "[task " + t.Name + "]"
	}
	return fmt.Sprintf("[task %s %#x]", t.Name, t.ContextID.V)
}

// coreText names the core that a task ran on.
func coreText(t *profile.Task) string {
	if t.Core == "" {
		return fmt.Sprintf("source %#x", t.Source)
	}
	return "core " + t.Core
}
