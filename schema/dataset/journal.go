package dataset

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tracelake/tracelake/schema"
)

// A journal says what an export that may be interrupted has finished: a line of JSON for
// what it is bound to, then one for each part that is complete and on disk. A line
// that has no end was being written, and counts for nothing.
type journal struct {
	bound  []Bound // before the first part
	hashes []Bound // nil: none yet
	parts  map[string]schema.PartFile
	end    int64 // of its last whole line
}

// A journalLine is a line of the file: the first has the version and Bound, the second
// Hashes, every other a part.
type journalLine struct {
	Version int              `json:"journal_version,omitempty"`
	Bound   []Bound          `json:"bound,omitempty"`
	Hashes  []Bound          `json:"hashes,omitempty"`
	Part    *schema.PartFile `json:"part,omitempty"`
}

const (
	journalVersion = 1
	// maxJournal is the most bytes of a journal that are read: 400,000 parts.
	maxJournal = 64 << 20
)

// readJournal reads a journal. It fails if a whole line of it is not as an export writes
// it. No path of a part leads out of the dataset.
func readJournal(r io.Reader) (*journal, error) {
	j := &journal{parts: map[string]schema.PartFile{}}
	lines := bufio.NewReader(io.LimitReader(r, maxJournal+1))
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if j.end += int64(len(text)); j.end > maxJournal {
				return nil, fmt.Errorf("has more than %d bytes", maxJournal)
			}
			j.end -= int64(len(text))
			return j, nil
		}
		if err != nil {
			return nil, err
		}
		if err := j.add(text, n); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		j.end += int64(len(text))
	}
}

// add takes line n.
func (j *journal) add(text []byte, n int) error {
	var line journalLine
	if err := json.Unmarshal(text, &line); err != nil {
		return fmt.Errorf("is no line of a journal: %w", err)
	}
	switch {
	case n == 1 && line.Version != journalVersion:
		return fmt.Errorf("has version %d, this program goes on with %d", line.Version, journalVersion)
	case n == 1:
		j.bound = line.Bound
		return nil
	case n == 2 && line.Hashes != nil:
		j.hashes = line.Hashes
		return nil
	case n == 2 || line.Part == nil:
		return errors.New("is not what comes next in a journal")
	}
	p := *line.Part
	if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != 32 || p.Bytes < 0 || p.Rows < 0 ||
		!isPartPath(p.Path) {
		return fmt.Errorf("names %q, which is no part of a dataset", p.Path)
	}
	j.parts[p.Path] = p // a part that was damaged is made again
	return nil
}

// A journalFile is a journal that is being written.
type journalFile struct {
	disk disk
	file *os.File
}

// write appends a line. It is on disk when write returns.
func (f *journalFile) write(line *journalLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := f.file.Write(append(text, '\n')); err != nil {
		return err
	}
	return f.disk.sync(f.file)
}
