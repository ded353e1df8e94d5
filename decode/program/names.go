package program

import (
	"math/bits"

	"github.com/ianlancetaylor/demangle"
)

// demangledShare is how many bytes a demangled name may have for each byte of the
// mangled one, which can stand for a name that is exponentially longer.
const demangledShare = 32

// A demangler makes C++ and Rust names as in the source, each once: many symbols
// may have one name.
type demangler map[string]string

// name returns a name as in the source; it is the name itself if it is of neither
// language.
func (d demangler) name(name string) string {
	if name == "" {
		return ""
	}
	shown, ok := d[name]
	if !ok {
		shown = name
		_ = guarded(func() error { // it reads what a hostile file says
			shown = demangle.Filter(name, demangle.MaxLength(bits.Len(uint(demangledShare*len(name)))))
			return nil
		})
		d[name] = shown
	}
	return shown
}

// display returns the name to show of a function: the linkage name as in the
// source, which has more than the name, if there is one.
func (d demangler) display(name, linkage string) string {
	if shown := d.name(linkage); shown != linkage || name == "" {
		return shown
	}
	return name
}
