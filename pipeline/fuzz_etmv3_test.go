package pipeline

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// fuzzETMv3 binds ETMv3 to registers of which each bit that decides anything is
// a bit of mode.
func fuzzETMv3(t testing.TB, mode uint16) decode.Protocol {
	t.Helper()
	bit := func(from, to int) uint64 { return uint64(mode>>from&1) << to }
	profile := "A"
	if mode>>11&1 == 1 {
		profile = "M"
	}
	protocol, _, err := bindTo("etmv3", decode.Source{Profile: profile, Registers: capture.Registers{
		{Name: "ETMCR", Bits: 32, Value: bit(0, 12) | bit(1, 14) | bit(12, 2) | bit(13, 3) | bit(14, 20) | bit(15, 18)},
		{Name: "ETMCCER", Bits: 32, Value: bit(2, 26) | bit(3, 28) | bit(4, 29)},
		{Name: "ETMIDR", Bits: 32, Value: 0x41000200 | uint64(mode>>5&7%6)<<4 | bit(8, 18) | bit(9, 19) | bit(10,
			20) | bit(15, 17)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return protocol
}

// etmv3Words are the packets of random streams, mostly those that a decoder must
// distinguish and those that refer to earlier packets.
func etmv3Words() [][]byte {
	async := []byte{0, 0, 0, 0, 0, 0x80}
	periodic := []byte{8, 1, 0x00, 0x80, 0, 0}
	exit := []byte{8, 0x61, 0x04, 0x80, 0, 0}
	cancel := []byte{0x81, 0x80, 0x81, 0x80, 0x48, 0x3c} // IRQ to 8000
	return [][]byte{
		async, async[1:], periodic, exit, cancel, cancel,
		slices.Concat(async, periodic), slices.Concat(async, periodic), slices.Concat(async, periodic, cancel),
		slices.Concat(async, []byte{0x84, 0x42, 0x05}, exit),
		{8, 0x21, 0x29, 0x80, 0, 0},       // I-sync, T32
		{8, 0x21, 0x2d, 0x80, 0, 0},       // between the halves of BL
		{0x70, 5, 0x41, 0x00, 0x80, 0, 0}, // I-sync with count
		{0x70, 0, 0x21, 0x00, 0x80, 0, 0}, // with count 0
		{8, 0xa1, 0x00, 0x80, 0, 0, 0x0b}, // LSiP
		{8, 0x25, 0x00, 0x80, 0, 0},       // bad
		{0x84},
		{0x84},
		{0x88},
		{0x8c},
		{0xc0},
		{0xc8},
		{0x86},
		{0x8e},
		{0xa0},
		{0xac},
		{0xe4},
		{0x92},
		{0x80},
		{0x81, 0x80, 0x81, 0x80, 0x08}, // branch to 8000
		{0xa9, 0x80, 0x82, 0x80, 0x10}, // branch to T32
		{0x01},
		{0x11},
		{0x91, 0x01},                         // short ones
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x22}, // debug, cancel
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x02}, // debug
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x18}, // data abort
		{0x81, 0x80, 0x81, 0x80, 0xc8},       // old form
		{0x81, 0x80, 0x81, 0x80, 0x20},       // Jazelle
		{0x81, 0x80, 0x81, 0x80, 0x48, 0x81, 0x20},
		{4, 10},
		{4, 0},
		{0x0c},
		{0x66},
		{0x76},
		{0x7e},
		{0x3c, 7},
		{0x6e, 5},
		{0x42, 5},
		{0x42, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x09},
		{0x46, 0x80, 0},
		{0x10},
		{0x02},
		{0xff, 0xff, 0xff, 0xff, 0xff},
		{0},
	}
}

// etmv3DataWords are those of data trace with addresses, values, or both.
func etmv3DataWords(cfg *etmv3.Config) [][]byte {
	var words [][]byte
	add := func(header byte, address []byte, value ...byte) {
		word := []byte{header}
		if cfg.DataAddress {
			word = append(word, address...)
		}
		if cfg.DataValue {
			word = append(word, value...)
		}
		words = append(words, word)
	}
	whole := []byte{0x80, 0xa0, 0x80, 0x80, 0x02}
	add(0x22, whole)
	add(0x26, whole, 5)
	add(0x2a, []byte{0x04}, 1, 2)
	add(0x2e, []byte{0x84, 0x01}, 1, 2, 3, 4)
	add(0x02, nil)
	add(0x06, nil, 7)
	add(0x54, nil)
	add(0x58, nil)
	add(0x74, whole)
	add(0x7c, []byte{0x08})
	add(0x6a, nil)
	add(0x7a, []byte{0x10})
	if cfg.DataValue {
		words = append(words, []byte{0x24, 9}, []byte{0x40}, []byte{0x60}, []byte{0x50})
	}
	if !cfg.DataOnly {
		words = append(words, []byte{0x62})
	}
	return words
}

// etmv3Start is what a stream begins with: an A-sync, and where trace is on.
func etmv3Start(cfg *etmv3.Config) []byte {
	start := []byte{0, 0, 0, 0, 0, 0x80, 8}
	start = append(start, make([]byte, cfg.ContextIDBytes)...)
	if start = append(start, 0x21); !cfg.DataOnly {
		start = append(start, 0x00, 0x80, 0, 0)
	}
	return start
}

// etmv3Vocabulary are the words for streams of a configuration.
func etmv3Vocabulary(cfg *etmv3.Config) [][]byte {
	words := etmv3Words()
	switch {
	case cfg.DataOnly:
		words = [][]byte{words[0], {8, 0x21}, {8, 0x01}, {8, 0x41}, {0x0c}, {0x66}, slices.Concat(words[0], []byte{8, 0x01})}
		fallthrough
	case cfg.TracesData(): // twice, so that they are as frequent as all others
		words = append(words, slices.Repeat(etmv3DataWords(cfg), 2)...)
	}
	return words
}

// fuzzDataProgram is a program of data instructions of all kinds: A32 from
// 8000 on, T32 from 8028 on.
var fuzzDataProgram = []uint16{
	0x000f, 0xe891, // 8000: ldm   r1, {r0, r1, r2, r3}
	0x0000, 0xe581, // 8004: str   r0, [r1]
	0x0003, 0x0891, // 8008: ldmeq r1, {r0, r1}
	0x0000, 0xe1a0, // 800c: mov   r0, r0
	0x2f90, 0xe181, // 8010: strex r2, r0, [r1]
	0x0092, 0xe101, // 8014: swp   r0, r2, [r1]
	0x0f10, 0xee11, // 8018: mrc   p15, 0, r0, c1, c0, 0
	0x00d0, 0xe1c2, // 801c: ldrd  r0, r1, [r2]
	0xfff6, 0x1aff, // 8020: bne   8000
	0xff1e, 0xe12f, // 8024: bx    lr
	0xb570,         // 8028: push  {r4, r5, r6, lr}
	0x7008,         // 802a: strb  r0, [r1]
	0xe891, 0x001f, // 802c: ldm   r1, {r0, r1, r2, r3, r4}
	0xbd10, // 8030: pop   {r4, pc}
	0x4770, // 8032: bx    lr
}

func fuzzDataMemory() *image.Memory {
	var code []byte
	for _, h := range fuzzDataProgram {
		code = binary.LittleEndian.AppendUint16(code, h)
	}
	return image.New(image.Region{Address: 0x8000, Bytes: code})
}

// Random streams of ETMv3: no panic, exact accounts, the same rows in any
// pieces, units and parts, and cycles that add up.
func TestRandomStreamsETMv3(t *testing.T) {
	seeds := 600
	if testing.Short() {
		seeds = 60
	}
	for seed := range randomStreams(seeds) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		mode := uint16(r.Uint32()) &^ 2
		cfg := fuzzETMv3(t, mode).(*etmv3.Config)
		words, data := etmv3Vocabulary(cfg), etmv3Start(cfg)
		for range 1 + r.IntN(40) {
			data = append(data, words[r.IntN(len(words))]...)
		}
		checkDecodeETMv3(t, data, mode, int(r.Uint32()))
		if t.Failed() {
			t.Fatalf("seed %d: mode %#x: % x", seed, mode, data)
		}
	}
}

// FuzzDecodeETMv3 does the same with any bytes.
func FuzzDecodeETMv3(f *testing.F) {
	add := func(mode, at uint16, word []byte) {
		start := etmv3Start(fuzzETMv3(f, mode).(*etmv3.Config))
		f.Add(slices.Concat(start, word, []byte{0x84, 0x88}, word), mode, at)
	}
	for i, word := range etmv3Words() {
		add(uint16(i)<<3, uint16(i), word)
	}
	// With a Context ID, an I-sync with count that would end after an A-sync.
	add(1|2, 0, []byte{0x70, 0, 0, 0, 0, 0, 0x80})
	for mode := range uint16(8) {
		mode <<= 12
		for i, word := range etmv3DataWords(fuzzETMv3(f, mode).(*etmv3.Config)) {
			add(mode|1<<8, uint16(i), word)
			add(mode|1<<11|2<<5, uint16(i), slices.Concat([]byte{0x7e}, word, []byte{0x81, 0x80, 0x81, 0x80, 0x48, 0x3c}))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, mode, at uint16) {
		if len(data) > 1<<12 {
			return // longer than needed
		}
		checkDecodeETMv3(t, data, mode, int(at))
	})
}

func checkDecodeETMv3(t testing.TB, data []byte, mode uint16, at int) {
	t.Helper()
	cfg := fuzzETMv3(t, mode).(*etmv3.Config)
	memory := fuzzMemory()
	if cfg.TracesData() {
		memory = fuzzDataMemory()
	}
	check := func(d *decodedTables) *decodedTables {
		t.Helper()
		d.checkAccounts(t, len(data))
		d.checkRestarts(t)
		d.checkCycles(t)
		d.checkData(t, cfg)
		return d
	}
	tr := (&trace{id: 0x10, protocol: cfg, memory: memory}).with(data)
	whole := check(tr.decode(t))
	if len(data) == 0 {
		return
	}
	small := decodeOptions{workers: 1 + at%3, grain: engine.Grain{Unit: 1 + at%40, Part: 24 + at%17, Chunk: 1 + at%50}}
	whole.sameButSplices(t, check(tr.decodeStream(t, tr.stream(1+at%20), small)))
	small.grain.Part = 1 << 20
	sameTables(t, whole, tr.decodeStream(t, tr.stream(1+at%20), small), nil)

	where := at % len(data)
	broken := check(tr.decodeStream(t, tr.stream(wholePieces, where), decodeOptions{}))
	sameTables(t, broken, tr.decodeStream(t, tr.stream(1+at%20, where), small), nil)
}

// sameButSplices checks that the rows are the same, unless there is a splice: which
// instructions that cancels depends on the parts of a segment.
func (d *decodedTables) sameButSplices(t testing.TB, other *decodedTables) {
	t.Helper()
	if slices.Contains(d.column(&schema.Losses, "reason").U8, uint8(schema.LossSplice)) {
		return
	}
	sameTables(t, d, other, nil)
}

// checkCycles demands that the ledger of each epoch adds up to its cycles, and
// that instructions cost no more than went by.
func (d *decodedTables) checkCycles(t testing.TB) {
	t.Helper()
	counts := &schema.CycleCounts
	epoch, cycles, cycle := d.column(counts, "epoch"), d.column(counts, "cycles"), d.column(counts, "cycle")
	sums := map[int64]int64{}
	for i := range epoch.Len() {
		if null(epoch, i) || null(cycle, i) {
			continue
		}
		e := integer(epoch, i)
		if sums[e] += integer(cycles, i); sums[e] != integer(cycle, i) {
			t.Errorf("cycle_counts row %d: the sum is %d: %s", i, sums[e], d.rowText(counts, i))
		}
	}
	instructions := &schema.Instructions
	epoch, cycles, cycle = d.column(instructions, "epoch"), d.column(instructions, "cycles"),
		d.column(instructions, "cycle")
	last, at := int64(-1), int64(0)
	for i := range epoch.Len() {
		if null(cycle, i) {
			continue
		}
		if e := integer(epoch, i); e != last {
			last, at = e, 0
		}
		if integer(cycle, i)-at < integer(cycles, i) || integer(cycle, i) > sums[last] {
			t.Errorf("instructions row %d: %d cycles from %d, of %d: %s", i, integer(cycles, i), at, sums[last],
				d.rowText(instructions, i))
		}
		at = integer(cycle, i)
	}
}

// checkData checks that each packet of a transfer makes one row, that rows name
// instructions that were executed, and that they have no more than is traced.
func (d *decodedTables) checkData(t testing.TB, cfg *etmv3.Config) {
	t.Helper()
	of := map[string]int64{}
	for _, kind := range d.column(&schema.Packets, "type").Str {
		of[kind]++
	}
	accesses := &schema.DataAccesses
	rows := int64(d.rows(accesses))
	if want := of["normal_data"] + of["out_of_order_placeholder"] + of["value_not_traced"]; rows != want ||
		d.totals.DataAccesses != want {
		t.Errorf("%d rows of data_accesses, %d counted, of %d packets", rows, d.totals.DataAccesses, want)
	}
	instructions := int64(d.rows(&schema.Instructions))
	seq, address, value := d.column(accesses, "seq"), d.column(accesses, "address"), d.column(accesses, "value")
	access, state, executed := d.column(accesses, "access"), d.column(accesses, "state"),
		d.column(&schema.Instructions, "executed")
	for i := range seq.Len() {
		how, of := schema.Access(access.U8[i]), schema.DataState(state.U8[i])
		bad := !null(address, i) && !cfg.DataAddress || !null(value, i) && !cfg.DataValue ||
			of == schema.DataOutOfOrderLost && !null(value, i) || of == schema.DataCancelled && !null(seq, i)
		if !null(seq, i) {
			n := integer(seq, i)
			bad = bad || n < 0 || n > instructions || null(access, i) || n == instructions && how != schema.AccessPush ||
				(how == schema.AccessRead || how == schema.AccessWrite) && executed.U8[n] == 0
		}
		if bad {
			t.Errorf("data_accesses row %d: %s", i, d.rowText(accesses, i))
		}
	}
}
