package dataset

import "fmt"

// An Error says what is wrong with a dataset, and what to do.
type Error struct {
	File    string // the directory, or a file in it
	Problem string // continues the name: "has 100 bytes, the manifest says 200"
	Remedy  string
	Damaged bool  // the dataset is not as it was written
	Err     error // may be nil
}

// DamagedArchive is the remedy for a file of an archive that is not as it was written.
const DamagedArchive = "take another copy of the archive"

func (e *Error) Error() string { return fmt.Sprintf("%s: %s; %s", e.File, e.Problem, e.Remedy) }

func (e *Error) Unwrap() error { return e.Err }

// An ExistsError says that a directory may not be written to.
type ExistsError struct {
	Dir, Problem, Remedy string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s %s; %s", e.Dir, e.Problem, e.Remedy)
}
