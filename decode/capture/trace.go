package capture

import (
	"fmt"
	"slices"
	"strings"
)

// A traceINI is the content of the trace's ini file (§5.4).
type traceINI struct {
	file          string
	byName        *directory // of buffers; also of those that are not chosen
	chosen        []*Buffer  // by index in byName; nil if not chosen
	sourceBuffers *section   // nil if there is none
	coreSources   *section   // nil if there is none
}

// formats are the known words for format=.
var formats = []Format{CoreSight, SourceData, DStream}

// readTrace reads the trace's ini file and opens the buffers. It returns nil if
// the snapshot has no trace.
func (r *reader) readTrace(snapshot *iniFile) (*traceINI, error) {
	trace, err := snapshot.section("trace")
	if err != nil || trace == nil {
		return nil, err
	}
	if err := trace.only("metadata"); err != nil {
		return nil, err
	}
	metadata, ok := trace.get("metadata")
	if !ok {
		return nil, nil
	}
	ini, err := r.openINI(trace, metadata)
	if err != nil {
		return nil, err
	}
	t := &traceINI{file: ini.name}
	if t.sourceBuffers, err = ini.section("source_buffers"); err != nil {
		return nil, err
	}
	if t.coreSources, err = ini.section("core_trace_sources"); err != nil {
		return nil, err
	}
	if err := r.readTimestamp(ini); err != nil {
		return nil, err
	}
	ids, err := r.readBuffers(t, ini)
	if err != nil {
		return nil, err
	}
	r.noteOthers(ini, func(name string) bool {
		return reserved(name) || slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, name) })
	})
	return t, r.placeBuffers()
}

// readBuffers reads [trace_buffers] and the section of each buffer, and opens
// the files of those to read. It returns the names of the sections.
func (r *reader) readBuffers(t *traceINI, ini *iniFile) ([]string, error) {
	list, err := ini.section("trace_buffers")
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, &InputError{File: ini.name, Section: "trace_buffers", Problem: "is missing",
			Remedy: "add it, with buffers=buffer0"}
	}
	if err := list.only("buffers"); err != nil {
		return nil, err
	}
	e, err := list.require("buffers")
	if err != nil {
		return nil, err
	}
	ids := splitList(e.value)
	sections := make([]*section, len(ids))
	names := make([]string, len(ids))
	for i, id := range ids {
		s, err := ini.section(id)
		if err != nil {
			return nil, err
		}
		if s == nil {
			return nil, list.wrong(e, fmt.Sprintf("names %q, but there is no section [%s]", clip(id), clip(id)),
				"the sections are "+someNames(ini.others(reserved)))
		}
		if slices.Contains(sections[:i], s) {
			return nil, list.wrong(e, fmt.Sprintf("names %q twice", clip(id)), "remove one of them")
		}
		name, err := s.require("name")
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name.value) {
			return nil, s.wrong(name, fmt.Sprintf("is %q, as that of another buffer", clip(name.value)),
				"give each buffer a name of its own")
		}
		sections[i], names[i] = s, name.value
	}
	t.byName = newDirectory(names)
	t.chosen = make([]*Buffer, len(ids))
	only, err := r.chooseBuffer(t, ini)
	if err != nil {
		return nil, err
	}
	for i, s := range sections {
		if only >= 0 && i != only {
			continue
		}
		b, err := r.readBuffer(s)
		if err != nil {
			return nil, err
		}
		t.chosen[i] = b
		r.c.Buffers = append(r.c.Buffers, b)
	}
	return ids, nil
}

// reserved reports whether a section of trace.ini is of no buffer.
func reserved(name string) bool {
	return slices.Contains([]string{"trace_buffers", "source_buffers", "core_trace_sources", "timestamp"}, name)
}

// chooseBuffer returns the index of the buffer --buffer names, or -1 if it is not
// given.
func (r *reader) chooseBuffer(t *traceINI, ini *iniFile) (int, error) {
	if r.opt.Buffer == "" {
		return -1, nil
	}
	i, exact, ok := t.byName.find(r.opt.Buffer)
	if !ok {
		return 0, usage("--buffer "+r.opt.Buffer, "is no buffer of "+ini.name, "there are "+someNames(t.byName.names))
	}
	if !exact {
		r.add("--buffer %s is taken for %q", r.opt.Buffer, t.byName.names[i])
	}
	return i, nil
}

// readBuffer reads the section of a buffer and opens its files.
func (r *reader) readBuffer(s *section) (*Buffer, error) {
	if err := s.only("name", "file", "format"); err != nil {
		return nil, err
	}
	b := &Buffer{ID: s.name, Name: s.value("name")}
	format, ok := s.get("format")
	i := slices.IndexFunc(formats, func(f Format) bool { return strings.EqualFold(f.String(), format.value) })
	switch {
	case !ok || format.value == "":
		r.add("%s: [%s] format is missing and taken as coresight", s.file, s.name)
	case i < 0:
		return nil, s.wrong(format, fmt.Sprintf("is %q, which is not known", clip(format.value)),
			"known are "+strings.Join(formatNames, ", "))
	default:
		b.Format = formats[i]
	}
	file, err := s.require("file")
	if err != nil {
		return nil, err
	}
	b.Files = splitList(file.value)
	switch n := len(b.Files); {
	case n == 0:
		return nil, s.wrong(file, "names no file", "give a file")
	case n > maxBufferFiles:
		return nil, s.wrong(file, fmt.Sprintf("names %d files, more than the limit of %d", n, maxBufferFiles),
			"join them into fewer files")
	}
	data := new(concat)
	for i, name := range b.Files {
		shown := r.dir.display(name)
		b.Files[i] = shown
		if _, ok := r.trace[shown]; !ok {
			f, size, err := r.open(s, file, name)
			if err != nil {
				return nil, err
			}
			r.keep(shown, shown, f, size)
		}
		data.add(r.trace[shown].data, r.trace[shown].size)
	}
	b.Data, b.Size = data, data.size
	return b, nil
}
