package pipeline

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/etmv1"
	"github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
)

// A ring of samples may begin again anywhere: between two samples of IE, too, that are one
// run of instructions. Each instruction has the offset of its own sample, and the runs
// hold as many instructions as 32 bits of difference allow, none of them negative.
func TestRingInRun(t *testing.T) {
	const executed = 40
	idle := slices.Repeat([]port.Sample{port.NewSample(port.StatusTD, false, 0)}, 4)
	for _, x := range []struct {
		name   string
		number uint8
		start  []port.Sample
		first  int // sample of the first instruction
	}{
		{"etmv1", 0x13, startOfV1, 3},
		{"etmv2", 0x20, startOfV2, 1},
	} {
		samples := append(slices.Clone(x.start), make([]port.Sample, executed)...)
		samples = append(samples, idle...)
		samples = samples[:len(samples)&^1]
		want := executed + len(x.start) - x.first
		for _, layout := range []port.Layout{port.LayoutETMS, port.LayoutETB} {
			c := port.Config{Number: x.number, Width: 8, CaptureLayout: layout}
			_, step := c.RecordBytes()
			for turned := 0; turned < len(samples); turned += step {
				got := ringOffsets(t, c, samples, turned)
				for i := range want {
					// The oldest sample is at place turned of the file.
					place := (turned + x.first + i) % len(samples)
					if i >= len(got) || got[i] != c.Offset(int64(place)) {
						t.Fatalf("%s, %s, ring from sample %d: offsets %d, want %d at %d", x.name, layout, turned, got,
							c.Offset(int64(place)), i)
					}
				}
				if len(got) != want {
					t.Errorf("%s, %s, ring from sample %d: %d instructions, want %d", x.name, layout, turned, len(got), want)
				}
			}
		}
	}
}

// ringOffsets decodes samples that are in a ring whose oldest one is at a place, and
// returns the capture offset of each instruction.
func ringOffsets(t *testing.T, c port.Config, samples []port.Sample, oldest int) (offsets []int64) {
	t.Helper()
	n := len(samples)
	var file bytes.Buffer
	w, err := port.NewWriter(&file, port.File{Config: c, Samples: uint32(n)})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(port.Records(append(slices.Clone(samples[n-oldest:]), samples[:n-oldest]...)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	protocol := decode.Layouter(&etmv1.Config{Config: c})
	if c.Major() == 2 {
		protocol = &etmv2.Config{Config: c}
	}
	l, err := protocol.Layout(int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	from := int64(0)
	if oldest > 0 {
		from = c.Offset(int64(oldest))
	}
	d, result := protocol.NewDecoder(image.New(image.Region{Address: 0x8000, Bytes: make([]byte, 4096)}), decode.Wanted{}),
		&decode.Result{}
	for u, err := range engine.Split(l.Stream(bytes.NewReader(file.Bytes()), from), protocol, engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range u.Parts {
			d.Decode(result, part)
		}
	}
	at := 0
	for _, run := range result.Runs {
		for _, delta := range result.Offsets[at : at+int(run.Count)] {
			offsets = append(offsets, run.Offset+int64(delta))
		}
		at += int(run.Count)
	}
	return offsets
}
