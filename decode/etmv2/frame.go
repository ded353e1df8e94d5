package etmv2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// reach is how many samples after its own a status's last byte may come out: a FIFO
// of 128 bytes drains in a fourth of them (docs/etmv2.md §7.1). Parts show as many
// ahead.
const reach = 1024

// A framer joins the statuses of a segment with the bytes they owe, in one pass
// without the program (docs/etmv2.md §6.1). Only the first sample of a segment is a
// TFO.
type framer struct {
	cfg     *Config
	records []byte // of the samples of the part, then of those ahead
	samples int    // of the part
	at      int    // the next sample whose status is to be read
	pins    port.Pins

	bytes   []byte   // of the last group
	packets []Packet // in it
	first   int      // the sample in which it began
}

func newFramer(c *Config) *framer {
	f := &framer{cfg: c}
	f.pins = port.NewPins(c.Width, f.nextCarrying)
	return f
}

// begin readies f for a part. In a continued part, the next byte comes out where the
// previous part left off; with half, after the second nibble of one that the TFO split.
func (f *framer) begin(p *decode.Part, half bool) {
	at := port.Position{}
	if p.Continued {
		at = f.pins.At()
		at.Sample -= f.samples
	}
	if at.Sample < 0 {
		at = port.Position{}
	}
	f.records = append(append(f.records[:0], p.Data...), p.Ahead...)
	f.samples, f.at = len(p.Data)/port.SampleBytes, 0
	f.pins.Reset(f.records, at)
	if half {
		f.pins.PassNibble()
	}
}

func (f *framer) sample(i int) port.Sample { return port.At(f.records[i*port.SampleBytes:]) }

// nextCarrying returns the first sample after i, which is of TR or TD, that may carry
// FIFO bytes. Those of a TFO's value carry none. With midByte, a TFO has split a byte,
// whose other nibble is in the gap.
func (f *framer) nextCarrying(i int, midByte bool) int {
	s := f.sample(i)
	n := 0
	if f.cfg.startsTFO(s) {
		n = f.cfg.tfoSamples(s)
	}
	if n == 0 {
		return f.passDisabled(i + 1)
	}
	if midByte && f.cfg.Gap == GapAfter {
		n--
	}
	return f.pass(i, n)
}

// passDisabled returns the first sample from i on that is not TD, or that has a TFO
// whose value is in samples after it.
func (f *framer) passDisabled(i int) int {
	if f.cfg.Width == 4 {
		return i
	}
	const both, two = StatusTD<<32 | StatusTD, 0xf<<32 | 0xf
	for f.has(i+1) && binary.LittleEndian.Uint64(f.records[i*port.SampleBytes:])&two == both {
		i += 2
	}
	for f.has(i) && f.records[i*port.SampleBytes]&0xf == StatusTD {
		i++
	}
	return i
}

// pass returns the sample after the n next ones after i that are not TR.
func (f *framer) pass(i, n int) int {
	end := len(f.records) / port.SampleBytes
	for i++; n > 0 && i < end; i++ {
		if f.sample(i).Status() != StatusTR {
			n--
		}
	}
	return i
}

// tfoByte returns the byte TRACEPKT[7:0] with the value of the TFO at sample i, false if
// the samples end before it does. On 4 pins it is in two samples; after a TR it is in
// the next sample.
func (f *framer) tfoByte(i int) (x byte, ok bool) {
	if f.sample(i).Status() == StatusTR {
		i = f.pass(i, 1) - 1
	}
	high := i
	if f.cfg.Width == 4 {
		high = f.pass(i, 1) - 1
	}
	if !f.has(i) || f.cfg.Width == 4 && high == i || !f.has(high) || f.sample(high).Status() == StatusTR {
		return 0, false
	}
	x = byte(f.sample(i).Packet())
	if f.cfg.Width == 4 {
		x = x&0xf | byte(f.sample(high).Packet()<<4)
	}
	return x, true
}

func (f *framer) has(i int) bool { return i < len(f.records)/port.SampleBytes }

// errors of framing beside those of the codec.
var (
	errTruncated = errors.New("cut off by the end of the stream")
	errReach     = errors.New("a group that goes on for more than 1,024 samples")
)

// tfo reads the TFO that the segment begins with: its value, as many bytes that are
// those of the segment before, and its packet (§6.5.2).
func (f *framer) tfo(p *TFO) error {
	x, ok := f.tfoByte(0)
	if !ok {
		return errTruncated
	}
	v, ok := f.cfg.TFOValue(x)
	if !ok {
		return protocol.Reserved(x, "a TFO value that is reserved")
	}
	f.at = 1
	f.bytes = f.bytes[:0]
	for range v {
		if _, err := f.next(0); err != nil {
			return err
		}
	}
	f.first = -1
	for {
		x, err := f.next(0)
		if err != nil {
			return err
		}
		f.bytes = append(f.bytes, x)
		if f.first < 0 {
			f.first = f.pins.Start()
		}
		if err := f.cfg.ParseTFO(p, f.bytes); !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
	}
}

// next reads the next FIFO byte, which is owed by the status of sample k.
func (f *framer) next(k int) (byte, error) {
	x, ok := f.pins.Next()
	switch {
	case ok && f.pins.Start() <= k+reach:
		return x, nil
	case ok || f.has(k+reach):
		return 0, errReach
	default:
		return 0, errTruncated
	}
}

// A frame is a status and the packets of its group, if it is a D status. It comes
// after a run of samples with nothing but IE, IN and WT.
type frame struct {
	run     int // first sample of the run, which ends before at
	at      int
	status  uint8 // of the sample at, which a TR may have replaced
	trigger bool
	packets []Packet
	last    bool // there is no sample at: the part ends after the run
	// owed is the first sample after the run's beginning in which no byte is owed by a
	// status before at.
	owed int
}

// plain are the statuses of a run, as bits.
const plain = 1<<StatusIE | 1<<StatusIN | 1<<StatusWT

// plainPair reports whether the statuses of two samples are plain, w being their
// records. Plain are 0, 2 and 4: bits 3 and 0 are clear, and bits 2 and 1 not both set.
func plainPair(w uint64) bool {
	const bits30, bit1 = 9<<32 | 9, 2<<32 | 2
	return w&bits30 == 0 && w&(w>>1)&bit1 == 0
}

// frame reads the next frame. If it fails, the samples from x.at on are not
// understood.
func (f *framer) frame(x *frame) error {
	*x = frame{run: f.at, at: f.runEnd(f.at)}
	f.at = x.at + 1
	x.owed = f.owedUpTo()
	if x.last = x.at == f.samples; x.last {
		f.at = x.at
		return nil
	}
	s := f.sample(x.at)
	x.status = s.Status()
	if x.status == StatusTR {
		x.trigger, x.status = true, low(s)
		if x.status == StatusTR {
			return protocol.Bad(x.status, "a trigger that replaced a trigger")
		}
	}
	if !hasPackets(x.status) {
		return nil
	}
	err := f.group(x.at)
	x.packets = f.packets
	return err
}

// runEnd returns the first sample from i on that is in no run.
func (f *framer) runEnd(i int) int {
	r := f.records[:f.samples*port.SampleBytes]
	at := i * port.SampleBytes
	for at+2*port.SampleBytes <= len(r) && plainPair(binary.LittleEndian.Uint64(r[at:])) {
		at += 2 * port.SampleBytes
	}
	for at < len(r) && plain>>(r[at]&0xf)&1 != 0 {
		at += port.SampleBytes
	}
	return at / port.SampleBytes
}

// group reads the group of the status of sample k (docs/etmv2.md §5.4, §5.6).
func (f *framer) group(k int) error {
	f.bytes, f.packets = f.bytes[:0], f.packets[:0]
	from := k
	if f.cfg.First == FirstNext {
		from++
	}
	f.pins.From(from)
	if f.cfg.Width == 8 && f.branch8(k) {
		return nil
	}
	for {
		if err := f.packet(k); err != nil {
			return err
		}
		if !f.packets[len(f.packets)-1].More {
			return nil
		}
	}
}

// packet reads the next packet of the group.
func (f *framer) packet(k int) error {
	start := len(f.bytes)
	x, err := f.next(k)
	if err != nil {
		return err
	}
	if start == 0 {
		f.first = f.pins.Start()
	}
	f.bytes = append(f.bytes, x)
	f.packets = append(f.packets, Packet{})
	p := &f.packets[len(f.packets)-1]
	if x&branchBit != 0 {
		return f.branch(p, start, k)
	}
	for {
		if err := f.cfg.Parse(p, f.bytes[start:]); !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if x, err = f.next(k); err != nil {
			return err
		}
		f.bytes = append(f.bytes, x)
	}
}

// branch8 reads a group on 8 pins that is a branch address of fewer than five bytes in
// adjacent samples, as nearly all are in instruction trace, for the status of sample k. It fails, and has read
// nothing, if the group is another.
func (f *framer) branch8(k int) bool {
	first := f.pins.At().Sample
	if first+maxAddressBytes > k+reach {
		return false
	}
	r := f.records[min(len(f.records), first*port.SampleBytes):]
	v, shift := uint32(0), uint8(0)
	for n := 1; n < maxAddressBytes && len(r) >= port.SampleBytes; n++ {
		s := port.At(r)
		x := uint32(s.Packet() & 0xff)
		if s.Status()&^1 == StatusTR || n == 1 && x&branchBit == 0 {
			break
		}
		f.bytes = append(f.bytes, byte(x))
		v |= x & addressByte << shift
		shift += 7
		if x&more == 0 {
			f.first = first
			f.packets = append(f.packets, Packet{
				Kind: BranchAddress, Len: n, Branch: Branch{Address: schema.Address(v >> 1), Bits: shift - 1, Bytes: uint8(n)},
			})
			f.pins.Seek(port.Position{Sample: first + n})
			return true
		}
		r = r[port.SampleBytes:]
	}
	f.bytes = f.bytes[:0]
	return false
}

// branch reads the rest of a branch address that begins at bytes[start]. Nearly all
// packets of instruction trace are branch addresses.
func (f *framer) branch(p *Packet, start, k int) (err error) {
	x := f.bytes[start]
	for n := 1; x&more != 0 && n < maxAddressBytes; n++ {
		if x, err = f.next(k); err != nil {
			return err
		}
		f.bytes = append(f.bytes, x)
	}
	p.Kind = BranchAddress
	p.Len, err = p.Branch.parse(f.bytes[start:])
	return err
}

// owed returns how many bytes the statuses of the part owe that come out after its
// end, where the samples ahead begin with a TFO (§6.5.2). With half, the second nibble of
// another comes first, which a TFO does not count.
func (f *framer) owed() (n int, half bool) {
	end := f.pins.At()
	rest := port.NewPins(f.cfg.Width, f.nextCarrying)
	rest.Reset(f.records, port.Position{Sample: f.samples})
	for rest.At().Before(end) {
		if _, ok := rest.Next(); !ok || end.Before(rest.At()) {
			return n, true
		}
		n++
	}
	return n, false
}

// splits reports whether the TFO after the part splits a byte that is owed, whose second
// nibble comes after the TFO's value.
func (f *framer) splits() bool {
	_, half := f.owed()
	return half && f.cfg.splitsBytes()
}

// nextTFO returns the value of the TFO after the part, false if there is none, or if
// it is reserved.
func (f *framer) nextTFO() (v int, ok bool) {
	if !f.has(f.samples) || !f.cfg.startsTFO(f.sample(f.samples)) {
		return 0, false
	}
	x, ok := f.tfoByte(f.samples)
	if !ok {
		return 0, false
	}
	return f.cfg.TFOValue(x)
}

// loss returns the reason of the loss that begins where framing failed.
func loss(err error) (schema.LossReason, string) {
	syntax := (*decode.SyntaxError)(nil)
	switch {
	case errors.Is(err, errReach):
		return schema.LossBadPacket, err.Error()
	case !errors.As(err, &syntax):
		return schema.LossTruncated, err.Error()
	case syntax.Reserved:
		return schema.LossReservedHeader, fmt.Sprintf("header 0x%02x: %s", syntax.Header, syntax.Reason)
	default:
		return schema.LossBadPacket, fmt.Sprintf("byte 0x%02x: %s", syntax.Header, syntax.Reason)
	}
}
