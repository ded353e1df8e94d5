package window

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An Index is the table `segments` of a dataset that was made of the whole capture.
type Index struct {
	*dataset.Dataset
	// Hash is the SHA-256, in hex, of its manifest.
	Hash string
}

// OpenIndex opens the index in dir, which the caller closes. It fails with a
// [*dataset.Error] if there is none.
func OpenIndex(dir string) (*Index, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{Dataset: d}
	if err := x.check(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return x, nil
}

// check fails if the dataset is of no use as an index.
func (x *Index) check() error {
	text, err := os.ReadFile(filepath.Join(x.Dir, schema.ManifestFile))
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	sum := sha256.Sum256(text)
	x.Hash = hex.EncodeToString(sum[:])
	if x.Manifest.Window != nil {
		return x.wrong("is a window itself", "give a dataset of the whole capture")
	}
	if !x.Has(&schema.Segments) {
		return x.wrong("has no table segments", "give a dataset that export made")
	}
	return nil
}

func (x *Index) wrong(problem, remedy string) error {
	return &dataset.Error{File: x.Dir, Problem: problem, Remedy: remedy}
}

// Source returns what the index says of a source, nil if it does not have it.
func (x *Index) Source(id uint8) *schema.SourceTotals {
	sources := x.Manifest.Sources
	i := slices.IndexFunc(sources, func(s schema.SourceTotals) bool { return s.Source == id })
	if i < 0 {
		return nil
	}
	return &sources[i]
}
