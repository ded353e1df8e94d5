package pipeline

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/port"
)

// This file is the ways to decode a scenario of samples that may not make a
// difference.

func (r *trial) runSamples() {
	r.counted()
	r.same("one sample at a time, three workers", r.decode(r.samplesFrom(0, 1, true), false, 3), r.whole)
	for _, samples := range []int{1 << 10, 64, 13, 5, 3, 2, 1} {
		g := engine.Grain{Unit: 1, Part: samples * r.s.Unit, Chunk: 64}
		set := decodeGrains(r.T, r.samplesFrom(0, 3, true), r.protocol, r.memory, false, 2, g)
		r.same(fmt.Sprintf("in parts of %d samples", samples), set, r.whole)
	}
	if testing.Short() { // the rest is for one worker
		return
	}
	r.wanted()
	r.unwanted()
	r.accountedSamples()
	r.withoutDroppable()
	r.fromEachCut()
	r.samplesAsBlocks()
}

// accountedSamples demands that every sample is decoded or lost, once.
func (r *trial) accountedSamples() {
	total, n := &r.whole.totals, int64(len(r.s.Packets))
	if total.Bytes != n || total.BytesDecoded+total.BytesLost != n {
		r.Errorf("%s: of %d samples %d are decoded and %d lost", r.s.Name, n, total.BytesDecoded, total.BytesLost)
	}
	lost := int64(0)
	for _, row := range r.whole.rows["losses"] {
		lost += int64(number(row["bytes"]))
	}
	if lost != total.BytesLost {
		r.Errorf("%s: the losses are of %d samples, want %d", r.s.Name, lost, total.BytesLost)
	}
}

// timeless are the tables whose rows do not say how many samples there are.
var timeless = []string{"instructions", "exceptions", "data_accesses", "contexts", "events", "cycle_counts"}

// withoutDroppable demands the same rows of a capture without the samples that a
// device may leave out, but for offsets (docs/etmv2.md §3.1).
func (r *trial) withoutDroppable() {
	set := r.decode(r.samplesFrom(0, 1<<20, false), false, 1)
	for _, table := range timeless {
		r.sameBut("without droppable samples", table, set.rows[table], r.whole.rows[table], "byte_offset", "segment")
	}
}

// sameBut compares rows but for some columns.
func (r *trial) sameBut(way, table string, got, want []map[string]string, columns ...string) {
	if len(got) != len(want) {
		r.Errorf("%s: %s: %s has %d rows, want %d", r.s.Name, way, table, len(got), len(want))
		return
	}
	for i := range got {
		g, w := maps.Clone(got[i]), maps.Clone(want[i])
		for _, c := range columns {
			delete(g, c)
			delete(w, c)
		}
		if !maps.Equal(g, w) {
			r.Errorf("%s: %s: %s row %d\n got %v\nwant %v", r.s.Name, way, table, i, g, w)
		}
	}
}

// fromEachCut decodes from each cut on, with the samples before it that the cut needs,
// and demands the instructions that the whole has there.
func (r *trial) fromEachCut() {
	for _, row := range r.whole.rows["segments"] {
		if row["decode_from"] != row["segment"] {
			continue
		}
		cut := number(row["byte_offset"])
		way := fmt.Sprintf("from the cut at sample %d on", cut)
		for _, from := range []int{cut, max(0, cut-3)} {
			set := r.decode(r.samplesFrom(from, 1<<20, true), false, 1)
			if !slices.ContainsFunc(set.rows["segments"], func(s map[string]string) bool { return s["byte_offset"] == row["byte_offset"] }) {
				continue // its branch is missing
			}
			here := func(row map[string]string) bool { return number(row["byte_offset"]) < cut }
			for _, table := range []string{"instructions", "exceptions"} {
				got := slices.DeleteFunc(set.rows[table], here)
				want := slices.DeleteFunc(slices.Clone(r.whole.rows[table]), here)
				r.sameBut(way, table, got, want, "seq", "segment", "epoch", "cycle", "cycles", "context_id", "ordinal")
			}
			break
		}
	}
}

// samplesAsBlocks checks that the rows of the level `blocks` expand to the same
// instructions, but for their offsets.
func (r *trial) samplesAsBlocks() {
	set := r.decode(r.samplesFrom(0, 1<<20, true), true, 1)
	r.sameBut("as blocks", "instructions", expand(set), r.whole.rows["instructions"], "byte_offset")
}

// samplesFrom is the stream from a sample on in pieces of so many samples, perhaps
// without those that a capture device may leave out.
func (r *trial) samplesFrom(first, size int, droppable bool) decode.Stream {
	s := &packedSamples{size: size}
	for i, p := range r.s.Packets[first:] {
		if !droppable && port.At(p.Bytes).Droppable() && !p.Break {
			continue
		}
		s.packets, s.numbers = append(s.packets, p), append(s.numbers, first+i)
	}
	return s
}

// packedSamples is a stream of samples, whose offsets are their numbers.
type packedSamples struct {
	packets []decodetest.Packet
	numbers []int
	size    int
}

// Next implements [decode.Stream].
func (s *packedSamples) Next(p *decode.Piece) (before decode.Break, err error) {
	if len(s.packets) == 0 {
		return decode.NoBreak, io.EOF
	}
	if s.packets[0].Break && s.numbers[0] > 0 {
		before = decode.Broken
	}
	for n := 0; n < s.size && len(s.packets) > 0 && (n == 0 || !s.packets[0].Break); n++ {
		p.Data = append(p.Data, s.packets[0].Bytes...)
		p.Offsets.Append(decode.CaptureOffset(s.numbers[0]), 1)
		s.packets, s.numbers = s.packets[1:], s.numbers[1:]
	}
	return before, nil
}
