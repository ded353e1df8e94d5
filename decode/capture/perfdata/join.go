package perfdata

import (
	"fmt"
	"slices"
	"sort"

	"github.com/tracelake/tracelake/decode/figures"
)

// ring returns the index of a ring.
func (r *reader) ring(ring Ring) int32 {
	if ring.CPU >= 0 {
		ring.TID = noThread
	}
	i, ok := r.rings[ring]
	if !ok {
		i = int32(len(r.f.Rings))
		r.rings[ring] = i
		r.f.Rings = append(r.f.Rings, ring)
	}
	return i
}

// Name returns the name of a ring: that of its CPU or thread.
func (r *Ring) Name() string {
	if r.CPU < 0 {
		return fmt.Sprintf("tid%d", r.TID)
	}
	return fmt.Sprintf("cpu%d", r.CPU)
}

// A lane is the trace of a CPU or of a thread, in file order. Its count of bytes begins anew
// where the ring was made anew: between these places AUXTRACE records go on one after the other.
type lane struct {
	traces  []*auxtrace
	starts  []int // index of the first trace of each run of them that go on
	run     int   // in which the last piece was
	end     uint64
	entered bool // an AUX record is of this lane
}

func (l *lane) add(t *auxtrace) {
	if n := len(l.traces); n == 0 || t.from < l.traces[n-1].end() {
		l.starts = append(l.starts, n)
	}
	l.traces = append(l.traces, t)
}

// runOf returns the traces of a run.
func (l *lane) runOf(i int) []*auxtrace {
	if i < 0 || i >= len(l.starts) {
		return nil
	}
	end := len(l.traces)
	if i+1 < len(l.starts) {
		end = l.starts[i+1]
	}
	return l.traces[l.starts[i]:end]
}

// runAfter returns the first run that has a trace behind the AUX record with that index.
func (l *lane) runAfter(piece int) int {
	return sort.Search(len(l.starts), func(i int) bool {
		run := l.runOf(i)
		return run[len(run)-1].piecesSoFar > piece
	})
}

// find returns the trace that holds a piece, whose Offset is that in the ring, or nil.
func (l *lane) find(p *Piece, index int) *auxtrace {
	if l == nil {
		return nil
	}
	start, end := p.ringRange()
	after := l.runAfter(index)
	runs := [...]int{-1, after, after - 1}
	switch {
	case l.entered && start >= l.end && p.Flags&Overwrite == 0:
		runs[0] = l.run // nothing shows that the count began anew
	case !l.entered || l.run < after-1:
		runs[0] = after - 1 // nobody's yet
	}
	l.entered, l.end = true, end
	for _, i := range runs {
		if t := holder(l.runOf(i), p); t != nil {
			l.run = i
			return t
		}
	}
	return nil
}

// ringRange is where in the ring's count a piece is. Of a snapshot the record gives the end.
func (p *Piece) ringRange() (start, end uint64) {
	if p.Flags&Overwrite != 0 {
		return uint64(max(p.Offset-p.Size, 0)), uint64(p.Offset)
	}
	return uint64(p.Offset), uint64(p.Offset + p.Size)
}

// holder returns the trace of a run in which a piece begins; of a snapshot, ends.
func holder(run []*auxtrace, p *Piece) *auxtrace {
	place := uint64(p.Offset)
	i := sort.Search(len(run), func(i int) bool {
		if p.Flags&Overwrite != 0 {
			return run[i].end() >= place
		}
		return run[i].end() > place
	})
	if i == len(run) || run[i].from > place || p.Flags&Overwrite != 0 && run[i].from == place {
		return nil
	}
	return run[i]
}

// join finds the trace of each AUX record (§6).
func (r *reader) join() {
	lanes := r.lanes()
	for i := range r.f.Pieces {
		p := &r.f.Pieces[i]
		l := lanes.of(p.CPU, p.TID)
		r.cut(p, l.find(p, i))
		r.noteMissing(p, l)
	}
	r.takeWhole(lanes)
	r.f.Pieces = slices.DeleteFunc(r.f.Pieces, func(p Piece) bool {
		return p.Size == 0 && p.Missing == 0 && p.Flags&^Overwrite == 0
	})
	for i := range r.traces {
		r.claim(&r.traces[i], r.traces[i].end(), true)
	}
}

// lanes are those of CPUs, and of the threads that have rings of their own.
type lanes struct {
	cpus    map[int16]*lane
	threads map[int32]*lane
}

// of returns the lane of what a CPU or a thread traced, or nil.
func (l *lanes) of(cpu int16, tid int32) *lane {
	if found := l.cpus[cpu]; found != nil {
		return found
	}
	return l.threads[tid]
}

// lanes returns the lanes of what was read.
func (r *reader) lanes() *lanes {
	l := lanes{map[int16]*lane{}, map[int32]*lane{}}
	for i := range r.traces {
		t := &r.traces[i]
		ring := &r.f.Rings[t.ring]
		ring.Bytes += t.size
		switch {
		case t.size == 0:
		case ring.CPU >= 0:
			laneOf(l.cpus, ring.CPU).add(t)
		default:
			laneOf(l.threads, ring.TID).add(t)
		}
	}
	return &l
}

func laneOf[K comparable](all map[K]*lane, key K) *lane {
	if all[key] == nil {
		all[key] = &lane{}
	}
	return all[key]
}

// cut makes a piece of what t has of an AUX record. t may be nil.
func (r *reader) cut(p *Piece, t *auxtrace) {
	if t == nil {
		p.Missing, p.Offset, p.Size = p.Size, 0, 0
		return
	}
	start, end := p.ringRange()
	if p.Flags&Overwrite != 0 {
		start = max(start, end-min(end, uint64(t.size))) // the ring has no more than it holds
	}
	from, to := max(start, t.from), min(end, t.end())
	p.Missing = int64(end - start - (to - from))
	if first := max(from, min(to, t.taken)); first > from {
		r.oddAt(repeatedTrace, int64(first-from), r.parts[t.part].Name, t.at+int64(from-t.from))
		from = first
	}
	p.Ring, p.Part, p.Offset, p.Size = t.ring, t.part, t.at+int64(from-t.from), int64(to-from)
	if from < to {
		r.claim(t, from, false)
		t.taken = to
	}
}

// claim counts the bytes of a trace between its last piece and from, which may be its end.
func (r *reader) claim(t *auxtrace, from uint64, end bool) {
	gap := int64(from - t.taken)
	ring := &r.f.Rings[t.ring]
	switch {
	case gap == 0:
	case end && gap <= roundingUp:
		ring.Padding += gap
	default:
		ring.Unclaimed += gap
		r.oddAt(unclaimedTrace, gap, r.parts[t.part].Name, t.at+int64(t.taken-t.from))
	}
}

// noteMissing notes that a piece has fewer bytes than its AUX record promises.
func (r *reader) noteMissing(p *Piece, l *lane) {
	o := outsideTrace
	switch {
	case p.Missing == 0:
		return
	case p.Flags&Overwrite != 0:
		o = overwrittenTrace
	case l == nil:
		o = missingTrace
	}
	r.oddAt(o, p.Missing, r.parts[p.Part].Name, noPlace)
}

// takeWhole makes a piece of each trace of a lane without AUX records.
func (r *reader) takeWhole(l *lanes) {
	for i := range r.traces {
		t := &r.traces[i]
		ring := &r.f.Rings[t.ring]
		if t.size == 0 || l.of(ring.CPU, ring.TID).entered {
			continue
		}
		r.oddAt(wholeTrace, 0, r.parts[t.part].Name, t.at)
		p := Piece{PID: -1, TID: ring.TID, CPU: ring.CPU, Ring: t.ring, Part: t.part, Offset: t.at, Size: t.size}
		if c := r.f.Metadata.find(ring.CPU); c != nil && len(c.TraceIDs) > 0 {
			p.TraceID, p.Sink = c.TraceIDs[0].ID, c.TraceIDs[0].Sink
		}
		r.f.Pieces = append(r.f.Pieces, p)
		t.taken = t.end()
	}
}

// checkTrace fails if there is none.
func (r *reader) checkTrace() error {
	var size, missing, unclaimed int64
	for i := range r.f.Pieces {
		size += r.f.Pieces[i].Size
		missing += r.f.Pieces[i].Missing
	}
	if size > 0 {
		return nil
	}
	for i := range r.f.Rings {
		unclaimed += r.f.Rings[i].Unclaimed
	}
	e := r.bad(-1, "has no trace: its AUX records are empty", "record for longer, or what runs on a CPU that is traced")
	e.Err = ErrNoTrace
	switch {
	case missing > 0:
		e.Problem = fmt.Sprintf("misses its trace: %s, %s, and no AUXTRACE record holds them",
			figures.Count(int64(len(r.f.Pieces)), "AUX record"), figures.Count(missing, "byte"))
		e.Remedy = "record it again"
	case unclaimed > 0:
		e.Problem = fmt.Sprintf("has %s of trace, and no AUX record tells of them", figures.Count(unclaimed, "byte"))
		e.Remedy = "record it again"
	}
	return e
}
