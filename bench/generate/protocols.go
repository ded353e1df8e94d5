package generate

import (
	"fmt"
	"strings"
)

// A protocol is one that captures are made in, in versions major.0 to major.newest.
type protocol struct {
	name          string
	major, newest int
	// samples says that its unit is a sample of a trace port (etmv1, etmv2).
	samples bool
	trace   func(r *Recipe, core *TracedCore, w *Workload)
}

// protocols are all there are: a new one is one line, and a column of features.
var protocols = []protocol{
	{name: "pft", major: 1, newest: 1, trace: (*Recipe).tracePFT},
	{name: "etmv3", major: 3, newest: 5, trace: (*Recipe).traceETMv3},
	{name: "etmv2", major: 2, newest: 1, samples: true, trace: (*Recipe).traceETMv2},
	{name: "etmv1", major: 1, newest: 3, samples: true, trace: (*Recipe).traceETMv1},
}

// findProtocol returns the protocol of a name, nil if there is none.
func findProtocol(name string) *protocol {
	for i := range protocols {
		if protocols[i].name == name {
			return &protocols[i]
		}
	}
	return nil
}

// Protocols are the names of the protocols that captures are made in.
func Protocols() []string {
	names := make([]string, len(protocols))
	for i := range protocols {
		names[i] = protocols[i].name
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

// OfSamples says whether the unit of a protocol is a sample of a trace port, which
// is captured as a raw file.
func OfSamples(name string) bool {
	p := findProtocol(name)
	return p != nil && p.samples
}

// never is the minor version from which on a protocol has what it never had.
const never = 100

// A feature is something that not every version traces.
type feature struct {
	name   string
	wanted func(r *Recipe) bool
	from   [4]int
}

// first is the first minor version of a protocol that has f.
func (f *feature) first(protocol string) int {
	for i := range protocols {
		if protocols[i].name == protocol {
			return f.from[i]
		}
	}
	return never
}

// features are what not every version traces. From has the first minor version that
// does, in the order of protocols.
var features = []feature{
	//                                                                                       pft etmv3 etmv2 etmv1
	{"cores of the M profile", func(r *Recipe) bool { return r.V7M }, [4]int{never, 4, never, never}},
	{"timestamps", func(r *Recipe) bool { return r.Timestamps }, [4]int{0, 5, never, never}},
	{"Context IDs", func(r *Recipe) bool { return r.ContextIDBytes > 0 }, [4]int{0, 0, 0, 2}},
	{"VMIDs", func(r *Recipe) bool { return r.VMID }, [4]int{1, 5, never, never}},
	{"VMIDs in the M profile", func(r *Recipe) bool { return r.VMID && r.V7M }, [4]int{never, never, never, never}},
	{"return stack", func(r *Recipe) bool { return r.ReturnStack }, [4]int{0, never, never, never}},
	{"alternative branch encoding", func(r *Recipe) bool { return r.AltBranch }, [4]int{never, 4, never, never}},
	{"instructions of two atoms", func(r *Recipe) bool { return r.TwoAtoms }, [4]int{never, 0, never, never}},
	{"data trace", func(r *Recipe) bool { return r.Data != NoData }, [4]int{never, 0, 0, 0}},
	{"data-only mode", func(r *Recipe) bool { return r.Data == DataOnly }, [4]int{never, 1, never, never}},
	{"frames", func(r *Recipe) bool { return r.Framing == FramesOfPort }, [4]int{0, 0, never, never}},
	{"second source", func(r *Recipe) bool { return r.Cores > 1 }, [4]int{0, 0, never, never}},
	{"samples of a trace port", func(r *Recipe) bool { return r.Samples != Samples{} }, [4]int{never, never, 0, 0}},
}

// checkFeatures says which feature the version does not have, and who has it.
func (r *Recipe) checkFeatures(p *protocol, version string) error {
	for i := range features {
		f := &features[i]
		if !f.wanted(r) || r.Minor >= f.first(p.name) {
			continue
		}
		problem := fmt.Sprintf("%s has no %s", version, f.name)
		if who := f.owners(); who != "" {
			problem += ": " + who
		}
		return &RecipeError{problem}
	}
	return nil
}

// owners says which protocols have f, and from which version on.
func (f *feature) owners() string {
	var who []string
	for i, p := range protocols {
		switch first := f.from[i]; {
		case first == 0:
			who = append(who, p.name+" has")
		case first <= p.newest:
			who = append(who, fmt.Sprintf("%s has from %d.%d on", p.name, p.major, first))
		}
	}
	return strings.Join(who, ", ")
}
