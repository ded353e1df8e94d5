package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// A lister lists the samples of a stream for people: each with the packets that its
// status owes, as far as they can be read.
type lister struct {
	cfg    *Config
	frames *framer
	cuts   cutter
	synced bool // the bytes that are owed can be found
	b      []byte
	emit   func(at, units int, text decode.PacketText) error
}

// NewLister implements [decode.Listing].
func (c *Config) NewLister() decode.Lister {
	return &lister{cfg: c, frames: newFramer(c), cuts: cutter{cfg: c}}
}

// List implements [decode.Lister].
func (l *lister) List(b []byte, last bool, emit func(at, units int, text decode.PacketText) error) (int, error) {
	l.b, l.emit = b, emit
	end := len(b) / port.SampleBytes
	if !last {
		end = l.settled(end - reach)
	}
	if end <= 0 {
		return 0, nil
	}
	from, continued := 0, true
	for _, cut := range l.cuts.Find(b[:end*port.SampleBytes], last).At {
		at := cut.At / port.SampleBytes
		if at > from || continued && at > 0 {
			if err := l.segment(from, at, continued); err != nil {
				return 0, err
			}
		}
		from, continued = at, false
	}
	if err := l.segment(from, end, continued); err != nil {
		return 0, err
	}
	return end * port.SampleBytes, nil
}

// settled returns how many of the first end samples can be listed now: not a run of
// droppable ones that may go on, unless there is nothing else.
func (l *lister) settled(end int) int {
	n := end
	for n > 0 && port.At(l.b[(n-1)*port.SampleBytes:]).Droppable() {
		n--
	}
	if n > 0 {
		return n
	}
	return end
}

// segment lists the samples from a TFO on, or those that continue a segment.
func (l *lister) segment(from, to int, continued bool) error {
	ahead := min(len(l.b), (to+reach)*port.SampleBytes)
	l.frames.begin(&decode.Part{
		Data: l.b[from*port.SampleBytes : to*port.SampleBytes], Ahead: l.b[to*port.SampleBytes : ahead], Continued: continued,
	}, !continued && l.synced && l.frames.splits())
	if !continued {
		if err := l.tfo(from); err != nil {
			return err
		}
	}
	var x frame
	for l.synced && !x.last {
		err := l.frames.frame(&x)
		if e := l.plain(from, x.run, x.at); e != nil {
			return e
		}
		if err != nil {
			return l.lose(from, x.at, to, err)
		}
		if !x.last {
			if err := l.sample(from, &x); err != nil {
				return err
			}
		}
	}
	if !l.synced {
		return l.plain(from, l.frames.at, to-from)
	}
	return nil
}

// tfo lists the TFO that a segment begins with.
func (l *lister) tfo(from int) error {
	var p TFO
	s := l.frames.sample(0)
	if err := l.frames.tfo(&p); err != nil {
		l.synced, l.frames.at = false, 1
		t := l.cfg.sampleText(s)
		t.Add("error", err.Error())
		return l.line(from, 1, t)
	}
	l.synced = true
	t := l.cfg.tfoText(&p, s, l.frames.bytes)
	t.Fields = append([]decode.Field{l.first(from)}, t.Fields...)
	return l.line(from, 1, t)
}

// line passes on a line of n samples, from a sample of b on.
func (l *lister) line(at, n int, t decode.PacketText) error {
	return l.emit(at*port.SampleBytes, n, t)
}

// first is the field with the sample of the first byte of a group.
func (l *lister) first(from int) decode.Field {
	return decode.Field{Name: "at", Value: decode.UnitIndex(from + l.frames.first)}
}

// plain lists samples without packets; those that may be dropped in one line.
func (l *lister) plain(from, at, to int) error {
	for at < to {
		s, n := l.frames.sample(at), 1
		for s.Droppable() && at+n < to && l.frames.sample(at+n).Droppable() {
			n++
		}
		if err := l.line(from+at, n, l.cfg.frameText(&frame{}, s, nil)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// sample lists a sample with its packets, or a run of samples that may be dropped.
func (l *lister) sample(from int, x *frame) error {
	s := l.frames.sample(x.at)
	if s.Droppable() {
		end := x.at + 1
		for end < l.frames.samples && l.frames.sample(end).Droppable() {
			end++
		}
		l.frames.at = end
		return l.plain(from, x.at, end)
	}
	t := l.cfg.frameText(x, s, l.frames.bytes)
	if len(x.packets) > 0 {
		t.Fields = append([]decode.Field{l.first(from)}, t.Fields...)
	}
	return l.line(from+x.at, 1, t)
}

// lose lists the sample at whose packets cannot be read, and what follows without
// packets.
func (l *lister) lose(from, at, to int, err error) error {
	l.synced = false
	t := l.cfg.frameText(&frame{}, l.frames.sample(at), nil)
	t.Add("error", err.Error())
	if err := l.line(from+at, 1, t); err != nil {
		return err
	}
	return l.plain(from, at+1, to-from)
}
