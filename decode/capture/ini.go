package capture

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An iniFile is a parsed ini file (§5.1). Faults inside a section are reported when
// the section is asked for: unknown sections may contain anything.
type iniFile struct {
	name     string // as in messages
	sections []*section
}

type section struct {
	file    string
	name    string
	entries []entry
	keys    map[string]int // index into entries, by key in lower case
	fault   *InputError    // the first bad line
}

type entry struct {
	key, value string
	line       int
	comment    bool // a comment was cut off the line
}

// parseINI splits text into sections and entries. name is for messages.
func parseINI(name, text string) (*iniFile, error) {
	f := &iniFile{name: name}
	var s *section
	text = strings.TrimPrefix(text, "\ufeff")
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if len(line) > maxLineBytes {
			return nil, &InputError{
				File: name, Line: n, Problem: fmt.Sprintf("is a line of %d bytes, more than the limit of %d", len(line),
					maxLineBytes),
				Remedy: "is this an ini file?",
			}
		}
		line, comment := cutComment(line)
		if line == "" {
			continue
		}
		if title, ok := header(line); ok {
			s = &section{file: name, name: title, keys: make(map[string]int)}
			f.sections = append(f.sections, s)
			continue
		}
		if s == nil {
			return nil, &InputError{
				File: name, Line: n, Problem: fmt.Sprintf("%q stands before the first [section]", clip(line)),
				Remedy: "is this an ini file?",
			}
		}
		s.add(line, n, comment)
	}
	return f, nil
}

// cutComment returns line without comment and blanks around it, and whether
// there was a comment.
func cutComment(line string) (string, bool) {
	i := strings.IndexAny(line, "#;")
	if i >= 0 {
		line = line[:i]
	}
	return strings.Trim(line, " \t\r"), i >= 0
}

// header returns the name in a line that holds '[' and, later, ']'.
func header(line string) (string, bool) {
	_, rest, ok := strings.Cut(line, "[")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, "]")
	return strings.Trim(name, " \t"), ok
}

// add adds the entry in line n to s.
func (s *section) add(line string, n int, comment bool) {
	key, value, ok := strings.Cut(line, "=")
	key = strings.TrimRight(key, " \t")
	switch {
	case !ok:
		s.blame(n, fmt.Sprintf("%q has no '='", clip(line)), "write key=value, or make it a comment with #")
		return
	case key == "":
		s.blame(n, fmt.Sprintf("%q has no key before '='", clip(line)), "write key=value, or make it a comment with #")
		return
	}
	folded := strings.ToLower(key)
	if first, ok := s.keys[folded]; ok {
		s.blame(n, fmt.Sprintf("%s is there already, in line %d", key, s.entries[first].line), "remove one of them")
		return
	}
	s.keys[folded] = len(s.entries)
	s.entries = append(s.entries, entry{key: key, value: unquote(strings.TrimLeft(value, " \t")), line: n,
		comment: comment})
}

func (s *section) blame(line int, problem, remedy string) {
	if s.fault == nil {
		s.fault = &InputError{File: s.file, Line: line, Section: s.name, Problem: problem, Remedy: remedy}
	}
}

// unquote strips single or double quotes around s.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// clip shortens text from a file for use in a message.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// is reports whether s has that name, in any case.
func (s *section) is(name string) bool { return strings.EqualFold(s.name, name) }

// section returns the section of that name, in any case, or nil if there is
// none. It fails if there are two or one of its lines is bad.
func (f *iniFile) section(name string) (*section, error) {
	var found *section
	for _, s := range f.sections {
		if !s.is(name) {
			continue
		}
		if found != nil {
			return nil, &InputError{File: f.name, Section: s.name, Problem: "is there twice", Remedy: "make them one section"}
		}
		found = s
	}
	if found != nil && found.fault != nil {
		return nil, found.fault
	}
	return found, nil
}

// others returns the names of the sections that are not known, without repeats.
func (f *iniFile) others(known func(name string) bool) []string {
	var names []string
	seen := make(map[string]bool)
	for _, s := range f.sections {
		if folded := strings.ToLower(s.name); !known(folded) && !seen[folded] {
			seen[folded] = true
			names = append(names, "["+clip(s.name)+"]")
		}
	}
	return names
}

// get returns the entry of that key, in any case. It may be asked of nil.
func (s *section) get(key string) (entry, bool) {
	if s == nil {
		return entry{}, false
	}
	i, ok := s.keys[strings.ToLower(key)]
	if !ok {
		return entry{}, false
	}
	return s.entries[i], true
}

// value returns the value of key, or "" if it is not there.
func (s *section) value(key string) string {
	e, _ := s.get(key)
	return e.value
}

// require returns the entry of key; it fails if there is none or it is empty.
func (s *section) require(key string) (entry, error) {
	e, ok := s.get(key)
	if !ok || e.value == "" {
		return e, &InputError{File: s.file, Section: s.name, Key: key, Problem: "is missing", Remedy: "add " + key + "=…"}
	}
	return e, nil
}

// only fails if s has another key than those.
func (s *section) only(keys ...string) error {
	known := make(map[string]bool)
	for _, k := range keys {
		known[k] = true
	}
	for _, e := range s.entries {
		if !known[strings.ToLower(e.key)] {
			return s.wrong(e, "is no key of this section", "known are "+strings.Join(keys, ", "))
		}
	}
	return nil
}

// wrong returns the error for an entry whose line is bad.
func (s *section) wrong(e entry, problem, remedy string) *InputError {
	return &InputError{File: s.file, Line: e.line, Section: s.name, Key: clip(e.key), Problem: problem, Remedy: remedy}
}

// parseNumber reads a decimal or 0x number of up to 64 bits.
func parseNumber(s string) (uint64, error) {
	digits, base := s, 10
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		digits, base = s[2:], 16
	}
	v, err := strconv.ParseUint(digits, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("has the number %s, which does not fit in 64 bits", clip(s))
	case err != nil:
		return 0, fmt.Errorf("has %q, which is no number (0x… or decimal)", clip(s))
	}
	return v, nil
}

// splitList splits a comma-separated value; items are trimmed and unquoted,
// empty ones left out.
func splitList(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = unquote(strings.Trim(item, " \t")); item != "" {
			items = append(items, item)
		}
	}
	return items
}
