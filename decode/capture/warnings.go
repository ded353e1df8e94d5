package capture

import "fmt"

// warnings are remarks on input that is read all the same.
type warnings struct{ list []string }

// add adds a remark.
func (w *warnings) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case len(w.list) == maxWarnings:
		w.list = append(w.list, "further warnings are left out")
		return
	case len(w.list) > maxWarnings:
		return
	}
	w.list = append(w.list, text)
}

// number reads a number. It warns that a number with leading zeros is read as
// decimal, since other programs read it as octal.
func (w *warnings) number(s string) (uint64, error) {
	v, err := parseNumber(s)
	if err == nil && len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' {
		w.add("the number %s is taken as decimal, %d, in spite of its leading zeros", s, v)
	}
	return v, err
}
