package arrowfile

import (
	"encoding/binary"
	"errors"
)

// A flat is a table at an offset of a FlatBuffer. Its methods panic if the table
// reaches beyond the buffer.
type flat struct {
	b  []byte
	at uint32
}

// root returns the table that a FlatBuffer is of.
func root(b []byte) flat { return flat{b, binary.LittleEndian.Uint32(b)} }

func (f flat) uint32(at uint32) uint32 { return binary.LittleEndian.Uint32(f.b[at:]) }

// field returns where a field lies, or 0 if f does not have it.
func (f flat) field(i uint32) uint32 {
	vtable := f.at - f.uint32(f.at) // the distance is signed, and wraps
	if 4+2*i >= uint32(binary.LittleEndian.Uint16(f.b[vtable:])) {
		return 0
	}
	offset := uint32(binary.LittleEndian.Uint16(f.b[vtable+4+2*i:]))
	if offset == 0 {
		return 0
	}
	return f.at + offset
}

// byte returns the byte in a field, 0 if f does not have it.
func (f flat) byte(i uint32) byte {
	at := f.field(i)
	if at == 0 {
		return 0
	}
	return f.b[at]
}

// text returns the text in a field.
func (f flat) text(i uint32) string {
	text, ok := f.table(i)
	if !ok {
		return ""
	}
	return string(f.b[text.at+4:][:text.uint32(text.at)])
}

// table returns the table in a field.
func (f flat) table(i uint32) (flat, bool) {
	at := f.field(i)
	if at == 0 {
		return flat{}, false
	}
	return flat{f.b, at + f.uint32(at)}, true
}

// length returns the length of the list in a field.
func (f flat) length(i uint32) int {
	list, ok := f.table(i)
	if !ok {
		return 0
	}
	return int(list.uint32(list.at))
}

// element returns an element of the list of tables in a field.
func (f flat) element(i uint32, n int) flat {
	list, _ := f.table(i)
	at := list.at + 4 + 4*uint32(n)
	return flat{f.b, at + f.uint32(at)}
}

// structure returns an element of the list of structures in a field, of size bytes
// each.
func (f flat) structure(i uint32, n, size int) []byte {
	list, _ := f.table(i)
	return f.b[int(list.at)+4+n*size:][:size]
}

// keep leaves of the list of tables in a field those at the given places, in that
// order.
func (f flat) keep(i uint32, places []int) error {
	targets := make([]uint32, len(places))
	for n, place := range places {
		targets[n] = f.element(i, place).at
	}
	list, _ := f.table(i)
	for n, target := range targets {
		at := list.at + 4 + 4*uint32(n)
		if target <= at {
			return errors.New("a list after its elements")
		}
		binary.LittleEndian.PutUint32(f.b[at:], target-at)
	}
	binary.LittleEndian.PutUint32(f.b[list.at:], uint32(len(places)))
	return nil
}

// keepStructures is keep for structures of size bytes.
func (f flat) keepStructures(i uint32, size int, places []int) error {
	list, ok := f.table(i)
	if !ok {
		return nil
	}
	var kept []byte
	for _, place := range places {
		if place >= f.length(i) {
			return errors.New("a list is too short")
		}
		kept = append(kept, f.structure(i, place, size)...)
	}
	copy(f.b[list.at+4:], kept)
	binary.LittleEndian.PutUint32(f.b[list.at:], uint32(len(places)))
	return nil
}
