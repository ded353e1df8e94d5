// Package reading says how well the stream of a source was read, what is wrong with most of it, and the commonest
// cause. Package verdict says how far a dataset can be trusted.
//
// Its API is not stable (docs/guide/library.md).
package reading

import "github.com/tracelake/tracelake/schema/verdict"

// MinChecks is how many packets have to be compared with the program before their
// agreement counts.
const MinChecks = verdict.LeastChecks

// Facts are what a reading is judged by, in the unit of the source.
type Facts struct {
	Bytes, Decoded, Lost, Unplaced int64
	Start                          int64 // lost before the first synchronisation
	Checks, Agrees                 int64 // packets compared with the program
	Offsets, OffsetsRight          int64 // into the FIFO: those compared, and those as counted
	Empty                          bool  // no instruction and no data access
	NoProgram                      bool  // there is no program memory: only packets are judged
}

// NormalStart is [verdict.NormalStart].
func (f *Facts) NormalStart() int64 { return verdict.NormalStart(f.Start, f.Bytes) }

// placed returns what is placed of what is decoded, nothing of nothing without a
// program.
func (f *Facts) placed() Share {
	if f.NoProgram {
		return Share{}
	}
	return Share{f.Decoded - f.Unplaced, f.Decoded}
}

// agreement returns how many packets agree with the program, nothing of nothing if
// too few were compared.
func (f *Facts) agreement() Share {
	if f.NoProgram || f.Checks < MinChecks {
		return Share{}
	}
	return Share{f.Agrees, f.Checks}
}

// alignment returns how many offsets into the FIFO are as counted, nothing of nothing
// if too few were compared.
func (f *Facts) alignment() Share {
	if f.Offsets < MinChecks {
		return Share{}
	}
	return Share{f.OffsetsRight, f.Offsets}
}

// Right returns the least of what is decoded of the bytes, what is placed of those
// and what agrees of what was compared.
func (f *Facts) Right() Share {
	least := Share{f.Decoded, f.Bytes}
	for _, s := range []Share{f.placed(), f.agreement(), f.alignment()} {
		if s.Total > 0 && s.Value() < least.Value() {
			least = s
		}
	}
	return least
}

// DoubtsSettings reports whether other settings may read the stream better. Where packets are whole and
// agree with the program, they read it as it is meant.
func (f *Facts) DoubtsSettings() bool {
	start := f.NormalStart()
	lost, agrees := Share{f.Lost - start, f.Bytes - start}, f.agreement()
	return f.Empty || lost.isProblem() || f.alignment().rest().isProblem() ||
		agrees.Total == 0 || agrees.rest().isProblem()
}

// Rate is how well a stream is read, from 0 to 1: the product of the shares, so
// that two readings differ in whatever is wrong with one of them. The normal start
// does not count.
func (f *Facts) Rate() float64 {
	rate := Share{f.Decoded, f.Bytes - f.NormalStart()}.Value()
	for _, s := range []Share{f.placed(), f.agreement()} {
		if s.Total > 0 {
			rate *= s.Value()
		}
	}
	return rate
}

// Hope adds bytes in which nothing is wrong: as many as are left of the stream, so that
// the rate becomes the highest there can be.
func (f *Facts) Hope(bytes int64) {
	f.Bytes += bytes
	f.Decoded += bytes
	if f.Checks < MinChecks { // and may stay so
		f.Checks, f.Agrees = 0, 0
		return
	}
	f.Checks += bytes // no packet is shorter than a byte
	f.Agrees += bytes
}

// A Share is N of Total.
type Share struct {
	N     int64 `json:"n"`
	Total int64 `json:"total"`
}

// Value returns the share, from 0 to 1; 0 of nothing.
func (s Share) Value() float64 {
	if s.Total == 0 {
		return 0
	}
	return float64(s.N) / float64(s.Total)
}

// rest returns what is not in the share.
func (s Share) rest() Share { return Share{s.Total - s.N, s.Total} }

// isProblem reports whether what is wrong is more than may be.
func (s Share) isProblem() bool { return s.Value() > verdict.Least }

// A Problem is what is wrong with most of a decode.
type Problem string

// The problems.
const (
	NoProblem    Problem = ""
	Lost         Problem = "lost"         // bytes that are no packets
	Unplaced     Problem = "unplaced"     // packets whose instructions are not known
	Contradicted Problem = "contradicted" // packets that do not agree with the program
	Misaligned   Problem = "misaligned"   // offsets into the FIFO that are not as counted
)

// A Reading is how well the stream of a source was read.
type Reading struct {
	Nothing bool    `json:"nothing,omitempty"` // no instruction and no data access; without a program, no packet
	Problem Problem `json:"problem,omitempty"` // the largest, of more than 1 %
	Share   Share   `json:"share"`             // that has the problem: of the bytes, or of what was compared
	// Start is how many bytes were lost before the first synchronisation; Normal
	// reports that this is no sign of anything wrong.
	Start  int64 `json:"bytes_unsynced"`
	Normal bool  `json:"unsynced_normal"`
	// NoProgram reports that there is no program memory: only packets are judged.
	NoProgram bool    `json:"no_program,omitempty"`
	Cause     *Cause  `json:"cause,omitempty"` // the commonest, if known
	Remedy    *Remedy `json:"remedy,omitempty"`
}

// A Remedy is another way to read the stream, which is better on a sample of it.
type Remedy struct {
	Protocol string   `json:"protocol,omitempty"` // if it is another one
	Flags    []string `json:"flags"`              // of the command line, each with its value
	Right    Share    `json:"right"`              // of the sample: see [Facts.Right]
}

// Fine reports that there is nothing to find fault with.
func (r *Reading) Fine() bool { return !r.Nothing && r.Problem == NoProblem }

// Of returns how well a stream was read, without cause and remedy. The normal start
// does not count as lost.
func Of(f *Facts) Reading {
	start := f.NormalStart()
	r := Reading{
		Nothing: f.Empty && !f.NoProgram || f.Decoded == 0,
		Start:   f.Start, Normal: start == f.Start, NoProgram: f.NoProgram,
	}
	worst := 0.0
	for _, p := range []struct {
		problem       Problem
		judged, shown Share
	}{
		{Lost, Share{f.Lost - start, f.Bytes - start}, Share{f.Lost, f.Bytes}},
		{Unplaced, f.placed().rest(), Share{f.Unplaced, f.Bytes}},
		{Contradicted, f.agreement().rest(), f.agreement().rest()},
		{Misaligned, f.alignment().rest(), f.alignment().rest()},
	} {
		if p.judged.isProblem() && p.judged.Value() > worst {
			r.Problem, r.Share, worst = p.problem, p.shown, p.judged.Value()
		}
	}
	return r
}
