package pipeline

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
)

// dataTrace returns a made-up data trace, since no capture has one: a loop of
// loads and stores in which each segment decodes by itself.
func dataTrace(t testing.TB) *trace {
	t.Helper()
	protocol, _, err := bindTo("etmv3", decode.Source{Profile: "R", Registers: capture.Registers{
		{Name: "ETMCR", Bits: 32, Value: 0x4000c}, {Name: "ETMIDR", Bits: 32, Value: 0x4104F230},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, opcode := range []uint32{
		0xe891000f, // 8000: ldm   r1, {r0, r1, r2, r3}
		0xe1a00000, // 8004: mov   r0, r0
		0x05c10000, // 8008: strbeq r0, [r1]
		0xe5910000, // 800c: ldr   r0, [r1]
		0xe1c200d0, // 8010: ldrd  r0, r1, [r2]
		0xeafffff9, // 8014: b     8000
	} {
		code = binary.LittleEndian.AppendUint32(code, opcode)
	}
	w := dataWriter{r: rand.New(rand.NewPCG(1, 1))}
	reason := byte(0x21)
	for range 60 {
		w.b = append(w.b, 0, 0, 0, 0, 0, 0x80, 8, reason, 0x00, 0x80, 0, 0)
		reason, w.synced = 1, false
		for range 5 + w.r.IntN(20) {
			w.loop()
		}
	}
	tr := &trace{name: "data-trace", id: 0x10, protocol: protocol,
		memory: image.New(image.Region{Address: 0x8000, Bytes: code})}
	return tr.with(w.b)
}

// A dataWriter writes the packets of that loop.
type dataWriter struct {
	r      *rand.Rand
	b      []byte
	synced bool // a D-sync was sent
	open   [4]bool
}

// loop goes round once.
func (w *dataWriter) loop() {
	w.b = append(w.b, 0x84) // ldm
	w.transfer(true)
	for range 3 {
		w.transfer(w.r.IntN(5) == 0)
	}
	if w.r.IntN(2) == 0 {
		w.b = append(w.b, 0x88) // mov, strbeq
		w.transfer(true)
	} else {
		w.b = append(w.b, 0xc4) // it failed
	}
	w.values(w.r.IntN(2) == 0)
	w.b = append(w.b, 0x84) // ldr
	w.transfer(true)
	w.b = append(w.b, 0x84) // ldrd
	w.transfer(true)
	if w.r.IntN(8) == 0 {
		w.b = append(w.b, 0x62)
	}
	w.transfer(false)
	w.b = append(w.b, 0x84) // b
	w.values(true)
}

// transfer writes a packet of some kind about the next transfer.
func (w *dataWriter) transfer(address bool) {
	kind := w.r.IntN(8)
	switch tag := w.r.IntN(3) + 1; {
	case kind == 0:
		w.header(0x6a, 0x10, address)
	case kind < 3 && !w.open[tag]:
		w.open[tag] = true
		w.header(0x50|byte(tag)<<2, 0x20, address)
	default:
		size := w.r.IntN(4)
		w.header(0x02|byte(size)<<2, 0x20, address)
		w.value(size)
	}
}

// header writes a header, with bit a and an address if there is to be one.
func (w *dataWriter) header(h, a byte, address bool) {
	if !address {
		w.b = append(w.b, h)
		return
	}
	low := byte(w.r.IntN(32)) << 2
	w.b = append(w.b, h|a, low|0x80, byte(w.r.IntN(64)))
	if !w.synced {
		w.synced = true
		w.b[len(w.b)-1] |= 0x80
		w.b = append(w.b, 0x80, 0x80, 0x02)
	}
}

func (w *dataWriter) value(size int) {
	for range []int{0, 1, 2, 4}[size] {
		w.b = append(w.b, byte(1+w.r.IntN(255)))
	}
}

// values writes those that are waited for: all, or some.
func (w *dataWriter) values(all bool) {
	for tag := range w.open {
		if w.open[tag] && (all || w.r.IntN(2) == 0) {
			w.open[tag] = false
			size := w.r.IntN(4)
			w.b = append(w.b, byte(tag)<<5|byte(size)<<2)
			w.value(size)
		}
	}
}
