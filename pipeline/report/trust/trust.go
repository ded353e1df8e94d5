// Package trust says how far figures can be trusted, with the figures that the verdict rests on.
//
// Its API is not stable (docs/guide/library.md).
package trust

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A Summary is how far the figures can be trusted.
type Summary struct {
	verdict.Verdict
	Doubts   []Doubt // that another program ran
	Datasets []Dataset

	Bytes, Decoded, Lost, Unplaced int64 // of the sources that have a decoder
	// of those lost: before the first synchronisation, and the packet that the end cuts off
	Ends               int64
	Unsynced           int64 // of those: before the first synchronisation
	Undecoded          int64 // bytes of the other sources
	Instructions, Gaps int64
	GapsAtEnds         int64 // of those: next to the first or the last instruction
	Cycles             Cycles
	InOther            int64 // instructions in (other), which call paths beyond the limit are in
	Checks, Agrees     int64 // branch addresses and periodic synchronisations compared with the program
	// addresses executed in sections of program files that are not program memory themselves; those with the opcode
	// that is there
	Distinct, Matching  int64
	Outside             []Outside
	Conditions, Unknown int64 // predicated instructions reached; those whose outcome was unknown at least once
	HasProgram          bool  // there are program files
	Named               bool  // and they have functions
}

// A Dataset is one of those merged.
type Dataset struct {
	Dir, Test string         // Test is its label, "" if it has none
	Created   string         // RFC 3339
	Window    *schema.Window // nil: it is of the whole capture
	Manifest  *schema.Manifest
	Sources   []schema.SourceTotals
	Files     []ProgramFile
	verdict   verdict.Verdict // without what ran outside of the program, which only all show
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
		Window: d.Manifest.Window, Manifest: &d.Manifest, Sources: d.Manifest.Sources,
	}
	f := verdict.Facts{
		Sources: d.Manifest.Sources, PacketsOnly: !d.Has(&schema.Counts), NoMemory: verdict.NoMemory(&d.Manifest),
	}
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		t.AddSource(s)
		t.doubt(d.Dir, s)
	}
	files := read.Index[ProgramFile]{} // where they are in x.Files, by what names them
	for _, i := range d.Manifest.Images {
		if read.IsSymbols(i) {
			x.addSection(files, &i, executed)
		}
	}
	for _, file := range x.Files {
		if !isMemory(&d.Manifest, file.SHA256) {
			t.Distinct += file.Executed
			t.Matching += file.Matching
		}
		m := verdict.Match{Ran: file.Executed, Equal: file.Matching}
		if f.Files = append(f.Files, m); m.Differs() {
			t.Doubts = append(t.Doubts, Doubt{d.Dir, file.File, file.Matching, file.Executed, verdict.LeastMatch, true})
		}
	}
	x.verdict = verdict.Judge(&f)
	t.HasProgram = t.HasProgram || len(x.Files) > 0
	t.Datasets = append(t.Datasets, x)
	return nil
}

// isMemory reports whether a file is program memory: what was executed was read from it, and is equal to it.
func isMemory(m *schema.Manifest, sha256 string) bool {
	return slices.ContainsFunc(m.Images,
		func(r schema.ImageRegion) bool { return !read.IsSymbols(r) && r.SHA256 == sha256 })
}

// AddSource adds the figures of a source.
func (t *Summary) AddSource(s *schema.SourceTotals) {
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
	t.GapsAtEnds += s.Ends.Gaps
	t.Ends += s.Ends.Unsynced + s.Ends.Truncated
	t.Unsynced += s.Ends.Unsynced
	agrees, checks := s.Agreement.Checks()
	t.Checks += checks
	t.Agrees += agrees
}

// doubt adds that another program ran than a source was decoded with, if so.
func (t *Summary) doubt(dir string, s *schema.SourceTotals) {
	if agrees, checks := s.Agreement.Checks(); verdict.Disagrees(agrees, checks) {
		t.Doubts = append(t.Doubts, Doubt{
			Dir: dir, What: "source " + schema.SourceText(s.Source), Agrees: agrees, Of: checks,
			Least: verdict.LeastAgreement,
		})
	}
}

// addSection adds an executable section to its program file. What executed in it and
// matches is not in the manifest, but follows from the share.
func (d *Dataset) addSection(files read.Index[ProgramFile], i *schema.ImageRegion,
	executed map[string][]schema.Address,
) {
	file := ProgramFile{File: i.File, SHA256: i.SHA256, CodeSHA256: i.CodeSHA256, Core: i.Core}
	f, isNew := files.Of(file)
	if isNew {
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
	to, _ := slices.BinarySearch(addresses, first+schema.Address(bytes))
	return max(0, int64(to-from))
}

// Conclude works out the verdict.
func (t *Summary) Conclude() {
	var all []verdict.Verdict
	for i := range t.Datasets {
		all = append(all, t.Datasets[i].verdict)
	}
	if t.HasProgram {
		all = append(all, verdict.Beyond(int64(len(t.Outside))))
	}
	t.Verdict = verdict.Merge(all)
}
