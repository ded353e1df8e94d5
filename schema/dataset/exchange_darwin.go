package dataset

import "golang.org/x/sys/unix"

// exchange swaps two directories in one step. It fails with an error that is
// [errors.ErrUnsupported] where the file system cannot.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
