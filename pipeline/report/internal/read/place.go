package read

import "github.com/tracelake/tracelake/schema"

// A Place is an instruction of a source.
type Place struct {
	Dir    string
	Source uint8
	Seq    int64
	Row    schema.Null[int64] // number of its row of `calls`, or of `exceptions`; NULL: there is none
}
