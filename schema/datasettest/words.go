package datasettest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// words are those of a line. The first thing that is wrong with them is kept.
type words struct {
	plain []string
	keys  map[string]string // KEY=VALUE
	err   error
}

func split(line string) (*words, error) {
	w := &words{keys: map[string]string{}}
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimSpace(rest) {
		end := strings.IndexAny(rest, " \"")
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if rest = rest[end:]; strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, err
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			rest = rest[len(quoted):]
			if key, ok := strings.CutSuffix(word, "="); ok {
				w.keys[key] = text
			} else {
				w.plain = append(w.plain, text)
			}
			continue
		}
		if key, value, ok := strings.Cut(word, "="); ok {
			w.keys[key] = value
		} else {
			w.plain = append(w.plain, word)
		}
	}
	return w, nil
}

func (w *words) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *words) word(i int) string {
	if i >= len(w.plain) {
		w.fail("%d words, need %d", len(w.plain), i+1)
		return ""
	}
	return w.plain[i]
}

func (w *words) number(i int) int64 { return w.parse(w.word(i)) }

func (w *words) address(i int) schema.Address {
	a, err := strconv.ParseUint(w.word(i), 0, 64)
	if err != nil {
		w.fail("%w", err)
	}
	return schema.Address(a)
}

func (w *words) parse(text string) int64 {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		w.fail("%w", err)
	}
	return n
}

func (w *words) key(name, otherwise string) string {
	if text, ok := w.keys[name]; ok {
		return text
	}
	return otherwise
}

func (w *words) keyNumber(name string, otherwise int64) int64 {
	if text, ok := w.keys[name]; ok {
		return w.parse(text)
	}
	return otherwise
}

func (w *words) share(name string) *float64 {
	text, ok := w.keys[name]
	if !ok {
		return nil
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil {
		w.fail("%w", err)
	}
	return &share
}
