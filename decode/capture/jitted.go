package capture

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/decode/image/files"
	"github.com/tracelake/tracelake/decode/process"
)

// addJitted adds the code of the jitdumps that processes map to the events of a recording. Jitdumps
// that are not found are among the missing files.
func (r *recording) addJitted(finder *files.Finder, events []process.Event) ([]process.Event, error) {
	seen := map[process.File]bool{}
	for _, e := range events {
		if e.Kind != process.Mapped || seen[e.Map.File] {
			continue
		}
		dump, err := finder.Jitdump(&e.Map)
		if dump == nil {
			if err := notMissing(err); err != nil {
				return nil, err
			}
			continue
		}
		seen[e.Map.File] = true
		if dump.Cut > 0 {
			r.add("%s: the record at offset %d is not whole; code that was made from then on is not known",
				files.Shown(e.Map.File.Name), dump.Cut)
		}
		events = append(events, files.JitEvents(dump, e.Map.File, e.PID)...)
	}
	slices.SortStableFunc(events, func(a, b process.Event) int { return cmp.Compare(a.Time, b.Time) })
	return events, nil
}
