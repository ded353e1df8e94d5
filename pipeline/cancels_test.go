package pipeline

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// cancelCode is where the program of a speculation is.
const (
	cancelCode  = 0x1000
	cancelBytes = 0x8000
)

// A speculation is a stream of the made-up protocol with cancels, and what a decoder that sees
// all of it at once makes of it.
type speculation struct {
	data   []byte
	demand byte // status of the sample before: what it asks for
	pc     uint32
	acts   []executed // that stay
	open   int        // of them
	events []cancelEvent
}

// An executed is an instruction.
type executed struct {
	address, offset int64
}

// A cancelEvent is a row of `events` of a cancel; address is negative without one.
type cancelEvent struct {
	kind                 schema.EventKind
	address, seq, offset int64
}

// sample adds a sample, at whose payload control goes on if the sample before asks for that.
func (s *speculation) sample(random *rand.Rand, status, count byte) {
	payload := cancelCode + uint32(random.IntN(cancelBytes/8))*4
	if s.demand >= sampleBranch {
		s.pc = payload
	}
	offset := len(s.data)
	s.data = append(s.data, status, count, 0, 0)
	s.data = binary.LittleEndian.AppendUint32(s.data, payload)
	switch s.demand = status; status {
	case sampleExecute, sampleBranch:
		s.acts = append(s.acts, executed{int64(s.pc), int64(offset)})
		s.open = min(s.open+1, sampleOpen)
		s.pc += 4
	case sampleCancel:
		s.cancel(int(count), offset)
	}
}

func (s *speculation) cancel(n, offset int) {
	event := cancelEvent{kind: schema.EventCancelled, address: -1, offset: int64(offset)}
	if n > s.open {
		event.kind = schema.EventInconsistent
	}
	n = min(n, s.open)
	s.open -= n
	if left := len(s.acts) - n; n > 0 {
		event.address, s.acts = s.acts[left].address, s.acts[:left]
	}
	event.seq = int64(len(s.acts))
	for i := range s.events { // rows before it do not count what is taken back, either
		s.events[i].seq = min(s.events[i].seq, event.seq)
	}
	s.events = append(s.events, event)
}

// speculate makes a stream of so many samples, of which one of so many cancels acts: mostly as many as depth.
func speculate(seed uint64, samples, often, depth int) *speculation {
	random := rand.New(rand.NewPCG(seed, uint64(depth)))
	s := &speculation{}
	s.sample(random, sampleSync, 0)
	for range samples {
		switch n := random.IntN(100); {
		case random.IntN(often) == 0:
			if n < 20 {
				depth = 1 + random.IntN(sampleOpen)
			}
			s.sample(random, sampleCancel, byte(depth))
		case n < 6:
			s.sample(random, sampleSync, 0)
		case n < 12:
			s.sample(random, sampleBranch, 0)
		case n < 15:
			s.sample(random, sampleWait, 0)
		default:
			s.sample(random, sampleExecute, 0)
		}
	}
	s.sample(random, sampleWait, 0)
	return s
}

// cancelProgram returns the program: straight code, in which each eighth instruction branches to
// the next one, so that blocks are short.
func cancelProgram() []byte {
	var code []byte
	for i := range cancelBytes / 4 {
		opcode := uint32(0xe1a00000) // nop
		if i%8 == 7 {
			opcode = 0xeaffffff // b .+4
		}
		code = binary.LittleEndian.AppendUint32(code, opcode)
	}
	return code
}

func (s *speculation) trace() *trace {
	tr := &trace{name: "speculation", id: 0x10, protocol: sampleProtocol{}, data: s.data, made: true}
	tr.memory, tr.offsets = image.New(image.Region{Address: cancelCode, Bytes: cancelProgram()}), positions(len(s.data))
	return tr
}

// checkRows demands the instructions that stay and the rows of cancels.
func (s *speculation) checkRows(t *testing.T, d *decodedTables) {
	t.Helper()
	var acts []executed
	address, offset := d.integers(&schema.Instructions, "address"), d.integers(&schema.Instructions, "byte_offset")
	for i := range address {
		acts = append(acts, executed{address[i], offset[i]})
	}
	if !slices.Equal(acts, s.acts) {
		t.Errorf("%d instructions, want %d", len(acts), len(s.acts))
	}
	var events []cancelEvent
	kinds, seq, places := d.column(&schema.Events, "event"), d.integers(&schema.Events, "seq"), d.integers(&schema.Events, "byte_offset")
	at, detail := d.column(&schema.Events, "address"), d.column(&schema.Events, "detail")
	for i := range seq {
		e := cancelEvent{schema.EventKind(kinds.U8[i]), -1, seq[i], places[i]}
		if !at.Null(i) {
			e.address = integer(at, i)
		}
		if e.kind == schema.EventCancelled || detail.Text(i) == decode.NothingToCancel {
			events = append(events, e)
		}
	}
	if !slices.Equal(events, s.events) {
		t.Errorf("events\n%v, want\n%v", events, s.events)
	}
}

// TestCancelDepth cancels 1 to 255 acts of the made-up protocol, inside a part, across parts, across
// units and across cuts: the rows are those of a decoder that sees all at once.
func TestCancelDepth(t *testing.T) {
	for depth := sampleOpen; depth > 0; depth -= need.Size(127, 1) {
		s := speculate(uint64(depth), 40+3*depth, 1+depth/2, depth)
		tr := s.trace()
		for i, g := range []engine.Grain{usualGrain, grainOf(1, 8, 16), grainOf(300, 48, 64)} {
			s.checkRows(t, tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{workers: 1 + i, grain: g}))
		}
		if t.Failed() {
			t.Fatalf("cancels of %d", depth)
		}
	}
}

// TestCancelsAtEveryLevel holds what is counted, at every level, against the rows, and windows against
// the whole.
func TestCancelsAtEveryLevel(t *testing.T) {
	for _, depth := range []int{1, 7, sampleOpen} {
		s := speculate(1, need.Size(800, 4000), 1+depth/3, depth)
		tr := s.trace()
		tr.checkCounts(t)
		stream := func() decode.Stream { return tr.stream(wholePieces) }
		w := windowed{"speculation", tr.id, tr.protocol, tr.memory, stream, grainOf(1, 1<<10, 64), need.Size(5, 50)}
		w.check(t)
	}
}

// TestCancelsRedecoded exports a stream with cancels with another program, and decodes it again with
// its own: the dataset is that of an export with it.
func TestCancelsRedecoded(t *testing.T) {
	s, dir := speculate(2, 3000, 20, 30), t.TempDir()
	trace, code := filepath.Join(dir, "trace.bin"), cancelProgram()
	check(t, os.WriteFile(trace, s.data, 0o600))
	program := func(name string) []string {
		file := filepath.Join(dir, name)
		check(t, os.WriteFile(file, code, 0o600))
		return []string{fmt.Sprintf("%s@0x%x", file, cancelCode)}
	}
	input := capture.Options{Protocol: "samples", Images: program("code.bin")}
	opt := Options{Capture: input, Level: schema.LevelInstructions, Workers: 2, Tool: schema.Tool{Name: "test"}}
	opt.Families = append(Protocols(), sampleFamily())
	want := exportInto(t, trace, opt)
	code[0]++
	opt.Capture.Images = program("other.bin")
	run := exportInto(t, trace, opt)
	_, err := Redecode(t.Context(), run, trace, Options{Capture: capture.Options{Images: input.Images}, Workers: 2, Tool: opt.Tool, Families: opt.Families})
	check(t, err)
	demandEqual(t, contentsOf(t, run), contentsOf(t, want))
}
