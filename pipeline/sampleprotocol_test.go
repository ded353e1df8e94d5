package pipeline

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// This file is a whole protocol, made up: its stream is samples of 8 bytes and
// has no A-syncs. A sample is a status and a payload; the payload is what the
// status of the sample before asks for, an address. So packets reach past a cut. A
// cancel takes back acts: instructions that were executed, the newest first. An act
// is final when so many newer ones are open as may be.

const (
	sampleWait    = 0 // nothing
	sampleExecute = 1 // an instruction executed
	sampleBranch  = 2 // likewise, an indirect branch: the next payload is its target
	sampleSync    = 3 // the next payload is the address of the next instruction
	sampleCancel  = 4 // as many acts as the second byte says are cancelled; likewise

	sampleBytes8 = 8

	sampleOpen = 255 // acts at most

	syncCheck = 7 // what the payload of a sync's own sample is
)

func sampleFamily() decode.Family {
	return decode.Family{
		Name: "samples", Types: []string{"SAMPLES"}, ETM: true, Unframed: true, Options: sampleOptions, ReadHeader: readSampleHeader,
		Bind: func(s decode.Source) (decode.Protocol, []string, error) {
			layout, _ := s.Lookup("LAYOUT")
			flip, _ := s.Lookup("FLIP")
			return sampleProtocol{sampleLayout(layout), flip}, nil, nil
		},
	}
}

type sampleProtocol struct {
	layout sampleLayout
	flip   uint64 // flipped in every status, or flipAuto
}

func (sampleProtocol) Version() string                     { return "1.0" }
func (p sampleProtocol) Words() []string                   { return []string{"layout " + sampleLayoutNames[p.layout]} }
func (sampleProtocol) UnitBytes() int                      { return sampleBytes8 }
func (sampleProtocol) AheadBytes() int                     { return sampleBytes8 }
func (sampleProtocol) TimestampCode() decode.TimestampCode { return decode.TimestampCode{} }
func (sampleProtocol) TracesData() bool                    { return false }
func (p sampleProtocol) NewCutter() decode.Cutter          { return sampleCutter{p} }

// Resync implements [decode.Protocol].
func (p sampleProtocol) Resync(b []byte) (int, bool) {
	cuts := sampleCutter{p}.Find(b, false)
	if len(cuts.At) == 0 {
		return cuts.Settled, false
	}
	return cuts.At[0].At, true
}

func (sampleProtocol) RateSyncs([]byte) int { return 0 }

// status returns the status of the sample at the start of b.
func (p sampleProtocol) status(b []byte) byte { return b[0] ^ byte(p.flip) }

func (p sampleProtocol) ParsePacket(b []byte) (decode.PacketText, error) {
	if len(b) < sampleBytes8 {
		return decode.PacketText{}, io.ErrUnexpectedEOF
	}
	if p.status(b) > sampleCancel {
		return decode.PacketText{}, &decode.SyntaxError{Protocol: "samples", Header: b[0], Reserved: true, Reason: "no status"}
	}
	return decode.PacketText{Len: sampleBytes8, Type: "sample", Fields: []decode.Field{{Name: "status", Value: p.status(b)}}}, nil
}

// A sampleCutter cuts at each sync.
type sampleCutter struct{ sampleProtocol }

func (p sampleCutter) Find(b []byte, _ bool) (c decode.Cuts) {
	for ; c.Settled+sampleBytes8 <= len(b); c.Settled += sampleBytes8 {
		if p.status(b[c.Settled:]) == sampleSync {
			c.At = append(c.At, decode.Cut{At: c.Settled})
		}
	}
	return c
}

func (p sampleProtocol) NewDecoder(mem *image.Memory, want decode.Wanted) decode.Decoder {
	return &sampleDecoder{
		protocol: p, rec: record.Recorder{UnitBytes: sampleBytes8}, walk: flow.NewWalker(flow.NewProgram(mem, flow.Rules{})), packets: want.Packets,
	}
}

type sampleDecoder struct {
	protocol sampleProtocol
	rec      record.Recorder
	walk     *flow.Walker
	packets  bool
	acts     []int32           // of the part
	earlier  int               // acts before the part that are open
	back     []decode.BackActs // of the part
}

// Decode implements [decode.Decoder].
func (d *sampleDecoder) Decode(u *decode.Result, part decode.Part) {
	if !part.Continued {
		d.walk.Lose()
		d.walk.Seq = 0
	}
	d.rec.Begin(u, part, d.walk.Seq)
	d.walk.Begin(u)
	d.acts, d.earlier, d.back = nil, sampleOpen, nil
	if !part.Continued {
		at := decode.Position{PC: decode.PC{Address: schema.Address(d.payload(sampleBytes8))}}
		d.rec.Start(decode.SegmentStart{Offset: d.rec.Offset(0), Reason: schema.ISyncPeriodic, At: schema.Of(at)})
	}
	i := 0
	for ; i < len(part.Data) && !d.rec.Lost(); i += sampleBytes8 {
		text, err := d.protocol.ParsePacket(part.Data[i:])
		if err != nil {
			d.rec.Stop(i, d.walk.Seq, err)
			d.walk.Lose()
			break
		}
		if d.packets {
			d.rec.Packet(i, d.walk.Seq, text)
		}
		d.sample(i)
	}
	if !d.rec.Lost() {
		d.rec.Decoded(i)
	}
	if d.walk.Known() {
		d.rec.Segment.End.Reached = schema.Of(decode.Position{PC: d.walk.PC()})
	}
	d.rec.Segment.End.Acts, d.rec.Segment.End.Earlier, d.rec.Segment.Back.Acts = d.acts, d.earlier, d.back
	d.rec.Finish(d.walk.Seq)
}

// execute opens an act.
func (d *sampleDecoder) execute() {
	d.acts = append(d.acts, 1)
	d.acts = d.acts[max(0, len(d.acts)-sampleOpen):]
	d.earlier = min(d.earlier, sampleOpen-len(d.acts))
}

// cancel cancels the newest n acts, by the sample at Data[i].
func (d *sampleDecoder) cancel(i, n int) {
	event := schema.Event{Event: schema.EventCancelled}
	if n > len(d.acts)+d.earlier {
		event.Event, event.Detail = schema.EventInconsistent, decode.NothingToCancel
	}
	own := min(n, len(d.acts))
	for range own {
		event.Address.V, _, event.Address.OK = d.walk.TakeBack(d.rec.Base)
	}
	d.acts, n = d.acts[:len(d.acts)-own], n-own
	d.rec.Result.Lower(d.rec.Base, d.rec.Result.Ends(), d.walk.Seq, int64(own))
	if n = min(n, d.earlier); n > 0 {
		d.back = append(d.back, decode.BackActs{Event: len(d.rec.Result.Events), Count: n})
		d.earlier -= n
	}
	d.rec.Event(schema.Key{Seq: d.walk.Seq, Offset: d.rec.Offset(i)}, event.Event, event.Address, event.Detail)
}

// payload returns the payload of the sample at Data[i], which may be ahead of the
// part.
func (d *sampleDecoder) payload(i int) uint32 {
	data := d.rec.Part.Data
	if i >= len(data) {
		data, i = d.rec.Part.Ahead, i-len(data)
	}
	if i+sampleBytes8 > len(data) {
		return 0
	}
	return binary.LittleEndian.Uint32(data[i+4:])
}

// sample does what the sample at Data[i] says.
func (d *sampleDecoder) sample(i int) {
	status, next := d.protocol.status(d.rec.Part.Data[i:]), i+sampleBytes8
	switch status {
	case sampleSync:
		d.rec.Segment.Quality.FIFOChecks++
		if d.payload(i) == syncCheck {
			d.rec.Segment.Quality.FIFORight++
		}
		d.walk.Goto(decode.PC{Address: schema.Address(d.payload(next))}, d.rec.Security())
	case sampleExecute, sampleBranch:
		d.rec.Settle()
		if stop := d.walk.Atom(&flow.Source{Offset: d.rec.Offset(i)}, true, 0); stop == flow.Missing {
			panic(fmt.Sprintf("no memory at 0x%x", d.walk.MissingAddress()))
		}
		d.execute()
		if status == sampleBranch {
			d.walk.Goto(decode.PC{Address: schema.Address(d.payload(next))}, d.rec.Security())
		}
	case sampleCancel:
		d.cancel(i, int(d.rec.Part.Data[i+1]))
		d.walk.Goto(decode.PC{Address: schema.Address(d.payload(next))}, d.rec.Security())
	}
}
