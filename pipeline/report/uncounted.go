package report

import (
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// ReadUncounted returns how far datasets of packets alone can be trusted: no figure is known of
// them. It is nil if any dataset has counts, which [Read] reads.
func ReadUncounted(dirs []string, test string) (*Trust, error) {
	open, err := read.OpenAny(dirs, test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	t := &Trust{}
	for _, d := range open {
		if d.Has(&schema.Counts) {
			return nil, nil
		}
		if err := t.add(d, nil); err != nil {
			return nil, err
		}
	}
	t.Instructions = 0 // the manifest may have a number, but no table has what ran
	t.Verdict = t.verdict()
	return t, nil
}

// ReadEntries returns the exceptions of datasets that do not say how long they took: only how
// often each was entered.
func ReadEntries(dirs []string, test string) (*Exceptions, error) {
	open, err := read.OpenAny(dirs, test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	x, index := &Exceptions{}, map[exceptionKey]int{}
	for _, d := range open {
		for i := range d.Manifest.Sources {
			if err := x.readEntries(d, &d.Manifest.Sources[i], index); err != nil {
				return nil, err
			}
		}
	}
	x.conclude()
	return x, nil
}

// readEntries adds the exceptions that a source entered.
func (x *Exceptions) readEntries(d *dataset.Dataset, s *schema.SourceTotals, index map[exceptionKey]int) error {
	return read.EachBatch(d, &schema.Exceptions, s.Source, func(b *schema.Batch) error {
		kinds := map[int64]exceptionKey{}
		readKinds(b, s.Core, kinds)
		for _, key := range kinds {
			x.row(key, index).Entries++
			x.Entries++
		}
		return nil
	})
}
