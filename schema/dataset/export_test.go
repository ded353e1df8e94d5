package dataset

import (
	"bytes"

	"github.com/tracelake/tracelake/schema"
)

// CheckBytes checks the bytes of a file as Check does.
func (d *Dataset) CheckBytes(content []byte, want schema.FileSum) error {
	return d.checkBytes(bytes.NewReader(content), want)
}

// CheckManifest checks the bytes of a manifest as Check does.
func CheckManifest(content []byte) error {
	d := &Dataset{parts: map[*schema.Table]map[uint8][]schema.PartFile{}}
	return d.readManifest(bytes.NewReader(content))
}

// What decides whether a directory can be replaced, and whether a lock holds.
var (
	IsMount  = isMount
	SameFile = sameFile
)

// A Journal is what ReadJournal finds.
type Journal struct {
	Bound, Hashes []Bound
	Parts         map[string]schema.PartFile
	End           int64
}

// ReadJournal reads the bytes of a journal as [Create] does.
func ReadJournal(content []byte) (*Journal, error) {
	j, err := readJournal(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return &Journal{j.bound, j.hashes, j.parts, j.end}, nil
}
