package decode

import (
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Context is the context of the processor, as last traced in a segment.
type Context struct {
	ContextID schema.Null[uint32]
	VMID      schema.Null[uint32]
	NS, Hyp   bool // both false without security extensions
	NSE       bool // with NS Realm, else Root: of the Realm Management Extension
	// ExceptionLevel and Transaction are as in [schema.Span].
	ExceptionLevel schema.Null[uint8]
	Transaction    schema.Null[bool]
}

// Security returns the security state.
func (c *Context) Security() schema.Security {
	switch {
	case c.NSE && c.NS:
		return schema.Realm
	case c.NSE:
		return schema.Root
	case c.Hyp:
		return schema.Hyp
	case c.NS:
		return schema.NonSecure
	}
	return schema.Secure
}

// SetSecurity sets the security state. It is the inverse of [Context.Security].
func (c *Context) SetSecurity(s schema.Security) {
	c.NS, c.Hyp = s != schema.Secure && s != schema.Root, s == schema.Hyp
	c.NSE = s == schema.Root || s == schema.Realm
}

// Space returns the memory space instructions are fetched from.
func (c *Context) Space() image.Space { return image.SpaceOf(c.Security()) }
