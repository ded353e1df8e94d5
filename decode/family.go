package decode

import "github.com/tracelake/tracelake/schema"

// A Family is a trace protocol in all its versions: what opening a capture needs
// to find its sources, and how it is bound to one of them.
type Family struct {
	// Name is the protocol's, as --protocol and the table `sources` have it:
	// "pft".
	Name string
	// Types are the types that snapshots give its sources, without the version:
	// "PTM". Where several families share a type, the major version follows:
	// "ETM3".
	Types []string
	// ETM says that its registers are those of an ETM or PTM: ETMIDR has its
	// version, ETMTRACEIDR its trace ID.
	ETM bool
	// Major is ETMIDR[11:8] of its macrocells; NULL: ETMIDR does not say, or
	// there is none. Version is the major version of the protocol that stands
	// for.
	Major   schema.Null[uint8]
	Version string
	// Profile is that of every core it traces; "" where it depends on the core.
	Profile string
	// Needed are the registers without which no source of a snapshot can be
	// decoded.
	Needed []string
	// Defaults are the registers of a raw file that nobody gave.
	Defaults []RegisterDefault
	// TraceID is where a source's trace ID is, if not in ETMTRACEIDR[6:0].
	TraceID TraceIDField
	// Streams says that one source can send several streams of trace IDs that
	// follow each other.
	Streams bool
	// Bind binds the protocol to a source. The notes are for the user. It fails
	// if the source cannot be decoded. A family without Bind is known by name
	// only.
	Bind func(Source) (p Protocol, notes []string, err error)
}

// A RegisterDefault is the value of a register that nobody gave.
type RegisterDefault struct {
	Register string
	Value    uint64
	Means    string // in words
}

// A TraceIDField is seven bits of the first of these registers that is given.
type TraceIDField struct {
	Registers []string
	Shift     uint8 // of the lowest bit
}
