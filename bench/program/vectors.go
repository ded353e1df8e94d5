package program

import (
	"iter"
	"maps"

	"github.com/tracelake/tracelake/schema"
)

// Vectors is the address of the vectors of V5TE, low or high.
func Vectors(high bool) schema.Address {
	if high {
		return 0xFFFF0000
	}
	return 0
}

// vectorsA64 are the offsets of vectors in the group that begins with that of synchronous
// exceptions.
var vectorsA64 = map[schema.ExceptionType]schema.Address{
	schema.ExcSVC: 0, schema.ExcHVC: 0, schema.ExcSMC: 0, schema.ExcTrap: 0, schema.ExcPrefetchAbort: 0,
	schema.ExcDataAbort: 0, schema.ExcAlignment: 0, schema.ExcDebugInstruction: 0, schema.ExcDebugData: 0,
	schema.ExcIRQ: 0x80, schema.ExcFIQ: 0x100, schema.ExcSystemError: 0x180,
}

// Where the groups of vectors of AArch64 are in their table, by where an exception comes from:
// the level that it is taken to, with SP_EL0 and with SP_ELx, a lower one in AArch64 and in
// AArch32.
const (
	FromSameSP0 schema.Address = 0x200 * iota
	FromSame
	FromLowerA64
	FromLowerAArch32
	VectorBytesA64 // of the table, to a multiple of which it is aligned
)

// VectorsA64 are the exceptions that the vectors of AArch64 are for, with their offsets in a
// group of vectors.
func VectorsA64() iter.Seq2[schema.ExceptionType, schema.Address] { return maps.All(vectorsA64) }

// InV8A is the name that an exception of V7A has in V8A, if it has one.
func InV8A(x schema.ExceptionType) (schema.ExceptionType, bool) {
	switch x {
	case schema.ExcUndefined:
		return schema.ExcTrap, true
	case schema.ExcAsyncDataAbort:
		return schema.ExcSystemError, true
	case schema.ExcHyp:
		return schema.ExcHVC, true
	}
	return x, x != schema.ExcThumbEE && x != schema.ExcGeneric
}
