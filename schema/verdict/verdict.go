// Package verdict says in one word how far what was decoded of a capture can be trusted, and why.
// Exports, inspections, reports, the page and the manifest have the word from here.
//
// Its API is not stable (docs/guide/library.md).
package verdict

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Word says how far what was decoded can be trusted.
type Word string

// The words.
const (
	Good           Word = "Good"            // all of what was traced was decoded, with the program that ran
	GoodWithGaps   Word = "Good with gaps"  // some of what ran may be missing; the rest is right
	PacketsOnly    Word = "Packets only"    // there is no program: what ran is not known
	NothingDecoded Word = "Nothing decoded" // no instruction and no data access
	WrongProgram   Word = "Wrong program"   // another program ran: figures say nothing of what ran
)

// words are all, the best first.
var words = []Word{Good, GoodWithGaps, PacketsOnly, NothingDecoded, WrongProgram}

// NoMemory reports whether a dataset was made without program memory.
func NoMemory(m *schema.Manifest) bool {
	return !slices.ContainsFunc(m.Images,
		func(r schema.ImageRegion) bool { return r.Role == "" || r.Role == schema.RoleMemory.String() })
}

// worst returns the worse of two words; "" is none.
func worst(a, b Word) Word {
	if slices.Index(words, a) >= slices.Index(words, b) {
		return a
	}
	return b
}

// Refused reports whether figures say nothing of what ran.
func (w Word) Refused() bool { return w == NothingDecoded || w == WrongProgram }

// Another program ran than the one that was given if fewer of what was compared agree. The agreement of a few
// checks says nothing, unless none agrees.
const (
	LeastAgreement = 0.90 // of branch packets and periodic I-syncs
	LeastChecks    = 20
	LeastMatch     = 0.99 // of executed addresses, compared with a program file
)

// Least is the share, of bytes and of checks, from which on what is wrong is a finding.
const Least = 0.01

// Facts are what the verdict on a dataset rests on.
type Facts struct {
	Sources     []schema.SourceTotals
	Files       []Match
	Outside     int64 // addresses executed that no program file has as code
	PacketsOnly bool  // no program was asked for
	NoMemory    bool  // no program memory was given
}

// A Match is how many addresses were executed in a program file, and how many of these have its opcode.
type Match struct{ Ran, Equal int64 }

// Differs reports whether another program file ran.
func (m *Match) Differs() bool { return float64(m.Equal) < LeastMatch*float64(m.Ran) }

// Disagrees reports whether so few checks of a source agree that another program ran.
func Disagrees(agrees, checks int64) bool {
	return checks >= LeastChecks && float64(agrees) < LeastAgreement*float64(checks)
}

// A Verdict is a word with what it rests on, the worst first. No finding: [Good].
type Verdict struct {
	Word     Word
	Findings []Finding
}

// A Finding is a reason for a word: N of Of, if Of is not 0.
type Finding struct {
	Kind  Kind
	N, Of int64
}

// A Kind is what was found.
type Kind uint8

// The findings, the worst first.
const (
	WrongImage   Kind = iota // N of Of checks agree with the program image
	WrongFile                // N of Of executed addresses have the opcode of the program file
	Nothing                  // no instruction and no data access was decoded
	NoProgram                // packets were decoded, but no program was given
	Gaps                     // trace stopped and started again N times
	Lost                     // N of Of bytes were lost
	Unplaced                 // N of Of bytes are packets that could not be matched to code
	Disagreement             // N of Of checks disagree with the program image
	Outside                  // N addresses were executed that no program file has as code
	Undecoded                // nothing could be decoded of N of Of sources
)

// kindNames are the kinds as data.
var kindNames = [...]string{
	"wrong_image", "wrong_program_file", "nothing_decoded", "packets_only", "gaps", "bytes_lost", "bytes_unplaced",
	"image_disagrees", "executed_outside", "source_not_decoded",
}

func (k Kind) String() string { return kindNames[k] }

// word returns what a finding comes to if it is the worst.
func (k Kind) word() Word {
	switch k {
	case WrongImage, WrongFile:
		return WrongProgram
	case Nothing:
		return NothingDecoded
	case NoProgram:
		return PacketsOnly
	default:
		return GoodWithGaps
	}
}

// Judge returns the verdict on a dataset.
func Judge(f *Facts) Verdict {
	t := f.totals()
	v := Verdict{Word: Good}
	add := func(is bool, k Kind, n, of int64) {
		if is {
			v.Findings = append(v.Findings, Finding{k, n, of})
			v.Word = worst(v.Word, k.word())
		}
	}
	if f.PacketsOnly || f.NoMemory && t.ran == 0 {
		add(t.decoded == 0, Nothing, 0, 0)
		add(t.decoded > 0, NoProgram, 0, 0)
		return v
	}
	wrong := t.wrongOf > 0 || t.agrees == 0 && t.checks > 0
	if t.wrongOf == 0 {
		t.wrongAgrees, t.wrongOf = t.agrees, t.checks
	}
	add(wrong, WrongImage, t.wrongAgrees, t.wrongOf)
	for i := range f.Files {
		add(f.Files[i].Differs(), WrongFile, f.Files[i].Equal, f.Files[i].Ran)
	}
	add(t.ran == 0, Nothing, 0, 0)
	most := 2*max(t.lost, t.unplaced) > t.bytes // then gaps are what it leads to
	add(t.gaps > 0 && !most, Gaps, t.gaps, 0)
	unplacedFirst := most && t.unplaced > t.lost
	add(unplacedFirst, Unplaced, t.unplaced, t.bytes)
	add(over(t.lost, t.bytes), Lost, t.lost, t.bytes)
	add(!unplacedFirst && over(t.unplaced, t.bytes), Unplaced, t.unplaced, t.bytes)
	add(t.gaps > 0 && most, Gaps, t.gaps, 0)
	add(!wrong && over(t.checks-t.agrees, t.checks), Disagreement, t.checks-t.agrees, t.checks)
	add(f.Outside > 0, Outside, f.Outside, 0)
	add(t.undecoded > 0 && t.ran > 0, Undecoded, t.undecoded, t.sources)
	return v
}

// Beyond returns the verdict on addresses that were executed where no program file has code.
func Beyond(addresses int64) Verdict {
	if addresses == 0 {
		return Verdict{Word: Good}
	}
	return Verdict{GoodWithGaps, []Finding{{Kind: Outside, N: addresses}}}
}

// over reports whether so much of a whole is a finding.
func over(n, of int64) bool { return float64(n) > Least*float64(of) }

// totals are the sums of the sources that have a decoder.
type totals struct {
	bytes, decoded, lost, unplaced, gaps int64 // without what is normal at the ends
	ran                                  int64 // instructions and data accesses
	agrees, checks                       int64
	wrongAgrees, wrongOf                 int64 // of sources that disagree
	sources, undecoded                   int64
}

func (f *Facts) totals() totals {
	var t totals
	for i := range f.Sources {
		s := &f.Sources[i]
		if s.Status != schema.SourceStatusNames[schema.StatusDecoded] {
			continue
		}
		t.sources++
		if s.Bytes > 0 && s.BytesDecoded == 0 {
			t.undecoded++
		}
		normal := normalLoss(s)
		t.bytes, t.decoded, t.lost = t.bytes+s.Bytes-normal, t.decoded+s.BytesDecoded, t.lost+s.BytesLost-normal
		t.unplaced, t.gaps, t.ran = t.unplaced+s.BytesUnplaced, t.gaps+inner(s), t.ran+s.Instructions+s.DataAccesses
		agrees, checks := s.Agreement.Checks()
		t.agrees, t.checks = t.agrees+agrees, t.checks+checks
		if Disagrees(agrees, checks) {
			t.wrongAgrees, t.wrongOf = t.wrongAgrees+agrees, t.wrongOf+checks
		}
	}
	return t
}

// inner returns the gaps of a source but those at its ends.
func inner(s *schema.SourceTotals) int64 { return s.Gaps - s.Ends.Gaps }

// normalLoss returns how many of the lost bytes of a source are no sign of anything wrong: those before the
// first synchronisation, unless they are too many, and those of the packet that the end cuts off.
func normalLoss(s *schema.SourceTotals) int64 {
	return NormalStart(s.Ends.Unsynced, s.Bytes) + s.Ends.Truncated
}

// maxStart is how many bytes before the first synchronisation are normal: a period has at most 4,095, the largest
// value of ETMSYNCFR, and a synchronisation may be one period late (IHI 0014Q §7.10.3).
const maxStart = 2 * (1<<12 - 1)

// NormalStart returns how many of the bytes of a stream before the first synchronisation are no sign of anything
// wrong: all, if they are no more than a trace unit sends between two synchronisations, else none.
func NormalStart(start, bytes int64) int64 {
	if start > maxStart || start == bytes {
		return 0
	}
	return start
}

// Merge returns the verdict on several datasets: the worst word, and findings of one kind added up.
func Merge(all []Verdict) Verdict {
	var m Verdict
	for _, v := range all {
		m.Word = worst(m.Word, v.Word)
		for _, f := range v.Findings {
			i := slices.IndexFunc(m.Findings, func(x Finding) bool { return x.Kind == f.Kind })
			if i < 0 {
				m.Findings = append(m.Findings, f)
				continue
			}
			m.Findings[i].N, m.Findings[i].Of = m.Findings[i].N+f.N, m.Findings[i].Of+f.Of
		}
	}
	slices.SortStableFunc(m.Findings, func(x, y Finding) int { return int(x.Kind) - int(y.Kind) })
	return m
}
