package trust

import (
	"github.com/tracelake/tracelake/schema"
)

// A Judgement is what somebody who looks at figures should do first. It is stricter than a
// [Verdict], which says whether reports go on.
type Judgement uint8

// The judgements, the best first.
const (
	Good      Judgement = iota // there is nothing to find fault with
	LookFirst                  // the findings may explain what the figures show
	Distrust                   // the figures say nothing of what ran
)

func (j Judgement) String() string { return [...]string{"sound", "look first", "distrust"}[j] }

// A Finding is a reason for a judgement: N of Of, if Of is not 0.
type Finding struct {
	Kind  FindingKind
	N, Of int64
}

// FindingKind is what was found.
type FindingKind uint8

// The findings, the worst first.
const (
	FoundNothing    FindingKind = iota // no instruction was decoded
	FoundWrongImage                    // N of Of checks agree with the program image, fewer than LeastAgreement
	// N of Of executed addresses have the opcode of the program file, fewer than LeastMatch.
	FoundWrongFile
	FoundGaps         // trace stopped and went on N times
	FoundLost         // N of Of bytes were lost, without those before the first synchronisation
	FoundUnplaced     // N of Of bytes are of instructions whose address or memory is not known
	FoundDisagreement // N of Of checks disagree with the program image
	FoundOutside      // N addresses were executed that no program file has as code
	FoundDamaged      // in N of Of sources that are configured nothing could be decoded
	FoundWindow       // N of Of datasets are of part of their capture
)

// findingNames are the kinds as data.
var findingNames = [...]string{
	"nothing_decoded", "wrong_image", "wrong_program_file", "gaps", "bytes_lost", "bytes_unplaced", "image_disagrees",
	"executed_outside", "source_not_decoded", "window",
}

func (k FindingKind) String() string { return findingNames[k] }

// distrusts says whether figures with the finding say nothing.
func (k FindingKind) distrusts() bool { return k <= FoundWrongFile }

// mostLost is the share of bytes of which the loss is no finding.
const mostLost = 0.01

// Judge returns what somebody should do first, and why.
func (t *Summary) Judge() (Judgement, []Finding) {
	var found []Finding
	add := func(is bool, k FindingKind, n, of int64) {
		if is {
			found = append(found, Finding{k, n, of})
		}
	}
	much := func(bytes int64) bool { return float64(bytes) > mostLost*float64(t.Bytes) }
	wrongImage := t.Checks > 0 && float64(t.Agrees) < LeastAgreement*float64(t.Checks)
	add(t.Instructions == 0, FoundNothing, 0, 0)
	add(wrongImage, FoundWrongImage, t.Agrees, t.Checks)
	for i := range t.Doubts { // of several datasets one may be wrong
		d := &t.Doubts[i]
		add(!d.OfProgramFile && !wrongImage, FoundWrongImage, d.Agrees, d.Of)
		wrongImage = wrongImage || !d.OfProgramFile
		add(d.OfProgramFile, FoundWrongFile, d.Agrees, d.Of)
	}
	add(t.Gaps > 0, FoundGaps, t.Gaps, 0)
	add(much(t.Lost-t.Unsynced), FoundLost, t.Lost-t.Unsynced, t.Bytes)
	add(much(t.Unplaced), FoundUnplaced, t.Unplaced, t.Bytes)
	add(!wrongImage && t.Agrees < t.Checks, FoundDisagreement, t.Checks-t.Agrees, t.Checks)
	add(t.HasProgram && len(t.Outside) > 0, FoundOutside, int64(len(t.Outside)), 0)
	damaged, configured, windows := t.parts()
	add(damaged > 0, FoundDamaged, damaged, configured)
	add(windows > 0, FoundWindow, windows, int64(len(t.Datasets)))
	switch {
	case len(found) == 0:
		return Good, nil
	case found[0].Kind.distrusts():
		return Distrust, found
	}
	return LookFirst, found
}

// parts counts the sources that somebody configured, those of them that have trace of which
// nothing was decoded, and the datasets of part of their capture.
func (t *Summary) parts() (damaged, configured, windows int64) {
	for i := range t.Datasets {
		if t.Datasets[i].Window != nil {
			windows++
		}
		for j := range t.Datasets[i].Sources {
			s := &t.Datasets[i].Sources[j]
			switch s.Status {
			case schema.SourceStatusNames[schema.StatusUnconfigured], schema.SourceStatusNames[schema.StatusEmpty]:
			case schema.SourceStatusNames[schema.StatusDecoded]:
				configured++
				if s.Bytes > 0 && s.BytesDecoded == 0 {
					damaged++
				}
			default:
				configured++
				damaged++
			}
		}
	}
	return damaged, configured, windows
}
