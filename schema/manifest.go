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
	Inputs        []InputFile       `json:"inputs"`
	Buffers       []BufferBytes     `json:"buffers"`
	Images        []ImageRegion     `json:"images"`
	Sources       []SourceTotals    `json:"sources"`
	Totals        Totals            `json:"totals"`
	Tables        map[string]Files  `json:"tables"`
	Views         *FileSum          `json:"views,omitempty"` // views.sql
	Notes         []string          `json:"notes"`
	// Run is what may differ between two exports of one input.
	Run Export `json:"run"`
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
	File    string `json:"file"`
	SHA256  string `json:"sha256"`
	BuildID string `json:"build_id,omitempty"`
	Address uint32 `json:"address"`
	Bytes   int64  `json:"bytes"`
	Space   string `json:"space,omitempty"`
	Core    string `json:"core,omitempty"`
}

// SourceTotals is a row of `sources`.
type SourceTotals struct {
	Source      uint8             `json:"source"`
	Name        string            `json:"name,omitempty"`
	Protocol    string            `json:"protocol,omitempty"`
	Version     string            `json:"version,omitempty"`
	Core        string            `json:"core,omitempty"`
	Buffer      string            `json:"buffer,omitempty"`
	Status      string            `json:"status"`
	Problem     string            `json:"problem,omitempty"` // why it is not decoded
	Unit        string            `json:"unit"`
	Totals                        // of the source
	TimestampHz uint64            `json:"timestamp_hz,omitempty"`
	CycleHz     uint64            `json:"cycle_hz,omitempty"`
	Registers   map[string]string `json:"registers"`
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
}
