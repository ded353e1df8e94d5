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
// status of the sample before asks for, an address. So packets reach past a cut.

const (
	sampleWait    = 0 // nothing
	sampleExecute = 1 // an instruction executed
	sampleBranch  = 2 // likewise, an indirect branch: the next payload is its target
	sampleSync    = 3 // the next payload is the address of the next instruction

	sampleBytes8 = 8

	syncCheck = 7 // what the payload of a sync's own sample is
)

func sampleFamily() decode.Family {
	return decode.Family{
		Name: "samples", Types: []string{"SAMPLES"}, ETM: true, Unframed: true, Options: sampleOptions,
		ReadHeader: readSampleHeader,
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
	if p.status(b) > sampleSync {
		return decode.PacketText{}, &decode.SyntaxError{Protocol: "samples", Header: b[0], Reserved: true,
			Reason: "no status"}
	}
	return decode.PacketText{Len: sampleBytes8, Type: "sample",
		Fields: []decode.Field{{Name: "status", Value: p.status(b)}}}, nil
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
		protocol: p, rec: record.Recorder{UnitBytes: sampleBytes8}, walk: flow.NewWalker(flow.NewProgram(mem, flow.Rules{})),
		packets: want.Packets,
	}
}

type sampleDecoder struct {
	protocol sampleProtocol
	rec      record.Recorder
	walk     *flow.Walker
	packets  bool
}

// Decode implements [decode.Decoder].
func (d *sampleDecoder) Decode(u *decode.Result, part decode.Part) {
	if !part.Continued {
		d.walk.Lose()
		d.walk.Seq = 0
	}
	d.rec.Begin(u, part, d.walk.Seq)
	d.walk.Begin(u)
	if !part.Continued {
		at := decode.Position{PC: decode.PC{Address: d.payload(sampleBytes8)}}
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
	d.rec.Finish(d.walk.Seq)
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
		d.walk.Goto(decode.PC{Address: d.payload(next)}, d.rec.Space())
	case sampleExecute, sampleBranch:
		d.rec.Settle()
		if stop := d.walk.Atom(&flow.Source{Offset: d.rec.Offset(i)}, true, 0); stop == flow.Missing {
			panic(fmt.Sprintf("no memory at 0x%x", d.walk.MissingAddress()))
		}
		if status == sampleBranch {
			d.walk.Goto(decode.PC{Address: d.payload(next)}, d.rec.Space())
		}
	}
}
