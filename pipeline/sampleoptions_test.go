package pipeline

import (
	"encoding/binary"
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// This file is what the made-up protocol of sampleprotocol_test.go has beside
// registers: options, one of which is found by trying, a header, and lines of its own.

// flipAuto is the value of FLIP that is found by trying.
const flipAuto = 2

var sampleOptions = []decode.Option{
	{Name: "LAYOUT", Means: "how the buffer holds samples",
		Words: []decode.OptionWord{{Word: "plain", Value: 0}, {Word: "padded", Value: 1}}, Try: []uint64{0, 1}},
	{Name: "FLIP", Means: "what is flipped in statuses",
		Words: []decode.OptionWord{{Word: "none", Value: 0}, {Word: "low", Value: 1}, {Word: "auto", Value: flipAuto}}},
}

// readSampleHeader knows padded samples: "SMPL", then how many there are.
func readSampleHeader(head []byte, size int64, _ decode.Registers) ([]decode.RegisterValue, bool, error) {
	if len(head) < sampleHeaderBytes || string(head[:4]) != "SMPL" {
		return nil, false, nil
	}
	laid := laidSamples{paddedSamples, size}
	if n := int64(binary.LittleEndian.Uint32(head[4:])); n > laid.Units() {
		return nil, false, fmt.Errorf("offset 0x4: %d samples, but there is room for %d", n, laid.Units())
	}
	return []decode.RegisterValue{{Name: "LAYOUT", Value: uint64(paddedSamples)}}, true, nil
}

// Tune implements [decode.Tuner]: a status that is none is an error.
func (p sampleProtocol) Tune(b []byte) (decode.Protocol, []decode.Trial) {
	if p.flip != flipAuto {
		return p, nil
	}
	trials := make([]decode.Trial, flipAuto)
	for flip := range trials {
		t := &trials[flip]
		t.Settings = "FLIP=" + sampleOptions[1].Word(uint64(flip))
		for at := 0; at < len(b); at += sampleBytes8 {
			t.Checks++
			if b[at]^byte(flip) == sampleWait {
				t.Right++
			}
		}
	}
	p.flip = 0
	if trials[1].Right > trials[0].Right {
		p.flip, trials[0], trials[1] = 1, trials[1], trials[0]
	}
	return p, trials
}

// NewLister implements [decode.Listing].
func (p sampleProtocol) NewLister() decode.Lister { return sampleLister{p} }

// A sampleLister makes a line of each sample, and one of several waits.
type sampleLister struct{ sampleProtocol }

var sampleStatusNames = []string{"wait", "execute", "branch", "sync"}

func (p sampleLister) List(b []byte, last bool, emit func(at, units int, text decode.PacketText) error) (int, error) {
	at := 0
	for at < len(b) {
		status := p.status(b[at:])
		next := at + sampleBytes8
		for status == sampleWait && next < len(b) && p.status(b[next:]) == sampleWait {
			next += sampleBytes8
		}
		if next == len(b) && !last {
			break
		}
		text := decode.PacketText{Type: "lost", Pins: fmt.Sprintf("%02x", b[at+4])}
		if int(status) < len(sampleStatusNames) {
			text.Type = sampleStatusNames[status]
		}
		if status == sampleSync && next < len(b) {
			text.Pins += "*"
			text.Owed = b[next+4 : next+8]
			text.Add("address", fmt.Sprintf("0x%08x", binary.LittleEndian.Uint32(text.Owed)))
			text.Add("at", decode.UnitIndex(next/sampleBytes8))
		}
		if err := emit(at, (next-at)/sampleBytes8, text); err != nil {
			return at, err
		}
		at = next
	}
	return at, nil
}

var (
	_ decode.Tuner   = sampleProtocol{}
	_ decode.Listing = sampleProtocol{}
)
