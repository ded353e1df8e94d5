// Package verdict says in one word how far the decoded trace of a source can be
// trusted, and names the commonest cause where it cannot.
//
// Its API is not stable (docs/guide/library.md).
package verdict

// A Status is how far a decode can be trusted.
type Status string

// The statuses, the best first.
const (
	Good    Status = "ok"      // what is wrong, if anything, is 1 % or less
	Partial Status = "partial" // more than 1 % is lost, unplaced or contradicted
	Bad     Status = "bad"     // more than 10 % is
	Nothing Status = "nothing" // no instruction and no data access
)

// The shares at which a status ends.
const (
	goodPercent    = 1
	partialPercent = 10
)

// MinChecks is how many packets have to be compared with the program before their
// agreement counts.
const MinChecks = 20

// maxStart is how many bytes before the first synchronisation are normal: a period
// has at most 4,095, the largest value of ETMSYNCFR, and a synchronisation may be one
// period late (IHI 0014Q §7.10.3).
const maxStart = 2 * (1<<12 - 1)

// Facts are what a verdict rests on, in the unit of the source.
type Facts struct {
	Bytes, Decoded, Lost, Unplaced int64
	Start                          int64 // lost before the first synchronisation
	Checks, Agrees                 int64 // packets compared with the program
	Offsets, OffsetsRight          int64 // into the FIFO: those compared, and those as counted
	Empty                          bool  // no instruction and no data access
	NoProgram                      bool  // there is no program memory: only packets are judged
}

// NormalStart returns how many of the bytes before the first synchronisation are
// no sign of anything wrong: all, if they are no more than a trace unit sends
// between two synchronisations, else none.
func (f *Facts) NormalStart() int64 {
	if f.Start > maxStart || f.Start == f.Bytes {
		return 0
	}
	return f.Start
}

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
	return f.Empty || lost.over(goodPercent) || f.alignment().rest().over(goodPercent) ||
		agrees.Total == 0 || agrees.rest().over(goodPercent)
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

// over reports whether the share is more than so many percent.
func (s Share) over(percent float64) bool { return 100*s.Value() > percent }

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

// A Verdict is the answer for one source.
type Verdict struct {
	Status  Status  `json:"status"`
	Problem Problem `json:"problem,omitempty"` // the largest, unless the status is good
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

// Judge returns the verdict on a source, without cause and remedy. The normal start
// does not count as lost.
func Judge(f *Facts) Verdict {
	start := f.NormalStart()
	v := Verdict{Status: Good, Start: f.Start, Normal: start == f.Start, NoProgram: f.NoProgram}
	worst := Share{}
	for _, p := range []struct {
		problem       Problem
		judged, shown Share
	}{
		{Lost, Share{f.Lost - start, f.Bytes - start}, Share{f.Lost, f.Bytes}},
		{Unplaced, f.placed().rest(), Share{f.Unplaced, f.Bytes}},
		{Contradicted, f.agreement().rest(), f.agreement().rest()},
		{Misaligned, f.alignment().rest(), f.alignment().rest()},
	} {
		if p.judged.over(goodPercent) && p.judged.Value() > worst.Value() {
			v.Problem, v.Share, worst = p.problem, p.shown, p.judged
		}
	}
	switch {
	case f.Empty && !f.NoProgram, f.Decoded == 0:
		v.Status = Nothing
	case worst.over(partialPercent):
		v.Status = Bad
	case v.Problem != NoProblem:
		v.Status = Partial
	}
	return v
}
