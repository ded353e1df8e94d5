package schema

import "fmt"

// Format is the file format of the tables of a dataset.
type Format uint8

// The formats.
const (
	Parquet Format = iota
	Arrow          // Arrow IPC files
)

func (f Format) String() string { return [...]string{"parquet", "arrow"}[f] }

// The files in a dataset beside those of its tables. Both are written last; a
// directory without a manifest is no dataset.
const (
	ManifestFile = "manifest.json"
	ViewsFile    = "views.sql"

	// ArchiveFile is the file that an archive has, and ArchiveDataset the directory in it
	// that is a dataset.
	ArchiveFile    = "archive.json"
	ArchiveDataset = "dataset"
)

// Part returns the path, in a dataset, of a part of t, with slashes: as
// "instructions/13-00000.parquet". The source does not matter to tables that
// have one series of parts for all.
func (t *Table) Part(source uint8, part int, f Format) string {
	series := "all"
	if t.PerSource {
		series = fmt.Sprintf("%02x", source)
	}
	return fmt.Sprintf("%s/%s-%05d.%s", t.Name, series, part, f)
}

// Glob returns the pattern that all parts of t match.
func (t *Table) Glob(f Format) string { return fmt.Sprintf("%s/*.%s", t.Name, f) }

// SourceText is how a source is written, in text and in JSON: as its trace ID in
// hexadecimal, 0x10.
func SourceText(id uint8) string { return fmt.Sprintf("0x%02x", id) }
