package generate

import (
	"fmt"
	"strings"
)

// A protocol is one that captures are made in, in versions major.0 to major.newest. Each is
// in a file of its own.
type protocol struct {
	name          string
	major, newest int
	device        string // what traces a core: "PTM"
	// samples says that its unit is a sample of a trace port.
	samples bool
	// variedRings says that the truth of what a ring has left is known of varied streams.
	variedRings bool
	// offsets says that it synchronises with Trace FIFO Offsets, whose codes vary.
	offsets bool
	// coprocessor says that options have to say how many words LDC and STC transfer.
	coprocessor bool
	// v8 says that it traces cores of V8A and V8M, whose Context IDs have four bytes.
	v8 bool
	// transactions says that it traces those of cores.
	transactions bool
	// returnsUntold says that it does not send where an exception returns to.
	returnsUntold bool
	// from are the first minor versions with a feature; without an entry it has none.
	from  map[Feature]int
	trace func(r *Recipe, core *TracedCore, w *Workload)
}

// protocols are all there are: a new one is one line.
var protocols = []*protocol{&pftProtocol, &etmv3Protocol, &etmv2Protocol, &etmv1Protocol, &etmv4Protocol, &eteProtocol}

// findProtocol returns the protocol of a name, nil if there is none.
func findProtocol(name string) *protocol {
	for _, p := range protocols {
		if p.name == name {
			return p
		}
	}
	return nil
}

// Protocols are the names of the protocols that captures are made in.
func Protocols() []string {
	names := make([]string, len(protocols))
	for i, p := range protocols {
		names[i] = p.name
	}
	return names
}

// Versions are the oldest and the newest version of a protocol: "3.0", "3.5".
func Versions(name string) (oldest, newest string) {
	p := findProtocol(name)
	if p == nil {
		return "", ""
	}
	return fmt.Sprintf("%d.0", p.major), fmt.Sprintf("%d.%d", p.major, p.newest)
}

// NewestMinor is the minor number of the newest version of a protocol.
func NewestMinor(name string) int {
	if p := findProtocol(name); p != nil {
		return p.newest
	}
	return 0
}

// ContextIDBytes is how many bytes a Context ID has at the least in a protocol.
func ContextIDBytes(name string) int {
	if p := findProtocol(name); p != nil && p.v8 {
		return 4
	}
	return 1
}

// HasTransactions says whether a protocol traces transactions.
func HasTransactions(name string) bool {
	p := findProtocol(name)
	return p != nil && p.transactions
}

// OfSamples says whether the unit of a protocol is a sample of a trace port, which
// is captured as a raw file.
func OfSamples(name string) bool {
	p := findProtocol(name)
	return p != nil && p.samples
}

// A Feature is something that not every version traces.
type Feature uint8

// The features.
const (
	ProfileM Feature = iota
	ProfileR
	Timestamps
	ContextIDs
	VMIDs
	VMIDsOfM
	ReturnStack
	AltBranch
	TwoAtoms
	DataTrace
	DataOnlyMode
	Frames
	SecondSource
	TracePort
	Speculation
	QElements
)

// features are the names of features, and which recipes want them.
var features = [...]struct {
	name   string
	wanted func(r *Recipe) bool
}{
	ProfileM:     {"cores of the M profile", func(r *Recipe) bool { return r.V7M }},
	ProfileR:     {"R profile, which is traced as A", func(r *Recipe) bool { return r.ProfileR }},
	Timestamps:   {"timestamps", func(r *Recipe) bool { return r.Timestamps }},
	ContextIDs:   {"Context IDs", func(r *Recipe) bool { return r.ContextIDBytes > 0 }},
	VMIDs:        {"VMIDs", func(r *Recipe) bool { return r.VMID }},
	VMIDsOfM:     {"VMIDs in the M profile", func(r *Recipe) bool { return r.VMID && r.V7M }},
	ReturnStack:  {"return stack", func(r *Recipe) bool { return r.ReturnStack }},
	AltBranch:    {"alternative branch encoding", func(r *Recipe) bool { return r.AltBranch }},
	TwoAtoms:     {"instructions of two atoms", func(r *Recipe) bool { return r.TwoAtoms }},
	DataTrace:    {"data trace", func(r *Recipe) bool { return r.Data != NoData }},
	DataOnlyMode: {"data-only mode", func(r *Recipe) bool { return r.Data == DataOnly }},
	Frames:       {"frames", func(r *Recipe) bool { return r.Framing == FramesOfPort }},
	SecondSource: {"second source", func(r *Recipe) bool { return r.Cores > 1 }},
	Speculation:  {"speculation", func(r *Recipe) bool { return r.MaxSpec > 0 }},
	QElements:    {"Q elements", func(r *Recipe) bool { return r.QElements }},
	TracePort:    {"samples of a trace port", func(r *Recipe) bool { return r.Samples != Samples{} }},
}

// With are the names of the protocols that have a feature in some version.
func With(f Feature) []string {
	var names []string
	for _, p := range protocols {
		if _, ok := p.from[f]; ok {
			names = append(names, p.name)
		}
	}
	return names
}

// checkFeatures says which feature the version does not have, and who has it.
func (r *Recipe) checkFeatures(p *protocol, version string) error {
	for f := range Feature(len(features)) {
		first, ok := p.from[f]
		if !features[f].wanted(r) || ok && r.Minor >= first {
			continue
		}
		problem := fmt.Sprintf("%s has no %s", version, features[f].name)
		if who := f.owners(); who != "" {
			problem += ": " + who
		}
		return &RecipeError{problem}
	}
	return nil
}

// owners says which protocols have f, and from which version on.
func (f Feature) owners() string {
	var who []string
	for _, p := range protocols {
		switch first, ok := p.from[f]; {
		case !ok:
		case first == 0:
			who = append(who, p.name+" has")
		default:
			who = append(who, fmt.Sprintf("%s has from %d.%d on", p.name, p.major, first))
		}
	}
	return strings.Join(who, ", ")
}
