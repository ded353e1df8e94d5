package decode

import (
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Context is the context of the processor, as last traced in a segment.
type Context struct {
	ContextID schema.Null[uint32]
	VMID      schema.Null[uint8]
	NS, Hyp   bool // both false without security extensions
}

// Security returns the security state.
func (c *Context) Security() schema.Security {
	switch {
	case c.Hyp:
		return schema.Hyp
	case c.NS:
		return schema.NonSecure
	}
	return schema.Secure
}

// Space returns the memory space instructions are fetched from.
func (c *Context) Space() image.Space {
	switch c.Security() {
	case schema.Hyp:
		return image.HypSpace
	case schema.NonSecure:
		return image.NonSecureSpace
	case schema.Secure:
	}
	return image.SecureSpace
}

// SetSpace sets the security state that fetches instructions from a memory
// space. It is the inverse of [Context.Space].
func (c *Context) SetSpace(s image.Space) {
	c.NS, c.Hyp = s != image.SecureSpace, s == image.HypSpace
}
