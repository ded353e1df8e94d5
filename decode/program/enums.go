package program

// Origin is what a function is known from.
type Origin uint8

// The origins.
const (
	OriginSymbol  Origin = iota // a function symbol with a size
	OriginUnsized               // a function symbol without one
	OriginLabel                 // a symbol without type, outside every function symbol
	OriginDWARF                 // debug information only
)

// SymbolKind is what a symbol names.
type SymbolKind uint8

// The kinds of symbol.
const (
	SymbolFunction SymbolKind = iota
	SymbolObject
	SymbolLabel // without type
)

// SymbolBinding is the binding of a symbol.
type SymbolBinding uint8

// The bindings.
const (
	BindingLocal SymbolBinding = iota
	BindingGlobal
	BindingWeak
)
