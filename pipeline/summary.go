package pipeline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// A Summary is the result of an export, for people to read.
type Summary struct {
	Sources []SourceSummary
	Totals  schema.Totals
	Tables  map[string]schema.Files
	Notes   []string
	// Copied is how many row groups were not encoded, since those of the dataset that is
	// replaced are the same.
	Copied int
	// PacketsOnly reports that no program was asked for.
	PacketsOnly bool
}

// A SourceSummary is the result of decoding a source.
type SourceSummary struct {
	schema.SourceTotals
	Verdict *verdict.Verdict // nil of a source that was not decoded
	// Kept says that redecode did not decode it: it is as it was.
	Kept bool
	Missing
	Agreements
}

func (e *exporter) summary(m *schema.Manifest) *Summary {
	s := &Summary{Totals: m.Totals, Tables: m.Tables, Notes: m.Notes, PacketsOnly: e.opt.PacketsOnly, Copied: e.copied}
	for i, totals := range m.Sources {
		src := e.plan.sources[i]
		o := &src.outcome
		s.Sources = append(s.Sources, SourceSummary{totals, src.verdict, src.before != nil, missingMemory(&o.Missing), src.agreements()})
	}
	return s
}

// A NothingError says that nothing was decoded, and the likely causes, the worst
// first.
type NothingError struct {
	Causes []string
	// Missing is the memory that was needed, by source.
	Missing []SourceMissing
}

// A SourceMissing is the memory that a source needs and that is missing.
type SourceMissing struct {
	Source uint8
	Missing
}

func (e *NothingError) Error() string {
	if len(e.Causes) == 0 {
		return "nothing was decoded"
	}
	return "nothing was decoded: " + strings.Join(e.Causes, "; ")
}

// errIfEmpty fails with a [*NothingError] if no instruction and no data access
// was decoded.
func (p *plan) errIfEmpty() error {
	return p.errUnless(func(s *sourcePlan) bool { return !s.outcome.Empty() })
}

// errIfNoPackets fails with a [*NothingError] if no packet was decoded.
func (p *plan) errIfNoPackets() error {
	return p.errUnless(func(s *sourcePlan) bool { return s.outcome.Totals.BytesDecoded > 0 })
}

// errUnless fails with a [*NothingError] unless there is something of a source.
func (p *plan) errUnless(something func(*sourcePlan) bool) error {
	if slices.ContainsFunc(p.sources, something) {
		return nil
	}
	if len(p.sources) == 0 {
		return &NothingError{Causes: []string{"the capture has no trace source"}}
	}
	e := &NothingError{}
	for _, s := range slices.SortedStableFunc(slices.Values(p.sources), compareLoss) {
		cause := s.reason()
		if v := s.verdict; v != nil && v.Remedy != nil {
			cause += ": " + v.Remedy.String()
		}
		e.Causes = append(e.Causes, cause)
		if missing := missingMemory(&s.outcome.Missing); len(missing.Wanted) > 0 {
			e.Missing = append(e.Missing, SourceMissing{s.ID, missing})
		}
	}
	return e
}

// compareLoss orders sources of which nothing was decoded by how much was expected
// of them: first those that have a decoder, then by bytes.
func compareLoss(a, b *sourcePlan) int {
	decodable := func(s *sourcePlan) int {
		if s.status == schema.StatusDecoded {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(decodable(a), decodable(b)), cmp.Compare(b.bytes, a.bytes))
}

// reason says why nothing of a source was decoded.
func (s *sourcePlan) reason() string {
	name := "source " + schema.SourceText(s.ID)
	if s.Name != "" && s.Name != schema.SourceText(s.ID) {
		name += " (" + s.Name + ")"
	}
	switch {
	case s.status == schema.StatusUnconfigured:
		return fmt.Sprintf("%s has %d bytes, but is not configured: is a trace ID wrong?", name, s.bytes)
	case s.status == schema.StatusUnsupported:
		return s.problem
	case s.status == schema.StatusEmpty:
		return fmt.Sprintf("%s has no bytes: is its trace ID right?", name)
	case s.outcome.Totals.Segments == 0 && s.layout != nil:
		return s.noCut(name)
	case s.outcome.Totals.Segments == 0:
		return fmt.Sprintf("%s: no synchronisation (A-sync, then I-sync) in %d bytes of %s; %s", name, s.bytes, s.Protocol, s.syncHint())
	}
	if missing := s.outcome.Missing.Ranges(); len(missing) > 0 {
		return fmt.Sprintf("%s: no program memory at 0x%08x, where it runs; give the program with -e FILE or --image FILE@ADDR", name, missing[0].First)
	}
	return name + ": its packets report no instruction"
}

// syncHint says what to try with a stream that does not synchronise.
func (s *sourcePlan) syncHint() string {
	b := s.buffer
	if b.framed {
		return "check its protocol and registers, and look at its bytes with `tracelake packets`"
	}
	if looksFramed(b) {
		return "the file looks like formatter frames: add --framed"
	}
	return "if this is formatted data add --framed, else check --protocol and --reg"
}

// looksFramed says whether a buffer that was read as one stream may be formatter
// frames: as frames, it would have a source.
func looksFramed(b *bufferPlan) bool {
	found, err := frame.Detect(b.data, b.looked, frame.DetectOptions{})
	if err != nil {
		return false
	}
	census, err := frame.Scan(b.data, b.looked, found.Layout)
	if err != nil {
		return false
	}
	for id, n := range census.Streams {
		if n > 0 && frame.IsSource(uint8(id)) {
			return true
		}
	}
	return false
}

// An UnknownSourceError says that a source that was asked for is not in the
// capture.
type UnknownSourceError struct {
	Source uint8
	Known  []uint8 // the sources of the capture, ascending
}

func (e *UnknownSourceError) Error() string {
	return "source " + schema.SourceText(e.Source) + " is not in the capture; " + e.Remedy()
}

// Remedy lists the sources there are.
func (e *UnknownSourceError) Remedy() string {
	if len(e.Known) == 0 {
		return "it has none"
	}
	words := make([]string, len(e.Known))
	for i, id := range e.Known {
		words[i] = schema.SourceText(id)
	}
	return "the sources are " + strings.Join(words, ", ")
}

// selectSources leaves only the sources of these IDs in the plan; nil are all.
func (p *plan) selectSources(ids []uint8) error {
	if ids == nil {
		return nil
	}
	known := map[uint8]bool{}
	for _, s := range p.sources {
		known[s.ID] = true
	}
	for _, id := range ids {
		if !known[id] {
			return &UnknownSourceError{Source: id, Known: slices.Sorted(maps.Keys(known))}
		}
	}
	p.sources = slices.DeleteFunc(p.sources, func(s *sourcePlan) bool { return !slices.Contains(ids, s.ID) })
	return nil
}

// meta is the metadata of all data files: what they were made from. It does
// not depend on the machine or the command line.
func (h *hashing) meta() ([]schema.Meta, error) {
	inputs, err := h.wait()
	sum := sha256.New()
	for _, in := range inputs {
		fmt.Fprintf(sum, "%s  %s\n", in.SHA256, in.Path)
	}
	return []schema.Meta{{Key: "tracelake.capture_sha256", Value: hex.EncodeToString(sum.Sum(nil))}}, err
}

// manifest describes the dataset, but for its inputs and what its writer knows.
func (e *exporter) manifest() *schema.Manifest {
	m := &schema.Manifest{
		Tool: e.opt.Tool, Description: e.capture.Description, Labels: e.opt.Labels, Notes: e.plan.notes, Run: e.opt.Run,
		Options: e.recorded(&e.opt),
	}
	for _, b := range e.plan.buffers {
		m.Buffers = append(m.Buffers, e.plan.account(b))
	}
	for _, r := range e.capture.Regions {
		m.Images = append(m.Images, imageRegion(&r))
	}
	for _, s := range e.plan.sources {
		m.Sources = append(m.Sources, e.sourceTotals(s))
	}
	e.window.describe(m, e.plan)
	return m
}

func imageRegion(r *image.Region) schema.ImageRegion {
	region := schema.ImageRegion{
		File: path.Base(r.File), SHA256: hex.EncodeToString(r.SHA256[:]), BuildID: r.BuildID,
		Address: r.Address, Bytes: int64(len(r.Bytes)), Core: r.Core,
	}
	if r.Space != image.AnySpace {
		region.Space = r.Space.String()
	}
	return region
}

func (e *exporter) sourceTotals(s *sourcePlan) schema.SourceTotals {
	if s.before != nil {
		return *s.before
	}
	row := schema.SourceTotals{
		Source: s.ID, Name: s.Name, Protocol: s.Protocol, Version: s.version(), Core: s.Core,
		Status: schema.SourceStatusNames[s.status], Problem: s.problem, Unit: s.unit().String(),
		Totals: s.outcome.Totals, Agreement: s.agreement(), TimestampHz: e.capture.TimestampHz, CycleHz: e.opt.CycleHz, Registers: s.registers(),
		CallsLeftOut: s.callsLeftOut,
	}
	if s.buffer != nil {
		row.Buffer = s.buffer.Name
	}
	if s.looked != nil {
		row.Pages = pagesText(s.looked)
	}
	if e.opt.TimestampHz != 0 {
		row.TimestampHz = e.opt.TimestampHz
	}
	return row
}

// agreement returns what the trace of a source repeats of the program, nil if no
// decoder ran.
func (s *sourcePlan) agreement() *schema.Agreement {
	if s.status != schema.StatusDecoded {
		return nil
	}
	q := &s.outcome.Quality
	return &schema.Agreement{BranchChecks: q.Branches, BranchAgrees: q.BranchesAgree(), ISyncChecks: q.ISyncs, ISyncAgrees: q.ISyncsEqual}
}
