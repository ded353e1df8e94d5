package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// A BusyError says that another process is writing the dataset.
type BusyError struct {
	Dir    string
	Writer string // "process 1234 on build7, since 2026-01-31T12:00:00Z"
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is being written by %s; wait until that ends, or choose another directory", e.Dir, e.Writer)
}

// A lock is what a writer of a dataset holds: the kernel's lock on a file beside
// the directory. A process that dies has none.
//
// The file is removed with the lock, so that nothing is left beside a dataset. A
// process may open it just before, and then lock a file that no other finds: so
// whoever has the lock looks whether the name is still that of the file, and
// otherwise begins again.
type lock struct {
	file *os.File
	name string
}

// owner is the content of a lock file: who writes.
type owner struct {
	PID   int    `json:"pid"`
	Host  string `json:"host"`
	Since string `json:"since"` // RFC 3339, UTC
}

// errLocked says that another process has the lock of a file.
var errLocked = errors.New("locked")

// acquire locks the file of that name for writing dir. If another process has
// the lock, it fails with a [*BusyError] and changes nothing.
func acquire(name, dir string) (*lock, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			writer := readOwner(f)
			f.Close()
			if errors.Is(err, errLocked) {
				return nil, &BusyError{dir, writer}
			}
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		current, err := sameFile(f, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		if current {
			l := &lock{f, name}
			if err := l.writeOwner(); err != nil {
				return nil, errors.Join(err, l.release())
			}
			return l, nil
		}
		f.Close()
	}
}

// sameFile says whether name is that of f.
func sameFile(f *os.File, name string) (bool, error) {
	have, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(have, named), err
}

// writeOwner says in the lock file who writes.
func (l *lock) writeOwner() error {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host" // for people only, and not worth failing for
	}
	text, err := json.Marshal(owner{os.Getpid(), host, time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(text, '\n'), 0)
	return err
}

// maxOwner is the most bytes of a lock file that are read.
const maxOwner = 4096

// readOwner returns who writes, in words. The writer may not have said it yet.
func readOwner(f *os.File) string {
	var o owner
	text, err := io.ReadAll(io.NewSectionReader(f, 0, maxOwner))
	if err != nil || json.Unmarshal(text, &o) != nil {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s, since %s", o.PID, o.Host, o.Since)
}
