// Package clock says how fast the core of a source ran, as given at export or measured between timestamps.
//
// Its API is not stable (docs/guide/library.md).
package clock

import (
	"math"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Rate is what is known of the time of a source. What is not known is 0.
type Rate struct {
	Dir         string
	Source      uint8
	Hz          float64 // of the core
	Measured    bool    // Hz is by timestamps, else given at export
	Least, Most float64 // of the core, in Hz, between timestamps; without Hz it was not steady
	Elapsed     float64 // seconds from the first timestamp to the last, gaps and all
}

// Read returns the clock of a source. Where its frequency was not given, and that
// of the timestamps is known, the cycles between timestamps measure it.
func Read(d *dataset.Dataset, s *schema.SourceTotals) (Rate, error) {
	c := Rate{Dir: d.Dir, Source: s.Source, Hz: float64(s.CycleHz)}
	if c.Hz != 0 || s.TimestampHz == 0 || !d.Has(&schema.Timestamps) {
		return c, nil
	}
	m := newMeasurement()
	err := read.EachBatch(d, &schema.Timestamps, s.Source, func(b *schema.Batch) error {
		m.addAll(b)
		return nil
	})
	m.conclude(&c, float64(s.TimestampHz))
	return c, err
}

// What makes a measurement. A timestamp is exact to a tick, so that a interval of fewer
// would say little; a clock is steady if no interval differs by more than the share.
const (
	intervalTicks = 100
	steadyShare   = 0.01
)

// A measurement counts the cycles between timestamps, in intervals of one epoch.
type measurement struct {
	first, last schema.Null[uint64]
	back        bool               // a timestamp was lower than the one before
	cycle       schema.Null[int64] // of the epoch, up to the last timestamp
	epoch       uint32

	open           interval // up to the last timestamp
	all            interval // those that are long enough
	least, most    float64  // cycles a tick of a interval
	floor, ceiling float64  // the same, if its ticks are one more, and one less: the most and the least of that
}

// A interval is from one timestamp to a later one.
type interval struct{ ticks, cycles float64 }

func newMeasurement() *measurement {
	return &measurement{least: math.Inf(1), ceiling: math.Inf(1)}
}

func (m *measurement) addAll(b *schema.Batch) {
	timestamps, cycles := &b.Columns[schema.TimestampsTimestamp], &b.Columns[schema.TimestampsCycle]
	for row := range b.Rows() {
		if !timestamps.Null(row) {
			cycle := schema.Null[int64]{V: int64(cycles.U64[row]), OK: !cycles.Null(row)}
			m.add(timestamps.U64[row], cycle, schema.TimestampsEpoch.At(b, row))
		}
	}
}

// add adds a timestamp, and the cycles of its epoch up to it.
func (m *measurement) add(timestamp uint64, cycle schema.Null[int64], epoch uint32) {
	ticks := float64(timestamp) - float64(m.last.V)
	m.back = m.back || m.last.OK && ticks < 0
	if m.cycle.OK && cycle.OK && epoch == m.epoch && ticks >= 0 && cycle.V >= m.cycle.V {
		m.open.ticks += ticks
		m.open.cycles += float64(cycle.V - m.cycle.V)
		if m.open.ticks >= intervalTicks {
			m.end()
		}
	} else {
		m.open = interval{}
	}
	if !m.first.OK {
		m.first = schema.Of(timestamp)
	}
	m.last, m.cycle, m.epoch = schema.Of(timestamp), cycle, epoch
}

// end ends a interval. Its ticks are right to one.
func (m *measurement) end() {
	s := m.open
	m.all.ticks += s.ticks
	m.all.cycles += s.cycles
	m.least, m.most = min(m.least, s.cycles/s.ticks), max(m.most, s.cycles/s.ticks)
	m.floor, m.ceiling = max(m.floor, s.cycles/(s.ticks+1)), min(m.ceiling, s.cycles/(s.ticks-1))
	m.open = interval{}
}

// conclude says what was measured, with timestamps of a frequency.
func (m *measurement) conclude(c *Rate, hz float64) {
	if m.first.OK && !m.back {
		c.Elapsed = float64(m.last.V-m.first.V) / hz
	}
	if m.all.cycles == 0 {
		return
	}
	rate := m.all.cycles / m.all.ticks
	c.Measured, c.Least, c.Most = true, m.least*hz, m.most*hz
	if m.floor <= rate*(1+steadyShare) && m.ceiling >= rate*(1-steadyShare) {
		c.Hz = rate * hz
	}
}
