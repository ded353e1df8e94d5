package image

// Limits on input.
const (
	// MaxLoad is the most bytes one file may give to memory; more is refused.
	MaxLoad = 1 << 30
	// maxNotes is how many bytes of notes of an ELF file are searched for the
	// build ID; later ones are ignored.
	maxNotes = 1 << 20
	// maxSectionName is how many bytes of the name of a section are read.
	maxSectionName = 256
	// maxMissingPages is how many 4 KiB pages Missing counts separately; stops
	// in other pages are counted in one sum.
	maxMissingPages = 1 << 16
)
