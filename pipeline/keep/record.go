package keep

import (
	"errors"
	"os"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Record is a dataset, or an archive with one, as what says how to make it again.
type Record struct {
	Dataset *dataset.Dataset
	archive *archive.Archive // nil: there is none
}

// OpenRecord opens the dataset or archive in dir; images are as in [archive.Open]. The
// caller closes it.
func OpenRecord(dir, images string) (*Record, error) { return openRecord(dir, images, dataset.Open) }

// openRecord is [OpenRecord] with another way to open the dataset.
func openRecord(dir, images string, open func(dir string) (*dataset.Dataset, error)) (*Record, error) {
	r := &Record{}
	var err error
	if archive.Is(dir) {
		if r.archive, err = archive.Open(dir, images); err != nil {
			return nil, err
		}
	}
	if r.Dataset, err = open(dir); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close closes the record. Captures that were opened with its options are closed
// before.
func (r *Record) Close() error {
	var errs []error
	if r.Dataset != nil {
		errs = append(errs, r.Dataset.Close())
	}
	if r.archive != nil {
		errs = append(errs, r.archive.Close())
	}
	return errors.Join(errs...)
}

// recorded returns the options that were recorded, nil if an earlier program wrote the
// dataset.
func (r *Record) recorded() *schema.Options {
	if r.archive != nil {
		return &r.archive.Index.Options.Options
	}
	return r.Dataset.Manifest.Options
}

// finder returns what finds a file that the command line named, where it was, if it is as it was: "" if it is not, and if
// c names others, which are all then, but for those that were mapped while perf recorded: to them more are given.
func (r *Record) finder(c capture.Options) func(a *schema.Argument) string {
	given := c.NamesPrograms()
	return func(a *schema.Argument) string {
		name := r.Dataset.Manifest.Run.Files[a.SHA256]
		if info, err := os.Stat(name); given && !a.Mapped || err != nil || !info.Mode().IsRegular() {
			return ""
		}
		if sum, err := archive.FileSum(name); err != nil || sum != a.SHA256 {
			return ""
		}
		return name
	}
}
