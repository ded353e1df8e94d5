package program

import (
	"math/bits"

	"github.com/ianlancetaylor/demangle"
)

// demangledShare is how many bytes a demangled name may have for each byte of the
// mangled one, which can stand for a name that is exponentially longer.
const demangledShare = 32

// demangled returns a C++ or Rust name as in the source, any other as it is.
func demangled(name string) string {
	if name == "" {
		return ""
	}
	shown := name
	_ = guarded(func() error { // it reads what a hostile file says
		shown = demangle.Filter(name, demangle.MaxLength(bits.Len(uint(demangledShare*len(name)))))
		return nil
	})
	return shown
}
