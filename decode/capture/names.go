package capture

import (
	"fmt"
	"slices"
	"strings"
)

// A directory finds things by name: exactly, or else without regard to case.
type directory struct {
	names         []string
	exact, folded map[string]int
}

func newDirectory(names []string) *directory {
	d := &directory{names: names, exact: make(map[string]int), folded: make(map[string]int)}
	for i, name := range slices.Backward(names) { // so that the first holds
		d.exact[name] = i
		d.folded[strings.ToLower(name)] = i
	}
	return d
}

// find returns the index of name; exact is false if only the case differs.
func (d *directory) find(name string) (i int, exact, ok bool) {
	if i, ok := d.exact[name]; ok {
		return i, true, true
	}
	i, ok = d.folded[strings.ToLower(name)]
	return i, false, ok
}

// find looks up the name in e, and warns if the case differs.
func (r *reader) find(d *directory, s *section, e entry, name string) (int, bool) {
	i, exact, ok := d.find(name)
	if ok && !exact {
		r.add("%s: [%s] %s: %q is taken for %q", s.file, s.name, clip(e.key), clip(name), d.names[i])
	}
	return i, ok
}

// someNames lists names for a message.
func someNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if n := len(names) - maxNamesSaid; n > 0 {
		return strings.Join(names[:maxNamesSaid], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// A location says where a device is in the target: key:value words, sorted, with
// numbers in one form.
type location []string

// parseLocation reads key:value words between commas.
func parseLocation(text string) location {
	var l location
	for _, word := range splitList(text) {
		key, value, _ := strings.Cut(strings.ToLower(word), ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if v, err := parseNumber(value); err == nil {
			value = fmt.Sprintf("%#x", v)
		}
		l = append(l, key+":"+value)
	}
	slices.Sort(l)
	return slices.Compact(l)
}
