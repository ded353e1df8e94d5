package forge

import "encoding/binary"

// Lines is a line table.
type Lines struct {
	Version     int
	Wide        bool     // addresses have 8 bytes, else 4
	Directories []string // of DWARF 5: the first is that of compilation
	Files       []SourceFile
	Program     []byte
}

// A SourceFile is a file of a line table.
type SourceFile struct {
	Name      string
	Directory int
}

// Bytes returns the table. Its instructions are of 2 bytes, its opcodes those of
// DWARF 3 and without special ones.
func (l Lines) Bytes() []byte {
	fields := []byte{2}
	if l.Version >= 4 {
		fields = append(fields, 1)
	}
	fields = append(fields, 1, 0, 1) // default is_stmt, line base and range
	fields = append(fields, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)
	if l.Version >= 5 {
		fields = l.tables(fields)
	} else {
		fields = l.lists(fields)
	}
	b := encode(binary.LittleEndian, uint32(0), uint16(l.Version))
	if l.Version >= 5 {
		if l.Wide {
			b = append(b, 8, 0)
		} else {
			b = append(b, 4, 0)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(fields)))
	b = append(append(b, fields...), l.Program...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// lists appends the directories and files as up to DWARF 4.
func (l Lines) lists(b []byte) []byte {
	for _, d := range l.Directories {
		b = append(append(b, d...), 0)
	}
	b = append(b, 0)
	for _, f := range l.Files {
		b = append(append(b, f.Name...), 0)
		b = append(b, byte(f.Directory), 0, 0)
	}
	return append(b, 0)
}

// tables appends them as in DWARF 5: paths as text, directories as udata.
func (l Lines) tables(b []byte) []byte {
	b = append(b, 1, 1, 0x08, byte(len(l.Directories)))
	for _, d := range l.Directories {
		b = append(append(b, d...), 0)
	}
	b = append(b, 2, 1, 0x08, 2, 0x0F, byte(len(l.Files)))
	for _, f := range l.Files {
		b = append(append(b, f.Name...), 0)
		b = append(b, byte(f.Directory))
	}
	return b
}

// Program returns the bytes of operations, one after another.
func Program(operations ...[]byte) []byte {
	var b []byte
	for _, o := range operations {
		b = append(b, o...)
	}
	return b
}

// At sets the address.
func At(address uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{0, 5, 2}, address)
}

// AtWide sets the address, of 8 bytes.
func AtWide(address uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{0, 9, 2}, address)
}

// Row advances the address by instructions of 2 bytes, and the line, and makes a
// row.
func Row(instructions uint64, lines int64) []byte {
	b := binary.AppendUvarint([]byte{2}, instructions)
	b = appendSigned(append(b, 3), lines)
	return append(b, 1)
}

// End advances the address and ends the sequence.
func End(instructions uint64) []byte {
	return append(binary.AppendUvarint([]byte{2}, instructions), 0, 1, 1)
}

// SetFile sets the file, SetColumn the column, and NegateStmt changes is_stmt.
func SetFile(n uint64) []byte { return binary.AppendUvarint([]byte{4}, n) }

// SetColumn sets the column.
func SetColumn(n uint64) []byte { return binary.AppendUvarint([]byte{5}, n) }

// NegateStmt changes is_stmt.
func NegateStmt() []byte { return []byte{6} }

// appendSigned appends a signed LEB128 number.
func appendSigned(b []byte, x int64) []byte {
	for x < -64 || x > 63 {
		b = append(b, byte(x)|0x80)
		x >>= 7
	}
	return append(b, byte(x)&0x7F)
}
