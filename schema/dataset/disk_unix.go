//go:build unix

package dataset

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockFile locks a file, or fails with errLocked if another process has it.
func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// release removes the lock file, then gives up the lock: whoever opened the file
// before finds that it has no name.
func (l *lock) release() error {
	return errors.Join(os.Remove(l.name), l.file.Close())
}

// syncDir makes the kernel write the entries of a directory to disk.
func syncDir(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// isMount says whether a directory is the root of another file system than that
// of the directory which it is in.
func isMount(dir string) bool {
	var here, above unix.Stat_t
	return unix.Stat(dir, &here) == nil && unix.Stat(filepath.Dir(dir), &above) == nil && here.Dev != above.Dev
}
