// Package trust says how far figures can be trusted, and what somebody who looks at them should do first.
//
// Its API is not stable (docs/guide/library.md).
package trust

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Below these limits another program ran than the one at hand. The agreement of a
// few checks says nothing.
const (
	LeastMatch     = 0.99
	LeastAgreement = 0.90
	LeastChecks    = 20
)

// A Verdict says how far the figures can be trusted.
type Verdict uint8

// The verdicts, the best first.
const (
	Sound        Verdict = iota // what was traced was decoded, with the program that ran
	Incomplete                  // some of what ran may be missing
	Nothing                     // no instruction was decoded
	WrongProgram                // another program ran
)

func (v Verdict) String() string {
	return [...]string{"ok", "incomplete", "nothing decoded", "wrong program"}[v]
}

// A Summary is how far the figures can be trusted.
type Summary struct {
	Verdict  Verdict
	Doubts   []Doubt // that another program ran
	Datasets []Dataset

	Bytes, Decoded, Lost, Unplaced int64 // of the sources that have a decoder
	// of those lost: before the first synchronisation, and the packet that the end cuts off
	Ends               int64
	Unsynced           int64 // of those: before the first synchronisation
	Undecoded          int64 // bytes of the other sources
	Instructions, Gaps int64
	Cycles             Cycles
	InOther            int64 // instructions in (other), which call paths beyond the limit are in
	Checks, Agrees     int64 // branch packets and periodic I-syncs compared with the program
	// addresses executed in sections of program files; those with the opcode that is there
	Distinct, Matching  int64
	Outside             []Outside
	Conditions, Unknown int64 // predicated instructions reached; those whose outcome was unknown at least once
	Windows             bool  // a dataset is of part of its capture
	HasProgram          bool  // there are program files
	Named               bool  // and they have functions
}

// A Dataset is one of those merged.
type Dataset struct {
	Dir, Test string         // Test is its label, "" if it has none
	Created   string         // RFC 3339
	Window    *schema.Window // nil: it is of the whole capture
	Manifest  *schema.Manifest
	Sources   []Source
	Files     []ProgramFile
}

// A Source is one of a dataset.
type Source struct {
	*schema.SourceTotals
	Ends     int64 // as in Summary
	Unsynced int64 // likewise
}

// Unit is what Bytes, Decoded, Lost and Unplaced count, in the singular: "byte",
// "sample", or "unit" where sources differ.
func (t *Summary) Unit() string {
	bytes, samples := false, false
	for i := range t.Datasets {
		for j := range t.Datasets[i].Sources {
			s := &t.Datasets[i].Sources[j]
			decoded := s.Status == schema.SourceStatusNames[schema.StatusDecoded]
			ofSamples := s.Unit == schema.SourceUnitNames[schema.UnitSamples]
			bytes, samples = bytes || decoded && !ofSamples, samples || decoded && ofSamples
		}
	}
	switch {
	case bytes && samples:
		return "unit"
	case samples:
		return "sample"
	}
	return "byte"
}

// Checks are branch packets and periodic I-syncs that were compared with the program.
func (s *Source) Checks() (agree, of int64) {
	if a := s.Agreement; a != nil {
		return a.BranchAgrees + a.ISyncAgrees, a.BranchChecks + a.ISyncChecks
	}
	return 0, 0
}

// A ProgramFile is one that names what ran.
type ProgramFile struct {
	File, SHA256, CodeSHA256, Core string
	Executed, Matching             int64 // distinct addresses
}

// Outside is an address that was executed, but where no program file has an
// instruction.
type Outside struct {
	Core    string
	Address schema.Address
	Times   int64
}

// A Doubt is a reason to think that another program ran.
type Doubt struct {
	Dir, What     string // What is a source or program file
	Agrees, Of    int64
	Least         float64
	OfProgramFile bool // addresses whose opcodes match; else checks of a source
}

// Add adds a dataset, with the addresses it executed by core, ascending, and the cycles that
// instructions and entries of exceptions have, if known.
func (t *Summary) Add(d *dataset.Dataset, executed map[string][]schema.Address, cycles schema.Null[int64]) error {
	if err := t.Cycles.add(d, cycles); err != nil {
		return err
	}
	x := Dataset{
		Dir: d.Dir, Test: d.Manifest.Labels[read.TestLabel], Created: d.Manifest.Run.Created,
		Window: d.Manifest.Window, Manifest: &d.Manifest,
	}
	t.Windows = t.Windows || x.Window != nil
	for i := range d.Manifest.Sources {
		s := Source{SourceTotals: &d.Manifest.Sources[i]}
		if err := errors.Join(s.readEnds(d), s.readUnsynced(d)); err != nil {
			return err
		}
		x.Sources = append(x.Sources, s)
		t.addSource(d.Dir, &s)
	}
	files := map[ProgramFile]int{} // where they are in x.Files, by what names them
	for _, i := range d.Manifest.Images {
		if read.IsSymbols(i) {
			x.addSection(files, &i, executed)
		}
	}
	for _, f := range x.Files {
		t.Distinct += f.Executed
		t.Matching += f.Matching
		if float64(f.Matching) < LeastMatch*float64(f.Executed) {
			t.Doubts = append(t.Doubts, Doubt{d.Dir, f.File, f.Matching, f.Executed, LeastMatch, true})
		}
	}
	t.HasProgram = t.HasProgram || len(x.Files) > 0
	t.Datasets = append(t.Datasets, x)
	return nil
}

func (t *Summary) addSource(dir string, s *Source) {
	if s.Status != schema.SourceStatusNames[schema.StatusDecoded] {
		t.Undecoded += s.Bytes
		return
	}
	t.Bytes += s.Bytes
	t.Decoded += s.BytesDecoded
	t.Lost += s.BytesLost
	t.Unplaced += s.BytesUnplaced
	t.Instructions += s.Instructions
	t.Gaps += s.Gaps
	t.Ends += s.Ends
	t.Unsynced += s.Unsynced
	agrees, checks := s.Checks()
	t.Checks += checks
	t.Agrees += agrees
	if checks >= LeastChecks && float64(agrees) < LeastAgreement*float64(checks) {
		t.Doubts = append(t.Doubts, Doubt{
			Dir: dir, What: "source " + schema.SourceText(s.Source), Agrees: agrees, Of: checks,
			Least: LeastAgreement,
		})
	}
}

// readEnds reads what was lost at the ends of a stream. Among many losses it does not
// look for them.
func (s *Source) readEnds(d *dataset.Dataset) error {
	if s.Losses > schema.BatchRows || s.Status != schema.SourceStatusNames[schema.StatusDecoded] {
		return nil
	}
	return read.EachBatch(d, &schema.Losses, s.Source, func(b *schema.Batch) error {
		for row := range b.Rows() {
			switch schema.LossReason(schema.LossesReason.At(b, row)) {
			case schema.LossUnsynced, schema.LossTruncated:
				s.Ends += int64(schema.LossesBytes.At(b, row))
			default:
			}
		}
		return nil
	})
}

// readUnsynced reads how many bytes came before the first synchronisation.
func (s *Source) readUnsynced(d *dataset.Dataset) error {
	if s.Status != schema.SourceStatusNames[schema.StatusDecoded] || s.Losses == 0 {
		return nil
	}
	r := d.Open(&schema.Losses, s.Source)
	defer r.Close()
	b, err := r.Next() // those of the start are first
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	from, _ := d.Manifest.Seqs(s.SourceTotals)
	for row := range b.Rows() {
		if int64(schema.LossesSeq.At(b, row)) > from || schema.LossReason(schema.LossesReason.At(b,
			row)) != schema.LossUnsynced {
			break
		}
		s.Unsynced += int64(schema.LossesBytes.At(b, row))
	}
	return nil
}

// addSection adds an executable section to its program file. What executed in it and
// matches is not in the manifest, but follows from the share.
func (d *Dataset) addSection(files map[ProgramFile]int, i *schema.ImageRegion, executed map[string][]schema.Address) {
	file := ProgramFile{File: i.File, SHA256: i.SHA256, CodeSHA256: i.CodeSHA256, Core: i.Core}
	f, ok := files[file]
	if !ok {
		f = len(d.Files)
		files[file] = f
		d.Files = append(d.Files, file)
	}
	if i.Match == nil {
		return
	}
	n := int64(0)
	for core, addresses := range executed {
		if i.Core == "" || i.Core == core {
			n += within(addresses, i.Address, i.Bytes)
		}
	}
	d.Files[f].Executed += n
	d.Files[f].Matching += int64(math.Round(*i.Match * float64(n)))
}

// within counts the addresses, which ascend, from first on in so many bytes.
func within(addresses []schema.Address, first schema.Address, bytes int64) int64 {
	from, _ := slices.BinarySearch(addresses, first)
	to, _ := slices.BinarySearchFunc(addresses, int64(first)+bytes,
		func(a schema.Address, end int64) int { return cmp.Compare(int64(a), end) })
	return max(0, int64(to-from))
}

// Conclude works out the verdict.
func (t *Summary) Conclude() { t.Verdict = t.verdict() }

func (t *Summary) verdict() Verdict {
	switch {
	case len(t.Doubts) > 0:
		return WrongProgram
	case t.Instructions == 0:
		return Nothing
	case t.Windows, t.Gaps > 0, t.Lost > t.Ends, t.Unplaced > 0, len(t.Outside) > 0:
		return Incomplete
	}
	return Sound
}
