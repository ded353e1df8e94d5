package pipeline

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
)

// A trace is the stream of one source of a capture, with all it takes to decode
// it.
type trace struct {
	name     string // of the capture
	id       uint8
	protocol decode.Protocol
	memory   *image.Memory
	data     []byte
	offsets  []decode.CaptureOffset
	slow     bool // to be tried in few variants: see [trace.few]
	made     bool // of an execution that is made up
}

// few says whether a test that tries many variants is to try few of this trace:
// of a slow one, unless the run is long.
func (tr *trace) few() bool { return tr.slow && !need.Long() }

// The captures of PFT, and the sources of them that are decoded.
var pftCaptures = []struct {
	name string
	id   uint8
}{
	{"opencsd-trace_cov_a15", 0x02},
	{"opencsd-tc2-ptm-rstk-t32", 0x02},
	{"opencsd-TC2", 0x13},
}

// pftTraces returns the traces of all available captures: those from silicon, if
// the shared material is beside the checkout, the sample, and a data trace.
func pftTraces(t testing.TB) []*trace {
	t.Helper()
	traces := []*trace{sampleTrace(t), dataTrace(t)}
	for _, c := range pftCaptures {
		dir, ok := shared.Find(t, "captures/"+c.name)
		if !ok {
			continue
		}
		traces = append(traces, openTrace(t, dir, c.id))
	}
	return append(traces, etmv3Traces(t)...)
}

// sampleTrace returns the trace of the sample.
func sampleTrace(t testing.TB) *trace {
	t.Helper()
	tr := openTrace(t, sampleSnapshot(t), 0x10)
	tr.name = "sample"
	return tr
}

// sampleSnapshot returns a snapshot directory with the sample.
func sampleSnapshot(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openTrace returns the trace of a source of a snapshot.
func openTrace(t testing.TB, dir string, id uint8) *trace {
	t.Helper()
	c, err := capture.Open(dir, Protocols(), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := plan.New(context.Background(), c, plan.Options{Families: Protocols(), Index: engine.NewWorkers(1).Index})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Sources, func(s *plan.Source) bool { return s.ID == id && s.Bytes > 0 })
	if i < 0 {
		t.Fatalf("%s has no bytes of source 0x%02x", dir, id)
	}
	s := p.Sources[i]
	tr := &trace{name: filepath.Base(dir), id: id, protocol: s.Bound, memory: s.Memory}
	tr.data, tr.offsets = readAll(t, s.Stream(nil))
	return tr
}

// readAll reads a stream that does not break.
func readAll(t testing.TB, stream decode.Stream) (data []byte, offsets []decode.CaptureOffset) {
	t.Helper()
	for {
		var piece decode.Piece
		before, err := stream.Next(&piece)
		if errors.Is(err, io.EOF) {
			return data, offsets
		}
		if err != nil {
			t.Fatal(err)
		}
		if before != decode.NoBreak {
			t.Fatalf("the stream breaks at %d", piece.Offsets.At(0))
		}
		data = append(data, piece.Data...)
		for i := range piece.Data {
			offsets = append(offsets, piece.Offsets.At(i))
		}
	}
}

// with returns the trace with other bytes, whose offsets are their positions.
func (tr *trace) with(data []byte) *trace {
	other := *tr
	other.data, other.offsets = data, positions(len(data))
	return &other
}

// positions returns the offsets of a raw stream of n bytes.
func positions(n int) []decode.CaptureOffset {
	offsets := make([]decode.CaptureOffset, n)
	for i := range offsets {
		offsets[i] = decode.CaptureOffset(i)
	}
	return offsets
}

// from returns the trace without its first n bytes.
func (tr *trace) from(n int) *trace {
	tail := *tr
	tail.data, tail.offsets = tr.data[n:], tr.offsets[n:]
	return &tail
}

// asyncs returns where the A-syncs of the trace end.
func (tr *trace) asyncs() []int {
	var ends []int
	for at := 0; ; at = ends[len(ends)-1] {
		end := tr.async().Next(tr.data[at:])
		if end < 0 {
			return ends
		}
		ends = append(ends, at+end)
	}
}

// async returns the shortest A-sync of the protocol.
func (tr *trace) async() async.Form {
	if _, ok := tr.protocol.(*etmv4.Config); ok {
		return async.Long
	}
	return async.Short
}

// position returns the position in the stream of the byte at an offset.
func (tr *trace) position(offset int64) int {
	i, found := slices.BinarySearch(tr.offsets, decode.CaptureOffset(offset))
	if !found {
		panic("no byte of the stream has that offset")
	}
	return i
}

// stream returns the bytes in pieces of at most size. Before those at breaks,
// the input breaks.
func (tr *trace) stream(size int, breaks ...int) decode.Stream {
	return &memoryStream{trace: tr, size: size, breaks: breaks}
}

// A memoryStream is the stream of a trace.
type memoryStream struct {
	*trace
	size   int
	breaks []int
	at     int
}

// Next implements [decode.Stream].
func (s *memoryStream) Next(p *decode.Piece) (before decode.Break, err error) {
	if s.at == len(s.data) {
		return decode.NoBreak, io.EOF
	}
	i, broken := slices.BinarySearch(s.breaks, s.at)
	if broken {
		i, before = i+1, decode.Broken
	}
	end := min(len(s.data), s.at+s.size)
	if i < len(s.breaks) {
		end = min(end, s.breaks[i])
	}
	p.Data = append(p.Data, s.data[s.at:end]...)
	for at := s.at; at < end; at += s.protocol.UnitBytes() {
		p.Offsets.Append(s.offsets[at], 1)
	}
	s.at = end
	return before, nil
}

// wholePieces is a piece size nothing is longer than.
const wholePieces = 1 << 30

// A packetAt is a packet and its position in a stream.
type packetAt struct {
	decode.PacketText
	at int
}

// packetsFrom returns the packets of the trace from a place on, up to the first
// that is none.
func (tr *trace) packetsFrom(at int) []packetAt {
	var packets []packetAt
	for at < len(tr.data) {
		p, err := tr.protocol.ParsePacket(tr.data[at:])
		if err != nil {
			break
		}
		packets = append(packets, packetAt{p, at})
		at += p.Len
	}
	return packets
}
