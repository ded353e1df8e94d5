package dataset

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file, or fails with errLocked if another process has it. No
// other process can read a locked byte, so it locks one far beyond the text that
// names the owner.
func lockFile(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}

// release gives up the lock, then removes the file. A file that another process
// has opened cannot be removed: that process has the lock now, or is about to
// get it.
func (l *lock) release() error {
	err := l.file.Close()
	_ = os.Remove(l.name)
	return err
}

// syncDir does nothing: Windows has no way to write the entries of a directory.
func syncDir(string) error { return nil }

// isMount is for systems where a mount looks as any directory.
func isMount(string) bool { return false }
