package program

import "github.com/ianlancetaylor/demangle"

// maxDemangled is the length of a demangled name in bytes, as a power of two:
// mangled ones may stand for names that are exponentially longer.
const maxDemangled = 14

// demangled returns a C++ or Rust name as in the source, any other as it is.
func demangled(name string) string {
	return demangle.Filter(name, demangle.MaxLength(maxDemangled))
}
