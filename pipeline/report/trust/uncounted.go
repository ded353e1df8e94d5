package trust

import (
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// ReadUncounted returns how far datasets of packets alone can be trusted: no figure is known of
// them. It is nil if any dataset has counts, which [Read] reads.
func ReadUncounted(dirs []string, test string) (*Summary, error) {
	open, err := read.OpenAny(dirs, test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	t := &Summary{}
	for _, d := range open {
		if d.Has(&schema.Counts) {
			return nil, nil
		}
		if err := t.Add(d, nil, schema.Null[int64]{}); err != nil {
			return nil, err
		}
	}
	t.Instructions = 0 // the manifest may have a number, but no table has what ran
	t.Conclude()
	return t, nil
}
