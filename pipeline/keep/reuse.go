package keep

import (
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Reuse is the dataset that an export is to replace, of the same capture with other
// program memory. What that has no part in is taken from it:
//
//   - of a source whose decoder looked at no page that changed, all tables; it is not decoded;
//   - of any other source, the row groups before the first look at such a page: what is decoded
//     depends on the trace, and on the bytes that were looked at.
//
// Counts, edges and stacks are of all of a source, and rows after that page have other ordinals:
// these are made again.
type Reuse struct {
	dataset *dataset.Dataset
	tool    schema.Tool
	options *schema.Options
	// capture has the memory that there was; nil: only its regions are known.
	capture *capture.Capture
}

// newReuse returns what the record has of use for an export; nil: nothing. The caller closes it
// before the record.
func newReuse(r *Record, families []decode.Family) *Reuse {
	if r.Dataset.Manifest.SchemaVersion != schema.Version { // no row group of it is as it would be written now
		return nil
	}
	m := &r.Dataset.Manifest
	x := &Reuse{dataset: r.Dataset, tool: m.Tool, options: r.recorded()}
	if r.archive == nil {
		return x
	}
	opt, missing := r.archive.Apply(capture.Options{})
	if len(missing) > 0 {
		return x
	}
	if c, err := capture.Open(r.archive.Dir, families, opt); err == nil { // else regions have to do
		x.capture = c
	}
	return x
}

func (x *Reuse) close() {
	if x != nil && x.capture != nil {
		x.capture.Close()
	}
}

// changed returns the pages of memory that are not as they were for a source.
func (x *Reuse) changed(s *plan.Source, now []image.Region) *image.Pages {
	if x.capture != nil {
		for _, then := range append(slices.Clone(x.capture.Sources), x.capture.Template) {
			if then != nil && then.Name == s.Name && (then.ID == s.ID || then == x.capture.Template) {
				return image.Changed(then.Memory, s.Memory)
			}
		}
	}
	return changedRegions(x.dataset.Manifest.Images, now)
}

// changedRegions returns the pages of regions that are not in both of two lists, in the order
// of both.
func changedRegions(then []schema.ImageRegion, now []image.Region) *image.Pages {
	pages := &image.Pages{}
	add := func(r *schema.ImageRegion) {
		if r.Bytes > 0 {
			pages.Add(r.Address, r.Address+min(schema.Address(r.Bytes-1), schema.MaxAddress-r.Address))
		}
	}
	then = slices.DeleteFunc(slices.Clone(then),
		func(r schema.ImageRegion) bool { return r.Role == schema.RoleSymbols.String() })
	for i := range now {
		r := code.Region(&now[i])
		n := slices.IndexFunc(then, func(o schema.ImageRegion) bool { return sameRegion(&o, &r) })
		if n < 0 {
			add(&r)
			continue
		}
		for j := range then[:n] {
			add(&then[j])
		}
		then = then[n+1:]
	}
	for i := range then {
		add(&then[i])
	}
	return pages
}

// sameRegion says whether two regions have the same bytes, seen by the same.
func sameRegion(a, b *schema.ImageRegion) bool {
	return a.SHA256 == b.SHA256 && a.Address == b.Address && a.Bytes == b.Bytes && a.Space == b.Space &&
		a.Core == b.Core
}

// Now is what an export decodes with.
type Now struct {
	Tool     schema.Tool
	Options  *schema.Options // as the manifest records them
	Regions  []image.Region
	Programs []code.Program
}

// A Previous is what there was of a source that was decoded in the same way.
type Previous struct {
	Totals *schema.SourceTotals
	// Copied is how many row groups are taken as they are.
	Copied int

	of      *Reuse
	now     *Now
	source  *plan.Source
	changed *image.Pages // of memory
	groups  map[*dataset.Series]*dataset.RowGroups
	next    map[*dataset.Series]int
	over    bool
	taken   []*dataset.RowGroups
}

// Source returns what there was of a source, of which a manifest says the same but for what was counted;
// nil: nothing. Where processes see other memory at the same addresses, pages do not say what changed.
func (x *Reuse) Source(s *plan.Source, totals *schema.SourceTotals, now *Now) *Previous {
	if x == nil || x.tool != now.Tool || s.Status != schema.StatusDecoded || s.Memory.HasProcesses() {
		return nil
	}
	for i := range x.dataset.Manifest.Sources {
		if t := &x.dataset.Manifest.Sources[i]; sameSource(t, totals) {
			return &Previous{
				Totals: t, of: x, now: now, source: s, changed: x.changed(s, now.Regions),
				groups: map[*dataset.Series]*dataset.RowGroups{}, next: map[*dataset.Series]int{},
			}
		}
	}
	return nil
}

// sameSource says whether two rows are of one source, decoded in the same way.
func sameSource(a, b *schema.SourceTotals) bool {
	return a.Source == b.Source && a.Name == b.Name && a.Protocol == b.Protocol && a.Version == b.Version &&
		a.Core == b.Core &&
		a.Buffer == b.Buffer && a.Status == b.Status && a.Problem == b.Problem && a.Unit == b.Unit &&
		a.TimestampHz == b.TimestampHz && a.CycleHz == b.CycleHz && maps.Equal(a.Registers, b.Registers)
}

// Whole returns the row groups of all tables of the source, if its decoder would look at nothing that
// changed; !ok: the source has to be decoded. has says which tables there are.
func (p *Previous) Whole(has func(*schema.Table) bool) (tables map[*schema.Table]*dataset.RowGroups, ok bool) {
	if p == nil || p.Totals.Pages == nil || p.source.Layout != nil || p.noted() || !p.sameFunctions() {
		return nil, false
	}
	looked, err := ParsePages(p.Totals.Pages)
	if err != nil || looked.Meets(p.changed) {
		return nil, false // a manifest that says so is of no use, and no fault of the capture
	}
	tables = map[*schema.Table]*dataset.RowGroups{}
	for _, table := range schema.Tables() {
		if !table.PerSource || !has(table) {
			continue
		}
		groups, ok := p.of.dataset.RowGroups(table, p.source.ID)
		p.taken = append(p.taken, groups)
		if !ok {
			return nil, false
		}
		tables[table] = groups
	}
	return tables, true
}

// Close closes what was taken.
func (p *Previous) Close() {
	if p == nil {
		return
	}
	for _, g := range p.taken {
		_ = g.Close() // nothing was written to it
	}
}

// noted says whether the dataset says of the source what only decoding it shows.
func (p *Previous) noted() bool {
	return slices.ContainsFunc(p.of.dataset.Manifest.Notes, func(note string) bool {
		return strings.HasPrefix(note, "source "+p.source.Name+" ") ||
			strings.HasPrefix(note, "source "+p.source.Name+":")
	})
}

// sameFunctions says whether the functions of the source, by which stacks are rebuilt, are those
// that there were: its program files are, or the earlier ones are at hand and have the same.
func (p *Previous) sameFunctions() bool {
	core := p.source.Core
	of := func(o *schema.Options) []schema.Argument {
		return slices.DeleteFunc(slices.Concat(o.ELFs, o.Symbols), func(a schema.Argument) bool {
			other, named := strings.CutSuffix(a.Before, "=")
			return named && other != core
		})
	}
	if slices.Equal(of(p.of.options), of(p.now.Options)) {
		return true
	}
	if p.of.capture == nil {
		return false
	}
	anyDialect := func(string) isa.Dialect { return isa.PFT } // functions are the same in all
	then, _, err := code.Read(p.of.capture, anyDialect)
	return err == nil && slices.Equal(code.Functions(then, core), code.Functions(p.now.Programs, core))
}

// Take returns how to read the next row group of a series, nil if it is to be encoded.
// looked are the pages at which decoders of the source have looked so far.
// No worker has decoded anything of a page that changed when it is called the last time
// with a result: so neither has the row group, whose units were decoded before.
func (p *Previous) Take(s *dataset.Series, looked *image.Pages) func() (schema.Chunks, error) {
	if p == nil || p.over || s.Table == &schema.Segments || slices.Contains(schema.Answers(), s.Table) {
		return nil // what names stacks may change from the start on
	}
	if p.over = looked.Meets(p.changed); p.over {
		return nil
	}
	groups, known := p.groups[s]
	if !known {
		groups, _ = p.of.dataset.RowGroups(s.Table, p.source.ID)
		p.groups[s] = groups
		p.taken = append(p.taken, groups)
	}
	n := p.next[s]
	p.next[s]++
	if n >= groups.Len() {
		return nil
	}
	p.Copied++
	return func() (schema.Chunks, error) { return groups.Read(n) }
}
