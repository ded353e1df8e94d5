package pipeline

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// fuzzProgram is a program with every kind of flow: A32 at 0x8000, T32 right after
// it. Its last instruction is the last in memory.
var fuzzProgram = []struct {
	size int
	code uint32
}{
	{4, 0xe1a00000},          // 8000: mov  r0, r0
	{4, 0xeb000004},          // 8004: bl   801c
	{4, 0x1afffffc},          // 8008: bne  8000
	{4, 0xfa000005},          // 800c: blx  8028 (T32)
	{4, 0xe12fff33},          // 8010: blx  r3
	{4, 0xf57ff06f},          // 8014: isb
	{4, 0xef000000},          // 8018: svc  0
	{4, 0xe1a00000},          // 801c: mov  r0, r0
	{4, 0xf57ff04f},          // 8020: dsb
	{4, 0xe12fff1e},          // 8024: bx   lr
	{2, 0xbf00},              // 8028: nop
	{2, 0xd1fd},              // 802a: bne  8028
	{2, 0xf7ff}, {2, 0xffe9}, // 802c: bl   8002 (half an A32 instruction)
	{2, 0xf7ff}, {2, 0xefe6}, // 8030: blx  8000
	{2, 0xbd00}, // 8034: pop  {pc}
	{2, 0x4770}, // 8036: bx   lr
	{2, 0x46c0}, // 8038: mov  r8, r8
	{2, 0x46c0}, // 803a: mov  r8, r8, and memory ends
}

// fuzzInstructions is the most of that program that is straight code, in
// halfwords.
const fuzzInstructions = 0x3c / 2

func fuzzMemory() *image.Memory {
	var code []byte
	for _, in := range fuzzProgram {
		if in.size == 2 {
			code = binary.LittleEndian.AppendUint16(code, uint16(in.code))
		} else {
			code = binary.LittleEndian.AppendUint32(code, in.code)
		}
	}
	return image.New(image.Region{Address: 0x8000, Bytes: code})
}

// fuzzProtocol binds PFT to registers of which each bit that decides anything
// is a bit of mode.
func fuzzProtocol(t testing.TB, mode uint16) decode.Protocol {
	t.Helper()
	bit := func(from, to int) uint64 { return uint64(mode>>from&1) << to }
	protocol, _, err := bindTo("pft", decode.Source{Registers: capture.Registers{
		{Name: "ETMCR", Bits: 32, Value: bit(0, 12) | bit(1, 14) | bit(2, 15) | bit(3, 29)},
		{Name: "ETMCCER", Bits: 32, Value: bit(3, 23) | bit(4, 24) | bit(5, 28) | bit(6, 29)},
		{Name: "ETMIDR", Bits: 32, Value: 0x411cf302 | bit(7, 4)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return protocol
}

// fuzzStart synchronises: an A-sync, and an I-sync to 0x8000 in A32 with bytes
// enough for every form of it.
var fuzzStart = []byte{0, 0, 0, 0, 0, 0x80, 8, 0, 0x80, 0, 0, 1, 0, 0, 0, 0}

// fuzzSeeds are streams to begin with.
func fuzzSeeds() [][]byte {
	isync := []byte{8, 0x28 | 1, 0x80, 0, 0, 0x21, 0, 0, 0, 0} // T32, trace enabled
	return [][]byte{
		{},
		fuzzStart,
		slices.Concat(fuzzStart, []byte{0x84, 0x86, 0x88, 0xfe, 0x90}),                                        // atoms
		slices.Concat(fuzzStart, []byte{0x84, 0x91, 0x80, 0x82, 0x80, 0x08}, fuzzStart, []byte{0xc0, 0x84}),   // branch
		slices.Concat(fuzzStart, []byte{0x72, 0x85, 0x01, 0x9d, 0x80, 0x82, 0x80, 0x48, 0x14, 0x76}),          // exception
		slices.Concat(fuzzStart, []byte{0x42, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x09, 0x01}),    // timestamp
		slices.Concat(fuzzStart, []byte{0x6e, 1, 2, 3, 4, 0x3c, 9, 0x0c, 0x66, 0x46, 0}, isync, []byte{0x84}), // the others
		slices.Concat(fuzzStart, []byte{0x84}, fuzzStart, isync, []byte{0x8e}, fuzzStart, []byte{0x02}, fuzzStart,
			fuzzStart[:9]),
		// to Jazelle
		slices.Concat([]byte{0xff, 0, 0}, fuzzStart, []byte{0x81, 0x80, 0x82, 0x80, 0x20}, fuzzStart[:6], isync),
		slices.Concat(fuzzStart, []byte{0x91, 0xc8, 0x80, 0x80, 0x08, 0x82}, isync, fuzzStart), // debug
	}
}

// FuzzDecode decodes any bytes with any registers, whole, in small pieces and
// parts, from the last A-sync on, and with a break: no panic, exact accounts,
// bounded work, the same rows.
func FuzzDecode(f *testing.F) {
	for i, seed := range fuzzSeeds() {
		for _, mode := range []uint16{0, 0xff, 0x89, 0x76} {
			f.Add(seed, mode+uint16(i)<<8, uint16(i))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, mode, at uint16) {
		if len(data) > 1<<12 {
			return // longer than needed
		}
		if mode>>8&1 == 1 {
			data = slices.Concat(fuzzStart, data)
		}
		checkDecode(t, data, mode, int(at))
	})
}

// Random sequences of packets that decoders must distinguish: a fuzz test that
// knows the protocol.
func TestRandomStreams(t *testing.T) {
	words := slices.Concat(fuzzSeeds(), [][]byte{
		fuzzStart[:6], fuzzStart[:5],
		{0},
		{0x80},
		{0, 0, 0, 0, 0, 0, 0, 0x80},
		{8},
		{0x84},
		{0x86},
		{0xfe},
		{0x42},
		{0x72},
		{1},
		{0x91},
		{0xff, 0xff, 0xff, 0xff},
		{8, 0, 0x80, 0, 0, 1},
		{8, 0, 0x80, 0, 0, 0x21},
		{8, 0, 0x80, 0, 0, 0x41},
		{8, 0x29, 0x80, 0, 0, 0x6b},
		{8, 0x29, 0x80, 0, 0, 0},
		{0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0},
		{0x42, 3},
		{0x46, 0x80, 0},
		{0x3c, 1},
		{0x3c, 2},
		{0x6e, 1, 0, 0, 0},
		{0x76},
		{0x66},
		{0x0c},
	})
	seeds := 400
	if testing.Short() {
		seeds = 40
	}
	for seed := range randomStreams(seeds) {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		var data []byte
		for range 1 + r.IntN(30) {
			data = append(data, words[r.IntN(len(words))]...)
		}
		checkDecode(t, data, uint16(r.Uint32()), int(r.Uint32()))
		if t.Failed() {
			t.Fatalf("seed %d: % x", seed, data)
		}
	}
}

// randomStreams is how many streams a test makes of so many: 50 times as many in a
// long run.
func randomStreams(n int) int { return n * need.Size(1, 50) }

// checkDecode checks all that holds for any bytes. The registers are those of
// mode; the pieces, the parts and the break are at places that at decides.
func checkDecode(t testing.TB, data []byte, mode uint16, at int) {
	t.Helper()
	tr := (&trace{id: 0x10, protocol: fuzzProtocol(t, mode), memory: fuzzMemory()}).with(data)
	whole := tr.decode(t)
	whole.checkAccounts(t, len(data))
	whole.checkWork(t)
	whole.checkRestarts(t)
	if len(data) == 0 {
		return
	}
	small := decodeOptions{workers: 1 + at%3, grain: engine.Grain{Unit: 1 + at%40, Part: 16 + at%17, Chunk: 1 + at%50}}
	sameTables(t, whole, tr.decodeStream(t, tr.stream(1+at%20), small), nil)

	where := at % len(data)
	broken := tr.decodeStream(t, tr.stream(wholePieces, where), decodeOptions{})
	broken.checkAccounts(t, len(data))
	broken.checkRestarts(t)
	sameTables(t, broken, tr.decodeStream(t, tr.stream(1+at%20, where), small), nil)

	tr.checkTail(t, whole)
}

// checkWork demands that rows are in proportion to bytes.
func (d *decodedTables) checkWork(t testing.TB) {
	t.Helper()
	const atoms = 5 // in a packet, at most
	if got, most := d.totals.Instructions, d.totals.Bytes*atoms*fuzzInstructions; got > most {
		t.Errorf("%d instructions of %d bytes", got, d.totals.Bytes)
	}
	for _, table := range []*schema.Table{
		&schema.Exceptions, &schema.CycleCounts, &schema.Timestamps, &schema.Contexts, &schema.Events,
		&schema.Losses, &schema.Segments, &schema.Packets,
	} {
		if got, most := d.rows(table), atoms*d.totals.Bytes; int64(got) > most {
			t.Errorf("%d rows of %s of %d bytes", got, table.Name, d.totals.Bytes)
		}
	}
}

// checkTail compares a decode from the last A-sync on with the whole.
func (tr *trace) checkTail(t testing.TB, whole *decodedTables) {
	t.Helper()
	ends := tr.asyncs()
	if len(ends) == 0 {
		return
	}
	tail := tr.from(ends[len(ends)-1] - 6).decode(t)
	if tail.rows(&schema.Segments) == 0 {
		return // no cut
	}
	k := whole.segmentAt(tail.from(0).firstOffset())
	if k < 0 {
		t.Fatal("the cut of the tail is none of the whole")
	}
	sameSegments(t, whole.from(k), tail.from(0), tr.protocol.TimestampCode(), same, noPast)
}
