package convert

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// Speedscope writes a file of speedscope (its file-format-schema.json): for each timeline a
// profile in order of time (evented), then one for each task of p (sampled), which may be nil.
// The name of a profile has its unit. In the first kind a task that has its turn is the lowest
// frame, and where nothing was traced [untraced] is.
func Speedscope(w io.Writer, timelines Timelines, p *profile.Profile, paths *Paths, made Made) error {
	s := &speedscope{output: newOutput(w), paths: paths, index: map[speedscopeFrame]int{}}
	s.text(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":`)
	s.value(made.By)
	s.text(`,"profiles":[`)
	if err := timelines(s.evented); err != nil {
		return err
	}
	if p != nil {
		if err := s.sampled(p); err != nil {
			return err
		}
	}
	s.text(`],"shared":{"frames":`)
	s.value(append([]speedscopeFrame{}, s.frames...))
	s.text("}}\n")
	return s.Flush()
}

// A speedscope writes a file.
type speedscope struct {
	output
	paths    *Paths
	frames   []speedscopeFrame
	index    map[speedscopeFrame]int
	profiles int
}

// A speedscopeFrame is one of shared.frames.
type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line uint32 `json:"line,omitempty"`
}

func (s *speedscope) text(t string) { _, s.err = s.WriteString(t) }

func (s *speedscope) number(n int64) { s.add(strconv.AppendInt(s.AvailableBuffer(), n, 10)) }

// value writes what JSON can be made of.
func (s *speedscope) value(x any) {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // text and numbers only
	}
	s.add(text)
}

// frame returns the index of a frame.
func (s *speedscope) frame(f *calls.Frame) int {
	x := speedscopeFrame{Name: f.Text(), Line: f.Line}
	if f.File != "" {
		x.File = s.paths.Move(f.File)
	}
	return s.intern(x)
}

func (s *speedscope) intern(x speedscopeFrame) int {
	i, ok := s.index[x]
	if !ok {
		i = len(s.frames)
		s.index[x] = i
		s.frames = append(s.frames, x)
	}
	return i
}

// begin begins a profile.
func (s *speedscope) begin(kind, name string, unit durations.Unit) {
	if s.profiles++; s.profiles > 1 {
		s.text(",")
	}
	s.text("\n" + `{"type":"` + kind + `","name":`)
	s.value(name + ", " + unit.String())
	s.text(`,"unit":"none"`)
}

// sampled writes a profile for each task that ran.
func (s *speedscope) sampled(p *profile.Profile) error {
	frames := make([]int, len(p.Frames))
	for i := range p.Frames {
		frames[i] = s.frame(&p.Frames[i])
	}
	unit, weight := durations.InInstructions, func(n *profile.Node) int64 { return n.Own.In(p.ByCycles) }
	if p.ByCycles {
		unit = durations.InCycles
	}
	nodes := make([][]int32, len(p.Tasks)) // that took something, by task
	for i := range p.Nodes {
		if n := &p.Nodes[i]; weight(n) > 0 {
			nodes[n.Task] = append(nodes[n.Task], int32(i))
		}
	}
	for i := range p.Tasks {
		if len(nodes[i]) == 0 {
			continue
		}
		s.begin("sampled", taskText(&p.Tasks[i])+" "+coreText(&p.Tasks[i]), unit)
		s.text(`,"startValue":0,"samples":[`)
		for k, n := range nodes[i] {
			s.comma(k)
			s.sample(p, n, frames)
			if s.err != nil {
				return s.err
			}
		}
		s.text(`],"weights":[`)
		all := int64(0)
		for k, n := range nodes[i] {
			s.comma(k)
			s.number(weight(&p.Nodes[n]))
			all += weight(&p.Nodes[n])
		}
		s.text(`],"endValue":`)
		s.number(all)
		s.text("}")
	}
	return nil
}

func (s *speedscope) comma(i int) {
	if i > 0 {
		s.text(",")
	}
}

// sample writes the path of a node, its root first.
func (s *speedscope) sample(p *profile.Profile, node int32, frames []int) {
	var path []int32
	for ; node >= 0; node = p.Nodes[node].Parent {
		path = append(path, node)
	}
	s.text("[")
	for i, n := range slices.Backward(path) {
		s.number(int64(frames[p.Nodes[n].Frame]))
		s.comma(i)
	}
	s.text("]")
}

// evented writes a timeline as a profile.
func (s *speedscope) evented(t *timeline.Timeline) error {
	e := &speedscopeEvents{speedscope: s, source: t.Source, open: make([][]int, len(t.Tasks)), running: -1}
	for i := range t.Frames {
		e.frames = append(e.frames, s.frame(&t.Frames[i]))
	}
	for i := range t.Tasks {
		task := &profile.Task{Name: t.Tasks[i].Name, ContextID: t.Tasks[i].ContextID}
		e.open[i] = []int{s.intern(speedscopeFrame{Name: taskText(task)})}
	}
	s.begin("evented", sourceText(t, false)+" in order of time", t.Unit)
	s.text(`,"events":[`)
	if err := t.Walk(e.add); err != nil {
		return err
	}
	s.text(`],"startValue":`)
	s.number(e.first)
	s.text(`,"endValue":`)
	s.number(e.last)
	s.text("}")
	return nil
}

// speedscopeEvents writes the events of a profile: the frames of the task that runs are open.
type speedscopeEvents struct {
	*speedscope
	source      uint8
	frames      []int   // by those of the timeline
	open        [][]int // by task
	running     int32   // -1: none
	events      int
	again       int // frames that were opened at turns
	first, last int64
}

// mostAgain is how many frames are opened at turns: there is no end to them where deep stacks
// have their turns in quick succession.
const mostAgain = 1 << 24

func (e *speedscopeEvents) add(x *timeline.Event) error {
	switch x.Kind {
	case timeline.Turn:
		e.leaveTask(x.At)
		e.running = x.Task
		if e.again += len(e.open[x.Task]); e.again > mostAgain {
			return fmt.Errorf("source %#x: tasks have too many turns in too many functions to be drawn; write a part of the time", e.source)
		}
		for _, frame := range e.open[x.Task] {
			e.event("O", frame, x.At)
		}
	case timeline.Enter:
		frame := e.frames[x.Frame]
		e.open[x.Task] = append(e.open[x.Task], frame)
		if x.Task == e.running {
			e.event("O", frame, x.At)
		}
	case timeline.Leave:
		l := e.open[x.Task]
		if x.Task == e.running {
			e.event("C", l[len(l)-1], x.At)
		}
		e.open[x.Task] = l[:len(l)-1]
	case timeline.Gap:
		e.leaveTask(x.At)
		untraced := e.intern(speedscopeFrame{Name: timeline.Untraced})
		e.event("O", untraced, x.At)
		e.event("C", untraced, x.Until)
	case timeline.End:
		e.leaveTask(x.At)
	case timeline.Mark, timeline.Pause:
	}
	return e.err
}

// leaveTask closes the frames of the task that runs.
func (e *speedscopeEvents) leaveTask(at int64) {
	if e.running >= 0 {
		for _, frame := range slices.Backward(e.open[e.running]) {
			e.event("C", frame, at)
		}
	}
	e.running = -1
}

func (e *speedscopeEvents) event(kind string, frame int, at int64) {
	if e.events == 0 {
		e.first = at
	}
	e.comma(e.events)
	e.events++
	e.last = at
	e.text(`{"type":"` + kind + `","frame":`)
	e.number(int64(frame))
	e.text(`,"at":`)
	e.number(at)
	e.text("}")
}
