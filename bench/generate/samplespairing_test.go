package generate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// A pairingFault is one mistake in what pairs branches with their addresses
// (docs/etmv2.md §4.3).
type pairingFault struct {
	name string
	// make makes it at a random place of the records of samples and returns the
	// sample; false if there is none.
	make func(random *rand.Rand, records []byte) (at int, ok bool)
}

var pairingFaults = []pairingFault{
	{"an offset one too high", func(r *rand.Rand, b []byte) (int, bool) { return changeOffset(r, b, 1) }},
	{"an offset one too low", func(r *rand.Rand, b []byte) (int, bool) { return changeOffset(r, b, -1) }},
	{"a TRACESYNC lost", func(r *rand.Rand, b []byte) (int, bool) { return changeSync(r, b, true) }},
	{"a TRACESYNC too many", func(r *rand.Rand, b []byte) (int, bool) { return changeSync(r, b, false) }},
}

// statusOf is the status of a sample of ETMv1, of a trigger the one it replaced.
func statusOf(s port.Sample) uint8 {
	if s.Status() == port.StatusTR {
		return uint8(s.Packet() & 7)
	}
	return s.Status()
}

// withStatus is the sample with another status, which a trigger may have replaced.
func withStatus(s port.Sample, status uint8) port.Sample {
	if s.Status() == port.StatusTR {
		return port.NewSample(port.StatusTR, s.Sync(), s.Packet()&^7|uint16(status))
	}
	return port.NewSample(status, s.Sync(), s.Packet())
}

// branchSamples are the samples with BE or BD that no other one abandons.
func branchSamples(samples []port.Sample) []int {
	isBranch := func(i int) bool { status := statusOf(samples[i]); return status == 4 || status == 5 }
	var all []int
	for i := 0; i+2 < len(samples); i++ {
		switch {
		case !isBranch(i) || isBranch(i+1):
		case isBranch(i + 2):
			i++
		default:
			all = append(all, i)
			i += 2
		}
	}
	return all
}

// changeOffset changes the offset of a branch.
func changeOffset(random *rand.Rand, records []byte, by int) (at int, ok bool) {
	samples := port.Samples(records)
	for _, i := range shuffled(random, branchSamples(samples)) {
		low, high := statusOf(samples[i+1]), statusOf(samples[i+2])
		v := int(low&3|high&3<<2) + by
		if v < 0 || v >= 15 || by < 0 && v == 14 { // 15 says no number
			continue
		}
		samples[i+1], samples[i+2] = withStatus(samples[i+1], uint8(v&3)), withStatus(samples[i+2], uint8(v>>2))
		copy(records, port.Records(samples))
		return i, true
	}
	return 0, false
}

// changeSync removes a TRACESYNC, or adds one to a sample that carries bytes.
func changeSync(random *rand.Rand, records []byte, remove bool) (at int, ok bool) {
	samples := port.Samples(records)
	var all []int
	for i, s := range samples {
		if s.Sync() == remove && s.Status() < port.StatusTR {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	i := all[random.IntN(len(all))]
	samples[i] = port.NewSample(samples[i].Status(), !remove, samples[i].Packet())
	copy(records, port.Records(samples))
	return i, true
}

func shuffled(random *rand.Rand, x []int) []int {
	random.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	return x
}

// A pairingToll is what faults cost: rows lost, rows with other words, rows at samples
// that had none.
type pairingToll struct {
	faults, rows, lost, wrong, more int
	later                           int // captures with such rows after the next full address
}

func (p *pairingToll) String() string {
	share := func(n int) string { return fmt.Sprintf("%.2f", float64(n)/float64(p.faults)) }
	return fmt.Sprintf("%d faults among %d rows: a fault costs %s rows lost, %s wrong, %s invented; %d reach past the next full address",
		p.faults, p.rows, share(p.lost), share(p.wrong), share(p.more), p.later)
}

// One fault in the pairing costs few rows, and none from the second full address after
// it on: the first may be the one that it hit.
func TestPairingFaults(t *testing.T) {
	programs := map[uint64]*Workload{}
	tolls := make([]pairingToll, len(pairingFaults))
	for seed := range need.Size[uint64](4, 60) {
		file, records, c, dir := pairedCapture(t, sampleProgram(t, programs, "etmv2", seed), seed)
		_, opt := c.exportOptions(dir)
		intact := exported(t, slices.Concat(file, records), opt)
		random := rand.New(rand.NewPCG(seed, 'p'))
		for i := range pairingFaults {
			for range need.Size(3, 5) {
				hit := slices.Clone(records)
				at, ok := pairingFaults[i].make(random, hit)
				if !ok {
					continue
				}
				damaged := exported(t, slices.Concat(file, hit), opt)
				if problem := tolls[i].add(intact, damaged, at); problem != "" {
					t.Errorf("seed %d, %s, sample %d: %s", seed, pairingFaults[i].name, at, problem)
				}
			}
		}
	}
	for i := range tolls {
		t.Logf("%s: %v", pairingFaults[i].name, &tolls[i])
		if tolls[i].faults == 0 {
			t.Errorf("%s: none made", pairingFaults[i].name)
		}
	}
}

// pairedCapture makes a capture of instructions: its header and its samples.
func pairedCapture(t *testing.T, w *Workload, seed uint64) (header, records []byte, c *Capture, dir string) {
	t.Helper()
	r := randomSamples("etmv1", seed)
	r.Samples.Layout, r.Samples.Sync, r.Samples.FIFO, r.Samples.Idle = port.LayoutETMS, 300, 0, 0.1
	r.Instructions, r.Ring, r.Data, r.Overflow = 3000, 0, NoData, 0
	r.Samples.ETB = false
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	input, _ := c.exportOptions(dir)
	file, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	const size = 16
	return file[:size], file[size:], c, dir
}

// add adds what a fault at a sample cost.
func (p *pairingToll) add(intact, damaged benchtest.Record, at int) (problem string) {
	first, second := nextCuts(intact, at)
	want, got := rowsBySample(intact), rowsBySample(damaged)
	p.faults++
	p.rows += len(want)
	last := -1
	for i := range maps.Keys(want) {
		switch row, ok := got[i]; {
		case !ok:
			p.lost++
		case row != want[i]:
			p.wrong++
		default:
			continue
		}
		last = max(last, i)
	}
	for i := range got {
		if _, ok := want[i]; !ok {
			p.more++
			last = max(last, i)
		}
	}
	if last >= first {
		p.later++
	}
	if last >= second {
		return fmt.Sprintf("row of sample %d is %q, want %q; full addresses at %d and %d", last, got[last], want[last], first,
			second)
	}
	return ""
}

// nextCuts are the first two cuts after a sample; the end of the capture stands for
// one that is missing.
func nextCuts(rows benchtest.Record, at int) (first, second int) {
	first, second = 1<<30, 1<<30
	for _, segment := range slices.Backward(rows[schema.Segments.Name]) {
		offset, _ := strconv.Atoi(strings.Fields(segment)[2])
		if sampleOf(offset) > at {
			first, second = sampleOf(offset), first
		}
	}
	return first, second
}

// rowsBySample are the rows of instructions by their sample, without ordinals and
// cycles.
func rowsBySample(rows benchtest.Record) map[int]string {
	all := map[int]string{}
	for _, row := range rows[schema.Instructions.Name] {
		f := strings.Fields(row)
		offset, _ := strconv.Atoi(f[2])
		all[sampleOf(offset)] = fmt.Sprint(f[3:9])
	}
	return all
}
