package capture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
)

// A binder makes sources of devices and finds their buffers, cores and memory.
type binder struct {
	*reader
	t       *traceINI
	names   *directory            // of devices
	sources []*Source             // by device; nil if it is none
	dataIn  map[*Source][]*Buffer // of data streams that have a line: (stream:1)
	cores   map[*Source]*device
}

// bind makes the sources of a snapshot; t is nil if it has no trace.
func (r *reader) bind(t *traceINI) error {
	b := &binder{
		reader: r, t: t, sources: make([]*Source, len(r.devices)), dataIn: make(map[*Source][]*Buffer),
		cores: make(map[*Source]*device),
	}
	names := make([]string, len(r.devices))
	for i, d := range r.devices {
		names[i] = d.name
		if d.class == classSource {
			b.makeSource(i)
		}
	}
	b.names = newDirectory(names)
	if t != nil {
		if err := b.bindBuffers(); err != nil {
			return err
		}
		if err := b.bindCores(); err != nil {
			return err
		}
		if err := b.checkUnframed(); err != nil {
			return err
		}
	}
	b.list()
	for _, check := range []func() error{b.checkIDs, b.checkOptions, b.readBufferHeaders} {
		if err := check(); err != nil {
			return err
		}
	}
	b.bindMemory()
	return nil
}

// makeSource returns the source of a device, making it if there is none.
func (b *binder) makeSource(device int) *Source {
	if s := b.sources[device]; s != nil {
		return s
	}
	d := b.devices[device]
	s := &Source{Name: d.name, Type: d.kind, Registers: d.registers, file: d.file}
	b.sources[device] = s
	s.Protocol, s.Version = b.families.ofType(d.kind)
	if s.Protocol == "" || b.families.find(s.Protocol).Bind != nil {
		b.setFlags(s)
	}
	if d.class != classSource {
		s.Problem = fmt.Sprintf("%s: [device] class is %q, not trace_source", d.file, d.class)
	}
	b.settle(s)
	return s
}

// source returns the source a name in an entry means.
func (b *binder) source(s *section, e entry, name string) (*Source, error) {
	i, ok := b.find(b.names, s, e, name)
	if !ok {
		return nil, s.wrong(e, fmt.Sprintf("names the source %q, which is no device", clip(name)),
			"the sources are "+someNames(b.sourceNames()))
	}
	if d := b.devices[i]; d.class == "" {
		return nil, &InputError{
			File: d.file, Section: "device", Key: "class", Problem: fmt.Sprintf("is missing, and %s uses the device as a source",
				s.file),
			Remedy: "add class=trace_source",
		}
	}
	return b.makeSource(i), nil
}

func (b *binder) sourceNames() []string {
	var names []string
	for i, s := range b.sources {
		if s != nil {
			names = append(names, b.devices[i].name)
		}
	}
	return names
}

// bindBuffers reads [source_buffers]. Without it all sources use the one buffer.
func (b *binder) bindBuffers() error {
	list := b.t.sourceBuffers
	if list == nil || len(list.entries) == 0 {
		if n := len(b.t.chosen); n != 1 {
			return &InputError{
				File: b.t.file, Section: "source_buffers", Problem: fmt.Sprintf("is missing, and there are %d buffers", n),
				Remedy: "say for each source where its data is: SOURCE=BUFFER",
			}
		}
		for _, s := range b.sources {
			if s != nil {
				s.Buffers = slices.Clone(b.c.Buffers)
			}
		}
		return nil
	}
	for _, e := range list.entries {
		name, n, err := b.streamOf(list, e)
		if err != nil {
			return err
		}
		s, err := b.source(list, e, name)
		if err != nil {
			return err
		}
		in, err := b.buffersOf(list, e)
		if err != nil {
			return err
		}
		switch {
		case n == 0 && s.Buffers != nil:
			return list.wrong(e, fmt.Sprintf("is the second line for source %s", s.Name), "remove one of them")
		case n == 0:
			s.Buffers = in
		case b.families.find(s.Protocol).DataStream.Register == "":
			b.add("%s: [%s] %s: %s has only stream 0; the line is ignored", b.t.file, list.name, clip(e.key), s.Name)
		case n > 1:
			b.add("%s: [%s] %s: %s has only streams 0 and 1; the line is ignored", b.t.file, list.name, clip(e.key), s.Name)
		default:
			b.dataIn[s] = in
		}
	}
	return nil
}

// streamOf splits a key NAME or NAME(stream:N).
func (b *binder) streamOf(list *section, e entry) (name string, n uint64, err error) {
	if _, _, ok := b.names.find(e.key); ok {
		return e.key, 0, nil
	}
	name, rest, ok := strings.Cut(e.key, "(")
	if !ok {
		return e.key, 0, nil
	}
	const remedy = "write SOURCE or SOURCE(stream:N)"
	word, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	what, number, _ := strings.Cut(word, ":")
	if !closed || !strings.EqualFold(strings.TrimSpace(what), "stream") {
		return "", 0, list.wrong(e, "is no source", remedy)
	}
	if n, err = b.number(strings.TrimSpace(number)); err != nil {
		return "", 0, list.wrong(e, err.Error(), remedy)
	}
	return strings.TrimSpace(name), n, nil
}

// buffersOf returns the buffers an entry names, of those that are read. At least
// one of them must exist; the others are alternatives for the source's data.
func (b *binder) buffersOf(list *section, e entry) ([]*Buffer, error) {
	in := []*Buffer{} // not nil: the source has its line
	var unknown []string
	exists := false
	for _, name := range splitList(e.value) {
		i, ok := b.find(b.t.byName, list, e, name)
		if !ok {
			unknown = append(unknown, clip(name))
			continue
		}
		exists = true
		if buffer := b.t.chosen[i]; buffer != nil && !slices.Contains(in, buffer) {
			in = append(in, buffer)
		}
	}
	if len(unknown) > 0 {
		if !exists {
			return nil, list.wrong(e, "names "+someNames(unknown)+", which is no buffer",
				"the buffers are "+someNames(b.t.byName.names))
		}
		b.add("%s: [%s] %s names %s, which is no buffer", b.t.file, list.name, clip(e.key), someNames(unknown))
	}
	if !exists {
		return nil, list.wrong(e, "names no buffer", "the buffers are "+someNames(b.t.byName.names))
	}
	return in, nil
}

// bindCores reads [core_trace_sources].
func (b *binder) bindCores() error {
	list := b.t.coreSources
	if list == nil {
		return nil
	}
	var strangers []string
	for _, e := range list.entries {
		s, err := b.coreSource(list, e)
		if err != nil {
			return err
		}
		name := e.key
		i, known := b.find(b.names, list, e, e.key)
		if known {
			d := b.devices[i]
			name = d.name
			if d.class == "" {
				return &InputError{
					File: d.file, Section: "device", Key: "class", Remedy: "add class=core",
					Problem: fmt.Sprintf("is missing, and %s uses the device as a core", list.file),
				}
			}
		} else {
			strangers = append(strangers, clip(e.key))
		}
		if s.Core != "" {
			b.add("%s: [%s] source %s is that of core %s and of core %s; the first holds", b.t.file, list.name, s.Name, s.Core,
				name)
			continue
		}
		s.Core = name
		if known {
			b.cores[s] = b.devices[i]
		}
	}
	if len(strangers) > 0 {
		b.add("%s: [%s] names cores that are not in the snapshot: %s", b.t.file, list.name, someNames(strangers))
	}
	return nil
}

// coreSource returns the source an entry of [core_trace_sources] names, by name
// or by @LOCATION.
func (b *binder) coreSource(list *section, e entry) (*Source, error) {
	at, ok := strings.CutPrefix(e.value, "@")
	if !ok {
		return b.source(list, e, e.value)
	}
	want := parseLocation(at)
	var found []int
	var known []string
	for i, d := range b.devices {
		if len(d.location) == 0 {
			continue
		}
		known = append(known, "@"+clip(strings.Join(d.location, ",")))
		if slices.Equal(d.location, want) {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		return nil, list.wrong(e, fmt.Sprintf("names the location @%s, which %d devices have", clip(at), len(found)),
			"the locations are "+someNames(known))
	}
	return b.source(list, e, b.devices[found[0]].name)
}

// checkUnframed checks that each unframed buffer has one source. If several are
// named, but only one of them is a trace source of a known protocol, the buffer has
// that one.
func (b *binder) checkUnframed() error {
	for _, buffer := range b.c.Buffers {
		if buffer.Format != SourceData {
			continue
		}
		var users, traced []*Source
		for i, s := range b.sources {
			if s == nil || !slices.Contains(s.Buffers, buffer) {
				continue
			}
			users = append(users, s)
			if b.devices[i].class == classSource && s.Protocol != "" {
				traced = append(traced, s)
			}
		}
		if len(users) < 2 {
			continue
		}
		if len(traced) != 1 {
			var names []string
			for _, s := range users {
				names = append(names, s.Name)
			}
			return &InputError{
				File: b.t.file, Section: buffer.ID, Key: "format",
				Problem: fmt.Sprintf("is source_data, but buffer %s has the sources %s", buffer.Name, someNames(names)),
				Remedy:  "name one source for it in [source_buffers], or set format=coresight",
			}
		}
		for _, s := range users {
			if s != traced[0] {
				b.add("%s: buffer %s is source_data of %s; it is not used for %s", b.t.file, buffer.Name, traced[0].Name, s.Name)
				s.Buffers = slices.DeleteFunc(s.Buffers, func(x *Buffer) bool { return x == buffer })
			}
		}
	}
	return nil
}

// list puts the sources into the capture, each followed by its stream of data.
func (b *binder) list() {
	for _, s := range b.sources {
		if s == nil {
			continue
		}
		b.c.Sources = append(b.c.Sources, s)
		if in, ok := b.dataBuffers(s); ok && s.ID != 0 && s.ID+1 < firstReservedID {
			data := *s
			data.ID, data.Name, data.Buffers = s.ID+1, s.Name+"(stream:1)", in
			data.Problem = s.dataTrace()
			b.c.Sources = append(b.c.Sources, &data)
			b.cores[&data] = b.cores[s]
		}
	}
}

// dataBuffers returns the buffers with the data of a source, false if it sends none: those of
// the line for it, else those in frames of the source.
func (b *binder) dataBuffers(s *Source) ([]*Buffer, bool) {
	if in, ok := b.dataIn[s]; ok {
		return in, true
	}
	if !b.families.splitsData(s) {
		return nil, false
	}
	in := slices.DeleteFunc(slices.Clone(s.Buffers), func(x *Buffer) bool { return x.Format == SourceData })
	return in, true
}

// usesIDs reports whether the streams of a protocol have IDs by its registers.
func (b *binder) usesIDs(protocol string) bool {
	f := b.families.find(protocol)
	return f.Bind != nil && !f.Unframed
}

// checkIDs refuses what would mix sources: one ID for two of them, in one buffer
// or in two, or an ID that none can have.
func (b *binder) checkIDs() error {
	first := make(map[uint8]*Source)
	for _, s := range b.c.Sources {
		if len(s.Buffers) == 0 {
			continue
		}
		if id, ok := b.families.traceID(s.Protocol, s.Registers); ok && b.usesIDs(s.Protocol) && isReservedID(id) {
			register := b.families.traceIDField(s.Protocol).Registers[0]
			return &InputError{
				File: s.file, Section: "regs", Key: register,
				Problem: fmt.Sprintf("gives source %s the reserved ID %#02x", s.Name, id),
				Remedy: "IDs of sources are 0x01 to 0x6f; --reg " + register + "=VALUE sets it, or take the source out of " +
					"[source_buffers]",
			}
		}
		if s.ID == 0 {
			continue
		}
		other := first[s.ID]
		if other == nil {
			first[s.ID] = s
			continue
		}
		remedy := "correct the ID in one of them, or take it out of [source_buffers]"
		if !slices.ContainsFunc(s.Buffers, func(x *Buffer) bool { return slices.Contains(other.Buffers, x) }) {
			remedy = "export their buffers apart: --buffer " + other.Buffers[0].Name + ", then --buffer " + s.Buffers[0].Name
		}
		return &InputError{
			File: s.file, Section: "regs", Problem: fmt.Sprintf("give source %s the ID %#02x, which %s has in %s", s.Name, s.ID,
				other.Name, other.file),
			Remedy: remedy,
		}
	}
	return nil
}

// bindMemory gives each source the memory its core sees: images of the command
// line, then the core's own, then that of memory spaces (§6).
func (b *binder) bindMemory() {
	var shared []image.Region
	var withMemory []*device
	for _, d := range b.devices {
		switch {
		case d.class == classMemorySpace:
			shared = append(shared, d.memory...)
		case len(d.memory) > 0:
			withMemory = append(withMemory, d)
		}
	}
	seen := make(map[*device]*image.Memory) // by core; nil is none
	for _, s := range b.c.Sources {
		core := b.cores[s]
		traced := b.families.find(s.Protocol).Bind != nil && len(s.Buffers) > 0
		if traced && s.Core == "" && len(withMemory) == 1 {
			core = withMemory[0]
			b.add("no core is named for source %s in [core_trace_sources]: the memory of %s is used, the only core that has any",
				s.Name, core.name)
		}
		b.setProfile(s, core)
		var own []image.Region
		if core != nil {
			own = core.memory
		}
		if traced && len(b.images)+len(own)+len(shared) == 0 {
			b.noMemory("source " + s.Name)
		}
		if seen[core] == nil {
			seen[core] = image.New(image.Order(b.images, own, shared)...)
		}
		s.Memory = seen[core]
	}
}

// noMemory warns that no program can be followed.
func (r *reader) noMemory(what string) {
	r.add("%s has no program memory, so no instruction can be placed; --elf FILE or --image FILE@ADDR gives it some", what)
}

// setProfile sets the profile of s from the type of its core. Some protocols trace
// cores of one profile only.
func (b *binder) setProfile(s *Source, core *device) {
	traced := Profile(b.families.find(s.Protocol).Profile)
	if core != nil {
		s.CoreType = core.kind
		s.Profile = modelOfCore(core.kind).profile
		if s.Profile == ProfileUnknown && traced != ProfileUnknown {
			b.add("%s: core %s has the unknown type %q; profile %s is assumed", core.file, core.name, clip(core.kind), traced)
		}
	}
	if s.Profile == ProfileUnknown {
		s.Profile = traced
	}
}
