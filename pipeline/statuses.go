package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/schema"
)

// Statuses are how often each status is among the first samples of a source.
type Statuses struct {
	Samples int64         `json:"samples"`
	Counts  []StatusCount `json:"counts"` // the commonest first
	// Marks are the samples at which a decoder can begin, as far as their pins say: with
	// TRACESYNC, or a Trace FIFO Offset.
	Marks int64 `json:"marks"`
}

// A StatusCount is how many samples have a status.
type StatusCount struct {
	Status  string `json:"status"`
	Samples int64  `json:"samples"`
}

// statusTFO is how protocols call a sample with a Trace FIFO Offset.
const statusTFO = "tfo"

// countStatuses counts the statuses in the first bytes of a source's stream, nil if
// its protocol has none.
func (s *sourcePlan) countStatuses(bytes int) (*Statuses, error) {
	listing, ok := s.protocol.(decode.Listing)
	if !ok {
		return nil, nil
	}
	counts, all := map[string]int64{}, &Statuses{}
	l := lister{protocol: s.protocol, opt: PacketOptions{To: -1}, progress: func(*schema.Totals) {}, emit: func(p PacketLine) error {
		counts[p.Type] += p.Len
		all.Samples += p.Len
		if p.Type == statusTFO || strings.HasSuffix(p.Pins, "*") {
			all.Marks += p.Len
		}
		return nil
	}}
	sample, err := s.as(s.protocol, bytes)
	if err != nil {
		return nil, err
	}
	if err := (&unitLister{lister: l, listing: listing}).list(sample.stream()); err != nil {
		return nil, err
	}
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		all.Counts = append(all.Counts, StatusCount{status, counts[status]})
	}
	slices.SortStableFunc(all.Counts, func(a, b StatusCount) int { return cmp.Compare(b.Samples, a.Samples) })
	return all, nil
}

// String lists the statuses: "ie 1,200, wt 30, td 2".
func (s *Statuses) String() string {
	var words []string
	for _, c := range s.Counts {
		words = append(words, c.Status+" "+figures.Thousands(c.Samples))
	}
	return strings.Join(words, ", ")
}

// noCut says of a source with a layout what its samples are, in which no decoder can
// begin.
func (s *sourcePlan) noCut(name string) string {
	what := ""
	if n := s.statuses; n != nil {
		what = fmt.Sprintf(" (of the first %s samples: %s; with TRACESYNC or a Trace FIFO Offset %s)", figures.Thousands(n.Samples), n, figures.Thousands(n.Marks))
	}
	if s.verdict == nil || s.verdict.Remedy == nil {
		what += "; check --reg LAYOUT=WORD, PORTSIZE=N and --protocol (tracelake inspect tries them)"
	}
	return fmt.Sprintf("%s: no sample of %s from which %s can be decoded%s", name, figures.Thousands(s.bytes), s.Protocol, what)
}
