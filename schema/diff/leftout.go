package diff

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// LeftOut is what the dataset may have and the truth does not, so that it was not
// compared: the truth of a capture that was made has no program file, and no decoder agreed with it.
type LeftOut struct {
	Tables  []string         // in the order of the schema
	Columns []OmittedColumns // likewise
	// Images says that the dataset has images that are of a program file, and not
	// memory.
	Images bool
	// Offsets says that byte_offset of `instructions` was left out: those of the dataset
	// are made of blocks, which have the offset of the first of their samples alone.
	Offsets bool
	// Unknown are tables that this program does not know.
	Unknown []string
}

// OmittedColumns are columns of a table.
type OmittedColumns struct {
	Table   string
	Columns []string
}

// names are the columns that are never compared: names that the capture gives to
// things, and hashes of files. The ordinals of functions follow from their order. See
// docs/decisions.md.
func names(t *schema.Table) []int {
	switch t {
	case &schema.Sources:
		return []int{int(schema.SourcesName), int(schema.SourcesCore), int(schema.SourcesBuffer)}
	case &schema.Images:
		return []int{int(schema.ImagesFile), int(schema.ImagesSHA256), int(schema.ImagesBuildID), int(schema.ImagesCore)}
	case &schema.Functions:
		return []int{int(schema.FunctionsFunction)}
	}
	return nil
}

// ofAgreement are the columns of `sources` that say how far trace and program agree.
var ofAgreement = []int{
	int(schema.SourcesBranchChecks), int(schema.SourcesBranchAgrees),
	int(schema.SourcesISyncChecks), int(schema.SourcesISyncAgrees), int(schema.SourcesAgreement),
}

// ofStart are the columns of `segments` that say what decoding needs to begin there.
var ofStart = []int{
	int(schema.SegmentsStreamOffset), int(schema.SegmentsEpoch), int(schema.SegmentsCycle), int(schema.SegmentsOrdinal),
	int(schema.SegmentsTimestamp), int(schema.SegmentsContextID), int(schema.SegmentsVMID), int(schema.SegmentsSecurity),
	int(schema.SegmentsExceptionLevel), int(schema.SegmentsCarried), int(schema.SegmentsDecodeFrom),
}

// An omission is what is not compared, since the truth does not have it.
type omission struct {
	tables  []*schema.Table
	columns map[*schema.Table][]int
	symbols bool // images of program files
	offsets bool // byte_offset of instructions
	unknown []string
}

func newOmission(d, truth *dataset.Dataset) (*omission, error) {
	o := &omission{columns: map[*schema.Table][]int{}, unknown: slices.Concat(d.Unknown, truth.Unknown)}
	for _, t := range schema.Tables() {
		if !truth.Has(t) {
			if d.Has(t) && t.Level == schema.AnyLevel { // of levels, one is compared as the other
				o.tables = append(o.tables, t)
			}
		}
	}
	o.offsets = truth.Has(&schema.Instructions) && !d.Has(&schema.Instructions) &&
		slices.ContainsFunc(d.Manifest.Sources, ofSamples)
	if agrees(d) && !agrees(truth) && truth.Has(&schema.Sources) {
		o.columns[&schema.Sources] = union(o.columns[&schema.Sources], ofAgreement)
	}
	numbered := truth.Has(&schema.Stacks) && truth.Has(&schema.Counts) // else nodes have other numbers, or none
	if d.Has(&schema.Stacks) && !numbered && truth.Has(&schema.Segments) {
		o.columns[&schema.Segments] = []int{int(schema.SegmentsStack)}
	}
	if err := o.leaveOutStarts(d, truth); err != nil {
		return nil, err
	}
	o.symbols = !truth.Has(&schema.Functions) && slices.ContainsFunc(d.Manifest.Images, func(i schema.ImageRegion) bool {
		return i.Role == schema.RoleSymbols.String()
	})
	slices.Sort(o.unknown)
	o.unknown = slices.Compact(o.unknown)
	return o, nil
}

// ofSamples says whether instructions of a source have a capture offset each, of which
// a row of `blocks` has the first.
func ofSamples(s schema.SourceTotals) bool { return s.Unit == schema.UnitSamples.String() }

// leaveOutStarts leaves out where decoding can begin, if only d says it.
func (o *omission) leaveOutStarts(d, truth *dataset.Dataset) error {
	known, err := knowsStarts(d)
	if err != nil || !known || !truth.Has(&schema.Segments) {
		return err
	}
	if known, err = knowsStarts(truth); err == nil && !known {
		o.columns[&schema.Segments] = union(o.columns[&schema.Segments], ofStart)
	}
	return err
}

// knowsStarts says whether segments have what decoding needs to begin there, as far as
// there are any.
func knowsStarts(d *dataset.Dataset) (bool, error) {
	for b, err := range d.Batches(&schema.Segments) {
		return err == nil && !b.Columns[schema.SegmentsStreamOffset].Null(0), err
	}
	return true, nil
}

// agrees says whether trace and program of a source were compared.
func agrees(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Manifest.Sources, func(s schema.SourceTotals) bool { return s.Agreement != nil })
}

// compared returns the columns of a table that are compared.
func (o *omission) compared(t *schema.Table) []int {
	var columns []int
	for i := range t.Columns {
		offset := o.offsets && t == &schema.Instructions && i == int(schema.KeyByteOffset)
		if !offset && !slices.Contains(names(t), i) && !slices.Contains(o.columns[t], i) {
			columns = append(columns, i)
		}
	}
	return columns
}

// summary says in names what is left out.
func (o *omission) summary() LeftOut {
	out := LeftOut{Images: o.symbols, Offsets: o.offsets, Unknown: o.unknown}
	for _, t := range schema.Tables() {
		if slices.Contains(o.tables, t) {
			out.Tables = append(out.Tables, t.Name)
		}
		if len(o.columns[t]) == 0 {
			continue
		}
		x := OmittedColumns{Table: t.Name}
		for _, i := range o.columns[t] {
			x.Columns = append(x.Columns, t.Columns[i].Name)
		}
		out.Columns = append(out.Columns, x)
	}
	return out
}

// union returns what either list has, in order.
func union[T uint8 | int](lists ...[]T) []T {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// isOfProgram says whether a row of `images` is of a program file.
func isOfProgram(b *schema.Batch, row int) bool {
	return schema.ImageRole(schema.ImagesRole.At(b, row)) == schema.RoleSymbols
}
