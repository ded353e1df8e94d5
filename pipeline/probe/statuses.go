package probe

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/packets"
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

// statusesOf counts the statuses in a stream of a protocol that has some.
func statusesOf(stream decode.Stream, protocol decode.Protocol, listing decode.Listing) (*Statuses, error) {
	counts, all := map[string]int64{}, &Statuses{}
	l := packets.Lister{Protocol: protocol, To: -1, Emit: func(p packets.Line) error {
		counts[p.Type] += p.Len
		all.Samples += p.Len
		if p.Type == statusTFO || strings.HasSuffix(p.Pins, "*") {
			all.Marks += p.Len
		}
		return nil
	}}
	if err := packets.ListUnits(&l, listing, stream); err != nil {
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
