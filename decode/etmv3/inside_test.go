package etmv3

import (
	"bytes"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// What is decoded twice of a work unit is bounded: here each segment may begin
// inside an instruction, at ever new addresses of straight code without end.
func TestInsideBudget(t *testing.T) {
	const segments, base = 300, 0x8000
	push := []byte{0x2d, 0xe9} // both halves
	mem := image.New(image.Region{Address: base, Bytes: bytes.Repeat(push, 2*schema.MaxBlock+segments+2)})
	cfg := &Config{Minor: 1}
	d := cfg.NewDecoder(mem, decode.Wanted{})
	u := &decode.Result{}
	for i := range schema.Address(segments) {
		b := cfg.Append(nil, Packet{Kind: ISync, Reason: schema.ISyncPeriodic, Address: base + 2 + 2*i, ISA: schema.T32})
		b = cfg.Append(b, Packet{Kind: PHeader, Atoms: Atoms{Count: 2, Format: 1}})
		d.Decode(u, decode.Part{Data: b, Offsets: decode.OffsetsFrom(0, len(b), decode.Form{})})
	}
	twice, held := 0, 0
	for i := range u.Segments {
		if in := u.Segments[i].Inside; in != nil {
			twice++
			for _, block := range in.Blocks {
				held += len(block.Address)
			}
		}
	}
	if twice == 0 || twice == segments || held > maxInside+schema.MaxBlock {
		t.Errorf("%d of %d segments decoded twice, with blocks of %d instructions", twice, segments, held)
	}
}
