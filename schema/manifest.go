package schema

// A Manifest describes a dataset. It is written last: a directory without a
// manifest is no dataset. In the file one more line follows, "manifest_sha256":
// the SHA-256, in hex, of all bytes before that line. (Manifests of version 1 may
// have neither that line nor Views.)
type Manifest struct {
	SchemaVersion int               `json:"schema_version"`
	Tool          Tool              `json:"tool"`
	Format        string            `json:"format"`
	Level         string            `json:"level"`
	Codec         string            `json:"codec,omitempty"`
	Description   string            `json:"description,omitempty"`
	Labels        map[string]string `json:"labels"`
	// Options are nil in datasets of earlier programs, and in those that no export wrote.
	Options *Options         `json:"options,omitempty"`
	Inputs  []InputFile      `json:"inputs"`
	Buffers []BufferBytes    `json:"buffers"`
	Images  []ImageRegion    `json:"images"`
	Sources []SourceTotals   `json:"sources"`
	Totals  Totals           `json:"totals"`
	Tables  map[string]Files `json:"tables"`
	Views   *FileSum         `json:"views,omitempty"` // views.sql
	Notes   []string         `json:"notes"`
	// Verdict is how far the dataset can be trusted, a word of package verdict; "": nobody judged it.
	Verdict string `json:"verdict,omitempty"`
	// Window says that the dataset is of part of the capture; nil: of all of it.
	Window *Window `json:"window,omitempty"`
	// Run is what may differ between two exports of one input.
	Run Export `json:"run"`
}

// A Window is the part of a capture that a dataset is of.
type Window struct {
	From string `json:"from,omitempty"` // as given: "seq=1000"; "" is the start
	To   string `json:"to,omitempty"`   // "" is the end
	// Index is the SHA-256 of the manifest of the dataset whose segments were the index; "":
	// there was none, and rows count from the start of the window.
	Index   string         `json:"index,omitempty"`
	Sources []SourceWindow `json:"sources,omitempty"`
}

// A SourceWindow is the segments of a source that a dataset has.
type SourceWindow struct {
	Source uint8 `json:"source"`
	First  int32 `json:"first_segment"`
	Last   int32 `json:"last_segment"`
	// Seq is the ordinal of the first instruction.
	Seq int64 `json:"first_seq"`
}

// Seqs returns the ordinal of the first instruction of a source, and the one after the last:
// in a window others were before it.
func (m *Manifest) Seqs(s *SourceTotals) (from, to int64) {
	if m.Window != nil {
		for i := range m.Window.Sources {
			if w := &m.Window.Sources[i]; w.Source == s.Source {
				from = w.Seq
			}
		}
	}
	return from, from + s.Instructions
}

// Tool is the program that wrote a dataset.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// An InputFile is a file the capture was read from.
type InputFile struct {
	Path   string `json:"path"` // in the snapshot, with slashes; a lone file's name
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// BufferBytes accounts for the bytes of a trace buffer: those of its streams
// and the overhead of the formatter by kind sum to Bytes.
type BufferBytes struct {
	Name     string           `json:"name"`
	Bytes    int64            `json:"bytes"`
	Streams  map[string]int64 `json:"streams"`  // by source, as SourceText writes it
	Overhead map[string]int64 `json:"overhead"` // by kind
}

// An ImageRegion is a row of `images`.
type ImageRegion struct {
	File    string  `json:"file"`
	SHA256  string  `json:"sha256"`
	BuildID string  `json:"build_id,omitempty"`
	Address Address `json:"address"`
	Bytes   int64   `json:"bytes"`
	Space   string  `json:"space,omitempty"`
	Core    string  `json:"core,omitempty"`
	// Role is a name of [ImageRoleNames]; "" is memory, as in manifests that have
	// none. The rest is of role symbols.
	Role       string   `json:"role,omitempty"`
	Match      *float64 `json:"match,omitempty"` // nil: nothing was executed in it
	CodeSHA256 string   `json:"code_sha256,omitempty"`
	// Base is what was added to the addresses of the program file, which was linked elsewhere.
	Base Address `json:"base,omitempty"`
}

// SourceTotals is a row of `sources`.
type SourceTotals struct {
	Source   uint8  `json:"source"`
	Name     string `json:"name,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Version  string `json:"version,omitempty"`
	Core     string `json:"core,omitempty"`
	Buffer   string `json:"buffer,omitempty"`
	Status   string `json:"status"`
	Problem  string `json:"problem,omitempty"` // why it is not decoded
	Unit     string `json:"unit"`
	Totals          // of the source
	Ends     Ends   `json:"ends,omitzero"`
	// nil: nothing compared the trace with the program, as in a truth
	Agreement   *Agreement        `json:"agreement,omitempty"`
	TimestampHz uint64            `json:"timestamp_hz,omitempty"`
	CycleHz     uint64            `json:"cycle_hz,omitempty"`
	Registers   map[string]string `json:"registers"`
	// CallsAtLeast is how many instructions a call has that is a row of `calls`: shorter ones would have been more
	// rows than there are by default. 0: all calls are rows.
	CallsAtLeast int64 `json:"calls_at_least,omitempty"`
	// Pages are the pages of program memory, of 4 KiB, at which the decoder looked, whether or
	// not there was memory: "0x00008000-0x0000afff". Nil: an earlier program decoded, or they are
	// in too many places.
	Pages []string `json:"pages,omitempty"`
}

// Ends are what is normal at the ends of the stream of a source, and is part of its totals.
type Ends struct {
	Gaps      int64 `json:"gaps,omitempty"`            // next to the first or the last instruction
	Unsynced  int64 `json:"bytes_unsynced,omitempty"`  // lost before the first synchronisation
	Truncated int64 `json:"bytes_truncated,omitempty"` // of the packet that the end cuts off
}

// An Agreement counts what in the trace of a source repeats what the program
// says, and so shows whether it is the program that ran.
type Agreement struct {
	BranchChecks int64 `json:"branch_checks"` // branch addresses that were compared with the program
	BranchAgrees int64 `json:"branch_agrees"`
	ISyncChecks  int64 `json:"isync_checks"` // periodic synchronisations
	ISyncAgrees  int64 `json:"isync_agrees"`
}

// Checks returns how many of all checks agree; nil: of none.
func (a *Agreement) Checks() (agree, of int64) {
	if a == nil {
		return 0, 0
	}
	return a.BranchAgrees + a.ISyncAgrees, a.BranchChecks + a.ISyncChecks
}

// Share is the share of all checks that agree, NULL if there was none.
func (a *Agreement) Share() Null[float64] {
	return share(a.Checks())
}

// DecodedShare is the share of bytes that were decoded, NULL if there are none.
func (c *Counters) DecodedShare() Null[float64] { return share(c.BytesDecoded, c.Bytes) }

// PlacedShare is the share of decoded bytes whose instructions have rows, NULL if
// nothing was decoded.
func (c *Counters) PlacedShare() Null[float64] {
	return share(c.BytesDecoded-c.BytesUnplaced, c.BytesDecoded)
}

func share(part, whole int64) Null[float64] {
	if whole == 0 {
		return Null[float64]{}
	}
	return Of(float64(part) / float64(whole))
}

// Totals are the counts of a decoded source, or of all sources.
type Totals struct {
	Counters
	Segments     int64 `json:"segments"`
	DataAccesses int64 `json:"data_accesses,omitempty"` // left out where no data is traced
	Losses       int64 `json:"losses"`
	Gaps         int64 `json:"gaps"` // trace restarts but the first of a source
}

// Add adds u to t.
func (t *Totals) Add(u Totals) {
	t.Counters.Add(u.Counters)
	t.Segments += u.Segments
	t.DataAccesses += u.DataAccesses
	t.Losses += u.Losses
	t.Gaps += u.Gaps
}

// Files are the parts of a table.
type Files struct {
	Rows  int64      `json:"rows"`
	Bytes int64      `json:"bytes"`
	Parts []PartFile `json:"parts"`
}

// A PartFile is one file of a table.
type PartFile struct {
	Path   string `json:"path"` // in the dataset, with slashes
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// A FileSum is a file of a dataset that is not a part.
type FileSum struct {
	Path   string `json:"path"` // in the dataset
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// An Export is one export: when, where and how it ran.
type Export struct {
	Command []string `json:"command"`
	Input   string   `json:"input"`
	Created string   `json:"created"` // RFC 3339, UTC
	Host    string   `json:"host"`
	Workers int      `json:"workers"`
	Pruned  []string `json:"pruned,omitempty"` // tables that were dropped since
	// Files are where files were that the command line names, by their SHA-256.
	Files map[string]string `json:"files,omitempty"`
}
