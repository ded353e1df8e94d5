package rows

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// An epochTable sums up what packets counted, by epoch and kind. Epochs only rise, so the
// rows of one go on as soon as the next begins.
type epochTable struct {
	to   stitch.Sink[schema.CountSum] // nil: `epochs` is not wanted
	rows *countTable                  // nil: `cycle_counts` is not wanted

	base stitch.Base
	sums []schema.CountSum // of the epoch at hand, by kind: those without a count are none
}

// addEpochs adds `epochs` and `cycle_counts`.
func (t *Tables) addEpochs() {
	s := &epochTable{rows: t.countTable()}
	t.open = append(t.open, s) // before the table that it adds to
	if s.to = sink(t, &schema.Epochs, fillEpoch); s.to == nil && s.rows == nil {
		return
	}
	t.Sinks.Counts, t.Sinks.Summed = s, s.rows == nil
}

// Add implements [stitch.CountSink].
func (t *epochTable) Add(b stitch.Base, counts stitch.CountRows, sums []schema.CountSum) error {
	for s, rows := range counts.Each {
		for len(sums) > 0 && sums[0].Epoch < s.Epoch {
			if err := t.addSum(b, sums[0]); err != nil {
				return err
			}
			sums = sums[1:]
		}
		if err := t.begin(b, s.Epoch); err != nil {
			return err
		}
		t.addRows(s, rows)
	}
	for _, x := range sums {
		if err := t.addSum(b, x); err != nil {
			return err
		}
	}
	if t.rows == nil || len(counts.Rows) == 0 {
		return nil
	}
	return t.rows.add(b, counts)
}

// Gap implements [stitch.CountSink]. There may be fewer cycles than that: those before a window are in no row.
func (t *epochTable) Gap(_ stitch.Base, cycles int64) {
	if len(t.sums) > 0 {
		x := &t.sums[schema.CountPacket]
		x.Gap = min(x.Gap+cycles, x.Cycles)
	}
}

// begin goes on to an epoch of a segment, if that is not the one at hand.
func (t *epochTable) begin(b stitch.Base, epoch int32) error {
	epoch, _ = b.At(schema.Point{Epoch: epoch})
	if len(t.sums) > 0 && epoch == t.sums[0].Epoch {
		return nil
	}
	err := t.flush()
	t.base, t.sums = b, make([]schema.CountSum, len(schema.CountKindNames))
	for kind := range t.sums {
		t.sums[kind].Epoch, t.sums[kind].Kind = epoch, schema.CountKind(kind)
	}
	return err
}

// addRows adds rows of one span. Those of restarts count a gap.
func (t *epochTable) addRows(s *schema.CountSpan, rows []schema.Count) {
	for i := range rows {
		kind := rows[i].Kind
		if s.OutOfEpoch {
			kind = schema.CountGap
		}
		x := &t.sums[kind]
		if x.Counts++; !s.Cycles.OK {
			x.Unknown++
			continue
		}
		cycles := s.Cycles.V + int64(rows[i].Cycles)
		if x.Cycles += cycles; x.Kind == schema.CountISync || x.Kind == schema.CountGap {
			x.Gap += cycles
		}
	}
}

// addSum adds counts that have no row.
func (t *epochTable) addSum(b stitch.Base, sum schema.CountSum) error {
	if err := t.begin(b, sum.Epoch); err != nil {
		return err
	}
	x := &t.sums[sum.Kind]
	x.Counts, x.Cycles = x.Counts+sum.Counts, x.Cycles+sum.Cycles
	t.Gap(b, sum.Gap)
	return nil
}

// flush hands on the rows of the epoch at hand.
func (t *epochTable) flush() error {
	rows := t.sums[:0]
	for _, x := range t.sums {
		if x.Counts > 0 {
			rows = append(rows, x)
		}
	}
	t.sums = nil
	return t.to.Add(t.base, rows)
}
