package read

// A Place is an instruction of a source.
type Place struct {
	Dir    string
	Source uint8
	Seq    int64
}
