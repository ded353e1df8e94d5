//go:build !linux && !darwin

package dataset

import "errors"

// exchange would swap two directories in one step, which this system cannot.
func exchange(string, string) error { return errors.ErrUnsupported }
