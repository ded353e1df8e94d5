package schema

// This file has the tables of the program: what could have been executed, and its
// names. They come from program files (ELF and DWARF).

var coreColumn = Column{
	Name: "core", Type: String, Nullable: true,
	Doc: "Core that the program belongs to; NULL: every core.",
}

// Code has the instructions of the program; without a program file those that were
// executed.
var Code = Table{
	Name: "code", Row: "instruction of the program: without a program file, those that were executed",
	Written: Always,
	Example: "SELECT kind, count(*) AS n FROM code GROUP BY kind ORDER BY n DESC;",
	Key:     []string{"core", "address", "isa"},
	Columns: []Column{
		coreColumn,
		{Name: "address", Type: Uint64, Hex: true, Rising: true, Doc: "Address of the instruction."},
		{Name: "size", Type: Uint8, Unit: "bytes", Doc: "Length of the instruction: 2 or 4."},
		isaColumn,
		{
			Name: "opcode", Type: Uint32, Hex: true,
			Doc: "The instruction in the program; a 32-bit T32 one has its first halfword in the high half.",
		},
		{Name: "kind", Type: Enum, Names: KindNames, Doc: "Class of the instruction, by its opcode alone."},
		{
			Name: "conditional", Type: Bool,
			Doc: "True: it has a condition, of its own or of an IT block; CBZ and CBNZ too. Without a program file IT blocks " +
				"are not known.",
		},
		{Name: "target", Type: Uint64, Hex: true, Nullable: true, Doc: "Target of a direct branch; NULL for others."},
		{
			Name: "target_isa", Type: Enum, Nullable: true, Names: ISANames,
			Doc: "Instruction set at the target; NULL without a target.",
		},
		{
			Name: "function", Type: Int32, Nullable: true,
			Doc: "The function it is in, in functions of the same core; NULL: in none, as padding is.",
		},
		{Name: "section", Type: String, Nullable: true, Doc: "Section of the program file; NULL without a program file."},
	},
}

// Functions has the functions of the program.
var Functions = Table{
	Name: "functions", Row: "function of a program file, by address: several may have one name",
	Written: Always,
	Example: "SELECT name, hex8(address) AS address, size, file, line FROM functions ORDER BY size DESC LIMIT 10;",
	Key:     []string{"core", "address"},
	Columns: []Column{
		coreColumn,
		{Name: "function", Type: Int32, Doc: "Ordinal by address among the functions of the core, from 0."},
		{Name: "address", Type: Uint64, Hex: true, Rising: true, Doc: "Address of its first instruction."},
		{Name: "size", Type: Uint32, Unit: "bytes", Doc: "Length."},
		{Name: "name", Type: String, Doc: "Name, demangled where it is of C++ or Rust."},
		{
			Name: "linkage_name", Type: String,
			Doc: "Name in the symbol table, or in the debugging information if it has no symbol.",
		},
		{
			Name: "aliases", Type: String, Nullable: true,
			Doc: "Other names of the same address, separated by spaces; NULL if there are none.",
		},
		{
			Name: "file", Type: String, Nullable: true,
			Doc: "Source file it is declared in, or of its first line; NULL if it is not known.",
		},
		{Name: "line", Type: Uint32, Nullable: true, Doc: "Line of that; NULL if it is not known."},
		{
			Name: "origin", Type: Enum, Names: FunctionOriginNames,
			Doc: "What its extent was found by: a symbol with a size, one without, a label, or debugging information.",
		},
	},
}

// Lines has the source lines of instructions.
var Lines = Table{
	Name: "lines", Row: "instruction and depth of inlining",
	Written: Always,
	Example: "SELECT file, line, count(*) AS instructions FROM lines WHERE inline_depth = 0 GROUP BY ALL ORDER BY file, " +
		"line;",
	Key: []string{"core", "address", "inline_depth"},
	Columns: []Column{
		coreColumn,
		{Name: "address", Type: Uint64, Hex: true, Rising: true, Doc: "Address of the instruction."},
		{
			Name: "inline_depth", Type: Uint16,
			Doc: "0: the line that the instruction is from; 1: the line that function was inlined at, and so on outwards.",
		},
		{Name: "file", Type: String, Doc: "Source file, with slashes, as the compiler names it."},
		{Name: "line", Type: Uint32, Doc: "Line, from 1."},
		{Name: "column", Type: Uint32, Doc: "Column, from 1; 0 if it is not known."},
		{
			Name: "is_stmt", Type: Bool,
			Doc: "True: the line table recommends the place for a breakpoint. At an inline depth other than 0: true.",
		},
		{
			Name: "function", Type: Int32, Nullable: true,
			Doc: "The function that contains the instruction, in functions of the same core; NULL: none.",
		},
		{
			Name: "inlined_name", Type: String, Nullable: true,
			Doc: "Name of the inlined function whose line it is; NULL at the outermost depth.",
		},
	},
}

// Symbols has the symbols of the program.
var Symbols = Table{
	Name: "symbols", Row: "symbol of a program file",
	Written: Always,
	Example: "SELECT hex8(address) AS address, name FROM symbols WHERE kind = 'object' ORDER BY size DESC LIMIT 10;",
	Key:     []string{"core", "address", "name"},
	Columns: []Column{
		coreColumn,
		{Name: "address", Type: Uint64, Hex: true, Rising: true, Doc: "Address, without the bit that says T32."},
		{Name: "size", Type: Uint32, Unit: "bytes", Doc: "Length; 0 if it is not known."},
		{Name: "name", Type: String, Doc: "Name in the symbol table."},
		{Name: "kind", Type: Enum, Names: SymbolKindNames, Doc: "What it names; label: it has no type."},
		{Name: "binding", Type: Enum, Names: SymbolBindingNames, Doc: "How far it is visible."},
		{Name: "section", Type: String, Nullable: true, Doc: "Section it is in; NULL for an absolute one."},
	},
}
