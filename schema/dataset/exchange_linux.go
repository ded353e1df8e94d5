package dataset

import "golang.org/x/sys/unix"

// exchange swaps two directories in one step. It fails with an error that is
// [errors.ErrUnsupported] where kernel or file system cannot.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
