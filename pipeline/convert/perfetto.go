package convert

import (
	"fmt"
	"io"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// Perfetto writes a trace of Perfetto (protos/perfetto/trace/perfetto_trace.proto). Each
// timeline has a track, in which a slice is the turn of a task, and tracks below it: one for
// exceptions, and one for each task that ran, whose slices last also while others have their
// turn. Marks and gaps are on the first one. Times are nanoseconds by the frequency of the core;
// if that is not known, one is a cycle or an instruction, as the name of the track says.
func Perfetto(w io.Writer, timelines Timelines, several bool) error {
	p := &perfetto{output: newOutput(w)}
	err := timelines(func(t *timeline.Timeline) error {
		tracks := newPerfettoTracks(p, t, several)
		return t.Walk(tracks.add)
	})
	if err != nil {
		return err
	}
	return p.Flush()
}

// Numbers of fields, and values of enums.
const (
	tracePacket = 1

	packetTimestamp  = 8
	packetSequence   = 10
	packetEvent      = 11
	packetDescriptor = 60

	trackUUID     = 1
	trackName     = 2
	trackParent   = 5
	trackChildren = 11 // their order
	trackRank     = 12

	childrenExplicit = 3 // by rank

	eventType  = 9
	eventTrack = 11
	eventName  = 23

	eventBegin   = 1
	eventEnd     = 2
	eventInstant = 3
)

// A perfetto writes packets.
type perfetto struct {
	output
	framed, packet, inside []byte
	tracks                 uint64 // that there are
}

// track writes the descriptor of a new track and returns its number. Without a parent, 0, it
// has others below it.
func (p *perfetto) track(name string, parent uint64, rank int) uint64 {
	p.tracks++
	b := varintField(p.inside[:0], trackUUID, p.tracks)
	b = bytesField(b, trackName, []byte(clean(name)))
	if parent == 0 {
		b = varintField(b, trackChildren, childrenExplicit)
	} else {
		b = varintField(b, trackParent, parent)
		b = varintField(b, trackRank, uint64(rank))
	}
	p.inside = b
	p.write(0, packetDescriptor)
	return p.tracks
}

// event writes an event of a track.
func (p *perfetto) event(kind, track uint64, at int64, name string) {
	b := varintField(p.inside[:0], eventType, kind)
	b = varintField(b, eventTrack, track)
	if name != "" {
		b = bytesField(b, eventName, []byte(name))
	}
	p.inside = b
	p.write(at, packetEvent)
}

// write writes a packet with what is inside.
func (p *perfetto) write(at int64, field protowire.Number) {
	b := p.packet[:0]
	b = varintField(b, packetTimestamp, uint64(at))
	b = varintField(b, packetSequence, 1)
	b = bytesField(b, field, p.inside)
	p.packet = b
	p.framed = bytesField(p.framed[:0], tracePacket, b)
	p.add(p.framed)
}

func varintField(b []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
}

func bytesField(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

// perfettoTracks are the tracks of a timeline.
type perfettoTracks struct {
	*perfetto
	t          *timeline.Timeline
	hz         uint64
	names      []string // of frames
	source     uint64
	exceptions uint64 // 0: none yet
	tasks      []perfettoTask
	running    int32 // -1: none
}

// A perfettoTask is a task, and what it is in.
type perfettoTask struct {
	track uint64 // 0: none yet
	name  string
	open  []int32 // exceptions: frames
}

func newPerfettoTracks(p *perfetto, t *timeline.Timeline, several bool) *perfettoTracks {
	x := &perfettoTracks{perfetto: p, t: t, running: -1}
	name := sourceText(t, several)
	switch {
	case t.Unit == durations.InInstructions:
		name += " (1 instruction = 1 ns)"
	case t.CycleHz == 0:
		name += " (1 cycle = 1 ns)"
	default:
		x.hz = t.CycleHz
	}
	x.source = p.track(name, 0, 0)
	for i := range t.Frames {
		x.names = append(x.names, clean(t.Frames[i].Text()))
	}
	for i := range t.Tasks {
		name := fmt.Sprintf("task %d %s", i, t.Tasks[i].Name)
		if id := t.Tasks[i].ContextID; id.OK {
			name += fmt.Sprintf(" %#x", id.V)
		}
		x.tasks = append(x.tasks, perfettoTask{name: clean(name)})
	}
	return x
}

// time returns a time in nanoseconds.
func (x *perfettoTracks) time(at int64) int64 {
	if x.hz == 0 {
		return at
	}
	high, low := bits.Mul64(uint64(at), 1e9)
	if high >= x.hz {
		return 1<<63 - 1
	}
	ns, _ := bits.Div64(high, low, x.hz)
	return int64(min(ns, 1<<63-1))
}

func (x *perfettoTracks) add(e *timeline.Event) error {
	at := x.time(e.At)
	switch e.Kind {
	case timeline.Turn:
		x.stop(at)
		x.turn(e.Task, at)
	case timeline.Enter:
		x.enter(e, at)
	case timeline.Leave:
		x.leave(e, at)
	case timeline.Gap:
		x.stop(at)
		if e.Until == e.At {
			x.event(eventInstant, x.source, at, timeline.Untraced)
			break
		}
		x.event(eventBegin, x.source, at, timeline.Untraced)
		x.event(eventEnd, x.source, x.time(e.Until), "")
	case timeline.Mark:
		x.event(eventInstant, x.source, at, e.Text)
	case timeline.End:
		x.stop(at)
	}
	return x.err
}

// turn has a task have its turn.
func (x *perfettoTracks) turn(task int32, at int64) {
	x.running = task
	x.event(eventBegin, x.source, at, x.tasks[task].name)
	for _, frame := range x.tasks[task].open {
		x.event(eventBegin, x.exceptions, at, x.names[frame])
	}
}

// stop ends the turn of the task that runs. What it is in continues, but exceptions on their own
// track.
func (x *perfettoTracks) stop(at int64) {
	if x.running < 0 {
		return
	}
	x.event(eventEnd, x.source, at, "")
	for range x.tasks[x.running].open {
		x.event(eventEnd, x.exceptions, at, "")
	}
	x.running = -1
}

func (x *perfettoTracks) enter(e *timeline.Event, at int64) {
	task := &x.tasks[e.Task]
	if task.track == 0 {
		task.track = x.track(task.name, x.source, int(e.Task)+1)
	}
	x.event(eventBegin, task.track, at, x.names[e.Frame])
	if x.t.Frames[e.Frame].Exception == "" {
		return
	}
	if x.exceptions == 0 {
		x.exceptions = x.track("exceptions", x.source, 0)
	}
	task.open = append(task.open, e.Frame)
	if e.Task == x.running {
		x.event(eventBegin, x.exceptions, at, x.names[e.Frame])
	}
}

func (x *perfettoTracks) leave(e *timeline.Event, at int64) {
	task := &x.tasks[e.Task]
	x.event(eventEnd, task.track, at, "")
	if x.t.Frames[e.Frame].Exception == "" {
		return
	}
	task.open = task.open[:len(task.open)-1]
	if e.Task == x.running {
		x.event(eventEnd, x.exceptions, at, "")
	}
}
