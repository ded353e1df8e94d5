package schema

// Where files are cut. Row groups are cut by the ordinal of their rows alone,
// so that files do not depend on how the work was shared out.
const (
	// RowGroupRows is the number of rows in every row group but the last of a
	// source. DuckDB scans row groups in parallel.
	RowGroupRows = 1 << 20
	// BlocksRowGroupRows is the same for `blocks`: about as many instructions.
	BlocksRowGroupRows = 1 << 18
	// PartRowGroups is the number of row groups in every part but the last.
	PartRowGroups = 64
)

// RowGroupRows returns the number of rows in a full row group of t.
func (t *Table) RowGroupRows() int {
	if t.Name == Blocks.Name {
		return BlocksRowGroupRows
	}
	return RowGroupRows
}
