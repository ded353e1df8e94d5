package schema

// Where files are cut. Row groups end by their rows alone, so that files do not
// depend on how the work was shared out.
const (
	// RowGroupRows is the most rows that a row group has. One ends earlier where
	// its rows would take up too much memory until then (pipeline/rows). DuckDB
	// scans row groups in parallel.
	RowGroupRows = 1 << 20
	// BlocksRowGroupRows is the same for `blocks`: about as many instructions.
	BlocksRowGroupRows = 1 << 18
	// PartRowGroups is the number of row groups in every part but the last.
	PartRowGroups = 64
)

// RowGroupRows returns the most rows that a row group of t has.
func (t *Table) RowGroupRows() int {
	if t.Name == Blocks.Name {
		return BlocksRowGroupRows
	}
	return RowGroupRows
}
