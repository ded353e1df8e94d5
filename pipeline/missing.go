package pipeline

import (
	"github.com/tracelake/tracelake/decode/image"
)

// Missing is the memory that was needed and is in no image.
type Missing struct {
	Wanted []MissingMemory `json:"missing_memory"` // most stops first
	// OtherStops are the stops in memory of no range: at most 65,536 pages are
	// counted separately.
	OtherStops int64 `json:"missing_memory_other_stops"`
}

// MissingMemory is a range of memory that was wanted.
type MissingMemory struct {
	First string `json:"first"` // lowest and highest address wanted, hex
	Last  string `json:"last"`
	Stops int64  `json:"stops"`
}

func missingMemory(m *image.Missing) Missing {
	missing := Missing{Wanted: []MissingMemory{}, OtherStops: m.Other()}
	for _, r := range m.Ranges() {
		missing.Wanted = append(missing.Wanted, MissingMemory{hexAddress(r.First), hexAddress(r.Last), r.Stops})
	}
	return missing
}
