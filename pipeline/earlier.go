package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An earlier is the dataset that an export is to replace, of the same capture with other
// program memory. What that has no part in is taken from it:
//
//   - of a source whose decoder looked at no page that changed, all tables; it is not decoded;
//   - of any other source, the row groups before the first look at such a page: what is decoded
//     depends on the trace, and on the bytes that were looked at.
//
// Counts, edges and stacks are of all of a source, and rows after that page have other ordinals:
// these are made again.
type earlier struct {
	dataset *dataset.Dataset
	tool    schema.Tool
	options *schema.Options
	// capture has the memory that there was; nil: only its regions are known.
	capture *capture.Capture
}

// newEarlier returns what the record has of use for an export; nil: nothing. The caller closes it
// before the record.
func newEarlier(r *Record) *earlier {
	m := &r.Dataset.Manifest
	x := &earlier{dataset: r.Dataset, tool: m.Tool, options: r.recorded()}
	if r.archive == nil {
		return x
	}
	opt, missing := r.archive.Apply(capture.Options{})
	if len(missing) > 0 {
		return x
	}
	if c, err := capture.Open(r.archive.Dir, protocols(), opt); err == nil { // else regions have to do
		x.capture = c
	}
	return x
}

func (x *earlier) close() {
	if x != nil && x.capture != nil {
		x.capture.Close()
	}
}

// changed returns the pages of memory that are not as they were for a source.
func (x *earlier) changed(s *sourcePlan, now []image.Region) *image.Pages {
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
			pages.Add(r.Address, r.Address+uint32(r.Bytes-1))
		}
	}
	then = slices.DeleteFunc(slices.Clone(then), func(r schema.ImageRegion) bool { return r.Role == schema.RoleSymbols.String() })
	for i := range now {
		r := imageRegion(&now[i])
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
	return a.SHA256 == b.SHA256 && a.Address == b.Address && a.Bytes == b.Bytes && a.Space == b.Space && a.Core == b.Core
}

// earlierTotals returns what there was of a source, nil if it was decoded otherwise.
func (e *exporter) earlierTotals(s *sourcePlan) *schema.SourceTotals {
	x := e.opt.earlier
	if x == nil || e.window != nil || x.tool != e.opt.Tool || s.status != schema.StatusDecoded {
		return nil
	}
	now := e.sourceTotals(s)
	for i := range x.dataset.Manifest.Sources {
		t := &x.dataset.Manifest.Sources[i]
		if t.Source == s.ID && t.Name == now.Name && t.Protocol == now.Protocol && t.Version == now.Version && t.Core == now.Core &&
			t.Buffer == now.Buffer && t.Status == now.Status && t.Problem == now.Problem && t.Unit == now.Unit &&
			t.TimestampHz == now.TimestampHz && t.CycleHz == now.CycleHz && maps.Equal(t.Registers, now.Registers) {
			return t
		}
	}
	return nil
}

// takeOver takes over all tables of a source as they are, if its decoder would look at
// nothing that changed; else it says that it did not.
func (e *exporter) takeOver(ctx context.Context, s *sourcePlan) (done bool, err error) {
	t := e.earlierTotals(s)
	if t == nil || t.Pages == nil || s.layout != nil || e.noted(s) || !e.sameFunctions(s) {
		return false, nil
	}
	looked, err := parsePages(t.Pages)
	if err != nil || looked.Meets(e.opt.earlier.changed(s, e.capture.Regions)) {
		return false, nil //nolint:nilerr // a manifest that says so is of no use, and no fault of the capture
	}
	tables, ok := e.openTables(s)
	if !ok {
		return false, nil
	}
	x, ok, err := e.executedBefore(s)
	if err != nil || !ok {
		return false, err
	}
	for _, table := range schema.Tables() {
		if groups := tables[table]; groups != nil {
			if err := e.copyTable(ctx, table, s.ID, groups); err != nil {
				return false, err
			}
		}
	}
	s.before, s.outcome.Totals, s.callsLeftOut = t, t.Totals, t.CallsLeftOut
	e.executed = append(e.executed, x)
	return true, nil
}

// openTables opens the row groups of all tables of a source; !ok: some are not to be had, or are not as they were
// written.
func (e *exporter) openTables(s *sourcePlan) (tables map[*schema.Table]*dataset.RowGroups, ok bool) {
	tables = map[*schema.Table]*dataset.RowGroups{}
	for _, table := range schema.Tables() {
		if !table.PerSource || !e.out.Has(table) {
			continue
		}
		groups, ok := e.opt.earlier.dataset.RowGroups(table, s.ID)
		e.taken = append(e.taken, groups)
		if !ok {
			return nil, false
		}
		tables[table] = groups
	}
	return tables, true
}

// copyTable submits all row groups of a table and source as they are.
func (e *exporter) copyTable(ctx context.Context, t *schema.Table, source uint8, groups *dataset.RowGroups) error {
	series := e.out.Series(t, source)
	for i := range groups.Len() {
		read := func() (schema.Chunks, error) { return groups.Read(i) }
		if err := e.send(ctx, rows.Job{Series: series, Encoded: read}); err != nil {
			return err
		}
	}
	e.copied += groups.Len()
	return e.send(ctx, rows.Job{Series: series, End: true})
}

// closeTaken closes what was taken over.
func (e *exporter) closeTaken() {
	for _, g := range e.taken {
		_ = g.Close() // nothing was written to it
	}
}

// noted says whether the dataset says of a source what only decoding it shows.
func (e *exporter) noted(s *sourcePlan) bool {
	return slices.ContainsFunc(e.opt.earlier.dataset.Manifest.Notes, func(note string) bool {
		return strings.HasPrefix(note, "source "+s.Name+" ") || strings.HasPrefix(note, "source "+s.Name+":")
	})
}

// sameFunctions says whether the functions of a source, by which stacks are rebuilt, are those
// that there were: its program files are, or the earlier ones are at hand and have the same.
func (e *exporter) sameFunctions(s *sourcePlan) bool {
	of := func(o *schema.Options) []schema.Argument {
		return slices.DeleteFunc(slices.Concat(o.ELFs, o.Symbols), func(a schema.Argument) bool {
			core, named := strings.CutSuffix(a.Before, "=")
			return named && core != s.Core
		})
	}
	x := e.opt.earlier
	if slices.Equal(of(x.options), of(e.recorded(&e.opt))) {
		return true
	}
	if x.capture == nil {
		return false
	}
	then, err := readPrograms(x.capture, func(string, ...any) {})
	return err == nil && slices.Equal(code.Functions(then, s.Core), code.Functions(e.programs, s.Core))
}

// executedBefore returns what a source executed, and notes the Context IDs of its tasks; !ok: that
// cannot be said.
func (e *exporter) executedBefore(s *sourcePlan) (x code.Executed, ok bool, err error) {
	x.Core = s.Core
	before := e.opt.earlier.dataset
	err = eachBatch(before, &schema.Counts, s.ID, func(b *schema.Batch) error {
		for row := range b.Rows() {
			in, same := instructionAt(s.Memory, schema.CountsAddress.At(b, row), schema.ISA(schema.CountsISA.At(b, row)))
			if !same {
				return errAmbiguous
			}
			x.Instructions = append(x.Instructions, in)
		}
		return nil
	})
	if errors.Is(err, errAmbiguous) {
		return x, false, nil
	}
	if err != nil || !before.Has(&schema.Tasks) {
		return x, err == nil, err
	}
	err = eachBatch(before, &schema.Tasks, s.ID, func(b *schema.Batch) error {
		for row := range b.Rows() {
			if !b.Columns[schema.TasksContextID].Null(row) {
				e.named[schema.TasksContextID.At(b, row)] = true
			}
		}
		return nil
	})
	return x, err == nil, err
}

// errAmbiguous says that memory spaces have different code at an address.
var errAmbiguous = errors.New("different code in two spaces")

// instructionAt returns the instruction at an address; !ok: there is none, or spaces differ.
func instructionAt(m *image.Memory, address uint32, set schema.ISA) (in code.Instruction, ok bool) {
	for _, space := range []image.Space{image.AnySpace, image.SecureSpace, image.NonSecureSpace, image.HypSpace} {
		var b []byte
		for len(b) < 4 {
			more := m.Fetch(space, address+uint32(len(b)))
			if more == nil {
				break
			}
			b = append(b, more[:min(len(more), 4-len(b))]...)
		}
		if len(b) < 2 {
			continue
		}
		x := code.Instruction{Address: address, ISA: set}
		decoded := decodeAt(append(b, 0, 0)[:4], address, set)
		x.Size, x.Opcode = decoded.Size, decoded.Opcode
		if ok && x != in {
			return in, false
		}
		in, ok = x, true
	}
	return in, ok
}

// decodeAt decodes the instruction that begins with four bytes.
func decodeAt(b []byte, address uint32, set schema.ISA) isa.Instruction {
	lo, hi := uint16(b[0])|uint16(b[1])<<8, uint16(b[2])|uint16(b[3])<<8
	switch {
	case set == schema.A32:
		return isa.A32(uint32(hi)<<16|uint32(lo), address)
	case !isa.Is32Bit(lo):
		hi = 0
	}
	return isa.T32(lo, hi, address, set == schema.T32EE)
}

// eachBatch calls do with the rows of a table and source.
func eachBatch(d *dataset.Dataset, t *schema.Table, source uint8, do func(*schema.Batch) error) error {
	r := d.Open(t, source)
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(b)
		}
		if err != nil {
			return err
		}
	}
}

// A prefix is what there is of a source up to the first look at a page that changed.
type prefix struct {
	of      *exporter
	source  *sourcePlan
	changed *image.Pages
	groups  map[*dataset.Series]*dataset.RowGroups
	next    map[*dataset.Series]int
	over    bool
}

// newPrefix returns that of a source which is about to be decoded, nil if there is none.
func (e *exporter) newPrefix(s *sourcePlan) *prefix {
	if e.earlierTotals(s) == nil {
		return nil
	}
	return &prefix{
		of: e, source: s, changed: e.opt.earlier.changed(s, e.capture.Regions),
		groups: map[*dataset.Series]*dataset.RowGroups{}, next: map[*dataset.Series]int{},
	}
}

// take returns how to read the next row group of a series, nil if it is to be encoded.
// No worker has decoded anything of a page that changed when it is called the last time
// with a result: so neither has the row group, whose units were decoded before.
func (p *prefix) take(s *dataset.Series) func() (schema.Chunks, error) {
	if p == nil || p.over || slices.Contains(schema.Answers(), s.Table) {
		return nil
	}
	if p.over = p.source.looked.Meets(p.changed); p.over {
		return nil
	}
	groups, known := p.groups[s]
	if !known {
		groups, _ = p.of.opt.earlier.dataset.RowGroups(s.Table, p.source.ID)
		p.groups[s] = groups
		p.of.taken = append(p.of.taken, groups)
	}
	n := p.next[s]
	p.next[s]++
	if n >= groups.Len() {
		return nil
	}
	p.of.copied++
	return func() (schema.Chunks, error) { return groups.Read(n) }
}

// maxPageRanges is how many ranges of pages a manifest names: a decoder that looked in more
// places had no program to follow.
const maxPageRanges = 4096

// pagesText returns what a manifest says of pages, nil if they are in too many places.
func pagesText(p *image.Pages) []string {
	ranges := p.Ranges()
	if len(ranges) > maxPageRanges {
		return nil
	}
	texts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		texts = append(texts, fmt.Sprintf("0x%08x-0x%08x", r.First, r.Last))
	}
	return texts
}

// parsePages is the inverse of pagesText.
func parsePages(texts []string) (*image.Pages, error) {
	if len(texts) > maxPageRanges {
		return nil, fmt.Errorf("%d ranges of pages", len(texts))
	}
	p := &image.Pages{}
	for _, text := range texts {
		var r image.PageRange
		if _, err := fmt.Sscanf(text, "0x%08x-0x%08x", &r.First, &r.Last); err != nil || r.First > r.Last {
			return nil, fmt.Errorf("%q is no range of pages", text)
		}
		p.Add(r.First, r.Last)
	}
	return p, nil
}
