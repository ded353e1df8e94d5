package generate

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A sampleDamage is a place in a capture where samples are not what they were:
// from one on, up to another, of which the damaged capture has a number.
type sampleDamage struct {
	name     string
	from, to int
	now      int
}

// damageSamples damages the records of some samples.
func damageSamples(random *rand.Rand, records []byte) ([]byte, sampleDamage) {
	n := len(records) / port.SampleBytes
	d := sampleDamage{from: random.IntN(n * 2 / 3)}
	d.to = min(n, d.from+1+random.IntN(40))
	before, hit, after := records[:d.from*port.SampleBytes],
		slices.Clone(records[d.from*port.SampleBytes:d.to*port.SampleBytes]), records[d.to*port.SampleBytes:]
	each := func(change func(s port.Sample, i int) port.Sample) {
		for i := 0; i < len(hit); i += port.SampleBytes {
			copy(hit[i:], port.Append(nil, change(port.At(hit[i:]), i/port.SampleBytes)))
		}
	}
	width := slices.Max(port.Samples(records)) // bits that are in no sample stay so
	pins := port.Sample(1)<<len(strconv.FormatUint(uint64(width), 2)) - 1
	switch random.IntN(6) {
	case 0:
		d.name, hit = "cut", nil
	case 1:
		d.name, hit = "doubled", append(hit, hit...)
	case 2:
		d.name, d.to = "one flipped", d.from+1
		hit, after = hit[:port.SampleBytes], records[d.to*port.SampleBytes:]
		each(func(s port.Sample, _ int) port.Sample { return s ^ validBits(random.Uint32(), pins) })
	case 3:
		d.name = "a pin stuck"
		mask := validBits(1<<random.IntN(32), pins)
		each(func(s port.Sample, _ int) port.Sample { return s | mask })
	case 4:
		d.name = "noise"
		each(func(port.Sample, int) port.Sample { return validBits(random.Uint32(), pins) })
	case 5:
		d.name = "swapped"
		half := len(hit) / port.SampleBytes / 2 * port.SampleBytes
		hit = slices.Concat(hit[half:2*half], hit[:half], hit[2*half:])
	}
	d.now = len(hit) / port.SampleBytes
	return slices.Concat(before, hit, after), d
}

// validBits are bits of a sample that a file may have: status, TRACESYNC and pins.
func validBits(v uint32, pins port.Sample) port.Sample {
	return port.Sample(v) & pins & 0xFFFF0007
}

// Whatever is cut, doubled, flipped or swapped: every sample is accounted for, and
// rows from the second next cut on are as without the damage.
func TestSamplesDamaged(t *testing.T) {
	for _, protocol := range []string{"etmv1", "etmv2"} {
		t.Run(protocol, func(t *testing.T) {
			programs := map[uint64]*Workload{}
			compared, wrong := 0, 0
			for seed := range need.Size[uint64](12, 2000) {
				n, ok := damagedCapture(t, protocol, sampleProgram(t, programs, protocol, seed), seed)
				compared += n
				if !ok {
					wrong++
				}
			}
			t.Logf("%d rows compared, %d captures wrong after the second next cut", compared, wrong)
			if compared == 0 {
				t.Error("no rows compared")
			}
		})
	}
}

// damagedCapture makes a capture, exports it whole and with damages, and compares.
func damagedCapture(t *testing.T, protocol string, w *Workload, seed uint64) (compared int, ok bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 'd'))
	r := randomSamples(protocol, seed)
	r.Samples.Layout, r.Samples.Sync, r.Instructions, r.Ring = port.LayoutETMS, 200, 2000, 0
	r.Samples.ETB = false
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	input, opt := c.exportOptions(dir)
	file, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	const header = 16
	copy(file[12:header], make([]byte, 4)) // the number of samples: to the end
	intact := exported(t, file, opt)
	ok = true
	for range 4 {
		records, d := damageSamples(random, file[header:])
		damaged := exported(t, slices.Concat(file[:header], records), opt)
		n, problem := sameAfter(intact, damaged, d)
		compared += n
		if problem != "" {
			ok = false
			t.Errorf("seed %d, %s, samples %d to %d: %s", seed, d.name, d.from, d.to, problem)
		}
	}
	return compared, ok
}

// exported exports a capture and returns its rows. It demands that each sample is
// decoded or lost, once.
func exported(t *testing.T, file []byte, opt pipeline.Options) benchtest.Record {
	t.Helper()
	dir := t.TempDir()
	input, out := filepath.Join(dir, "capture.etms"), filepath.Join(dir, "run")
	if err := os.WriteFile(input, file, 0o666); err != nil {
		t.Fatal(err)
	}
	opt.Level, opt.Codec, opt.Workers = schema.LevelInstructions, "none", 2
	_, err := pipeline.Export(t.Context(), input, out, opt)
	if _, nothing := errors.AsType[*pipeline.NothingError](err); nothing {
		return benchtest.Record{}
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	s := &d.Manifest.Sources[0]
	if samples := int64(len(file)-16) / port.SampleBytes; s.Bytes != samples || s.BytesDecoded+s.BytesLost != samples {
		t.Errorf("%d samples: %d decoded, %d lost of %d", samples, s.BytesDecoded, s.BytesLost, s.Bytes)
	}
	return benchtest.Read(t, out)
}

// sameAfter compares the rows of instructions from the second next cut after a damage
// on.
func sameAfter(intact, damaged benchtest.Record, d sampleDamage) (compared int, problem string) {
	cuts := 0
	for _, segment := range intact[schema.Segments.Name] {
		at, _ := strconv.Atoi(strings.Fields(segment)[2])
		if sampleOf(at) < d.to {
			continue
		}
		if cuts++; cuts < 2 {
			continue
		}
		want := rowsFrom(intact, sampleOf(at), 0)
		got := rowsFrom(damaged, sampleOf(at)+d.now-(d.to-d.from), d.now-(d.to-d.from))
		if !slices.Equal(got, want) {
			return len(want), fmt.Sprintf("from sample %d on %d rows, want %d: %s", sampleOf(at), len(got), len(want),
				firstDifference(got, want))
		}
		return len(want), ""
	}
	return 0, ""
}

func sampleOf(offset int) int { return (offset - 16) / port.SampleBytes }

// rowsFrom are the rows of instructions from a sample on, without ordinals and cycles,
// as if they were so many samples earlier.
func rowsFrom(rows benchtest.Record, from, shift int) []string {
	var list []string
	for _, row := range rows[schema.Instructions.Name] {
		f := strings.Fields(row)
		at, _ := strconv.Atoi(f[2])
		if sampleOf(at) < from {
			continue
		}
		const context = 13
		list = append(list, fmt.Sprint(sampleOf(at)-shift, f[3:9], f[context]))
	}
	return list
}

func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return "no row, want " + want[i]
		case i >= len(want):
			return got[i] + ", want no row"
		case got[i] != want[i]:
			return got[i] + ", want " + want[i]
		}
	}
	return ""
}

// A capture that is read in another layout or with another port is no panic, and each
// sample is accounted for.
func TestSamplesMistaken(t *testing.T) {
	programs := map[uint64]*Workload{}
	for seed := range need.Size[uint64](20, 500) {
		protocol := []string{"etmv1", "etmv2"}[seed%2]
		r := randomSamples(protocol, seed)
		c, err := r.Capture(sampleProgram(t, programs, "etmv2", seed))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := c.Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		input, opt := c.exportOptions(dir)
		opt.Workers = 2
		opt.Capture.Protocol = []string{"etmv2", "etmv1"}[seed/2%2]
		layouts := port.Layouts(2 - uint8(seed/2%2))
		opt.Capture.Regs = []string{
			"LAYOUT=" + layouts[int(seed)%len(layouts)].String(), fmt.Sprintf("PORTSIZE=%d", 4<<(seed%3)),
			fmt.Sprintf("ETMCR=0x%x", seed*0x1234&0xD10E),
		}
		_, err = pipeline.Export(t.Context(), input, filepath.Join(dir, "run"), opt)
		checkMistaken(t, filepath.Join(dir, "run"), err)
	}
}

// checkMistaken demands of an export that it failed in words, or accounts for all.
func checkMistaken(t *testing.T, out string, err error) {
	t.Helper()
	if err != nil {
		if text := err.Error(); text == "" || bytes.ContainsAny([]byte(text), "\n") {
			t.Errorf("error %q", text)
		}
		return
	}
	d, err := dataset.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if s := &d.Manifest.Sources[0]; s.Bytes != s.BytesDecoded+s.BytesLost {
		t.Errorf("%d samples: %d decoded, %d lost", s.Bytes, s.BytesDecoded, s.BytesLost)
	}
}
