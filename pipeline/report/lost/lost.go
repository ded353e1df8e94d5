// Package lost says where and why bytes of the decoded sources were lost, and where trace stopped.
//
// Its API is not stable (docs/guide/library.md).
package lost

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Summary is where and why bytes of the decoded sources were lost, and where trace stopped.
type Summary struct {
	Reasons []Reason     // the most bytes first
	Buffers []Buffer     // in the order of datasets
	Gaps    []read.Place // the instructions that trace went on with: at most MostGaps of a source
}

// A Reason is why bytes were lost.
type Reason struct {
	Reason schema.LossReason
	Losses int64
	Bytes  int64
}

// Words say why, to follow the number of bytes: "6 bytes before the first sync".
func (r Reason) Words() string {
	switch r.Reason {
	case schema.LossUnsynced:
		return "before the first sync"
	case schema.LossSplice:
		return "at a buffer seam"
	}
	return strings.ReplaceAll(r.Reason.String(), "_", " ")
}

// A Buffer is where bytes of a trace buffer were lost.
type Buffer struct {
	Dir    string
	Name   string
	Bytes  int64
	Ranges []Range // by offset
}

// A Range is a part of a buffer in which bytes were lost. Those that are nearer to one
// another than a thousandth of the buffer are one.
type Range struct{ Offset, Bytes int64 }

// MostGaps is how many gaps of a source are named.
const MostGaps = 1000

// Read returns what was lost of datasets. Those without `losses` or `events` say nothing.
func Read(dirs []string, test string) (*Summary, error) {
	open, err := read.OpenAny(dirs, test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	l := &reader{reasons: map[schema.LossReason]*Reason{}}
	for _, d := range open {
		if err := l.read(d); err != nil {
			return nil, err
		}
	}
	for _, r := range l.reasons {
		l.Reasons = append(l.Reasons, *r)
	}
	slices.SortFunc(l.Reasons, func(x, y Reason) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Reason, y.Reason))
	})
	return &l.Summary, nil
}

// A reader reads what was lost.
type reader struct {
	Summary
	reasons map[schema.LossReason]*Reason
}

// read adds a dataset.
func (l *reader) read(d *dataset.Dataset) error {
	buffers := make([]Buffer, len(d.Manifest.Buffers))
	for i, b := range d.Manifest.Buffers {
		buffers[i] = Buffer{Dir: d.Dir, Name: b.Name, Bytes: b.Bytes}
	}
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		if s.Status != schema.SourceStatusNames[schema.StatusDecoded] {
			continue
		}
		n := slices.IndexFunc(buffers, func(b Buffer) bool { return b.Name == s.Buffer })
		var at *Buffer
		if n >= 0 {
			at = &buffers[n]
		}
		err := read.EachBatch(d, &schema.Losses, s.Source, func(b *schema.Batch) error {
			l.add(b, at)
			return nil
		})
		if err != nil {
			return err
		}
		if err := l.readGaps(d, s); err != nil {
			return err
		}
	}
	for i := range buffers {
		buffers[i].merge()
	}
	l.Buffers = append(l.Buffers, buffers...)
	return nil
}

// add adds losses in a buffer; nil: it is not known.
func (l *reader) add(b *schema.Batch, at *Buffer) {
	for row := range b.Rows() {
		reason, bytes := schema.LossReason(schema.LossesReason.At(b, row)), int64(schema.LossesBytes.At(b, row))
		r := l.reasons[reason]
		if r == nil {
			r = &Reason{Reason: reason}
			l.reasons[reason] = r
		}
		r.Losses++
		r.Bytes += bytes
		if at != nil {
			at.add(Range{int64(schema.LossesByteOffset.At(b, row)), bytes})
		}
	}
}

// add adds a range. Those of a source come by their offset: near ones are merged at once.
func (b *Buffer) add(x Range) {
	if x.Offset < 0 || x.Offset >= b.Bytes || x.Bytes <= 0 {
		return
	}
	x.Bytes = min(x.Bytes, b.Bytes-x.Offset)
	if n := len(b.Ranges); n > 0 && b.Ranges[n-1].takes(x, b.Bytes/1000) {
		return
	}
	b.Ranges = append(b.Ranges, x)
}

// takes extends s by a later range, if that is near.
func (s *Range) takes(x Range, near int64) bool {
	if x.Offset < s.Offset || x.Offset-(s.Offset+s.Bytes) > near {
		return false
	}
	s.Bytes = max(s.Bytes, x.Offset+x.Bytes-s.Offset)
	return true
}

// merge puts the ranges of all sources in order.
func (b *Buffer) merge() {
	all := b.Ranges
	slices.SortFunc(all, func(x, y Range) int { return cmp.Compare(x.Offset, y.Offset) })
	b.Ranges = nil
	for _, x := range all {
		b.add(x)
	}
}

// readGaps reads with which instructions a source went on. The first restart is its start, as far
// as the manifest does not count it.
func (l *reader) readGaps(d *dataset.Dataset, s *schema.SourceTotals) error {
	restarts, seqs := int64(0), []int64(nil)
	err := read.EachBatch(d, &schema.Events, s.Source, func(b *schema.Batch) error {
		for row := range b.Rows() {
			if schema.EventKind(schema.EventsEvent.At(b, row)).Restarts() {
				if restarts++; len(seqs) <= MostGaps {
					seqs = append(seqs, int64(schema.EventsSeq.At(b, row)))
				}
			}
		}
		return nil
	})
	if skip := restarts - s.Gaps; skip > 0 {
		seqs = seqs[min(skip, int64(len(seqs))):]
	}
	for _, seq := range seqs[:min(len(seqs), MostGaps)] {
		l.Gaps = append(l.Gaps, read.Place{Dir: d.Dir, Source: s.Source, Seq: seq})
	}
	return err
}
