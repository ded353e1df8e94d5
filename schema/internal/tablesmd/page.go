package main

import (
	"fmt"
	"slices"
	"strings"
)

// A page says once what a column means that many sections have, or that takes a long sentence: where it
// comes again, it names the section that describes it.
type page struct {
	text    strings.Builder
	shared  section   // the columns that are described before all
	written []section // with the columns that they describe themselves
}

// A group is what sections that follow one another are about.
type group struct {
	about string
	first string // the name of its first section
}

// index lists the sections in groups.
func (p *page) index(groups []group, sections []section) {
	for _, s := range sections {
		before := ", "
		if len(groups) > 0 && groups[0].first == s.name {
			before = fmt.Sprintf("\n- **%s**: ", groups[0].about)
			groups = groups[1:]
		}
		p.text.WriteString(before + link(s.name))
	}
	p.text.WriteString("\n")
}

func (p *page) sections(sections []section) {
	for _, s := range sections {
		p.section(s)
	}
}

// section writes a section: which of the shared columns it has, and a table of the others.
func (p *page) section(s section) {
	fmt.Fprintf(&p.text, "\n## %s\n\n%s\n", s.name, s.intro)
	var shared, own []column
	for _, c := range s.columns {
		if p.shared.describes(c) {
			shared = append(shared, c)
		} else {
			own = append(own, c)
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(&p.text, "[Shared](#%s): %s.\n", anchor(p.shared.name), names(shared))
	}
	p.columns(s.name, own)
	if s.example != "" {
		fmt.Fprintf(&p.text, "\n```sql\n%s\n```\n", s.example)
	}
}

// columns writes a table of columns of a section. Those that follow one another and that one section before
// describes have one row, with a link to it.
func (p *page) columns(of string, columns []column) {
	described := section{name: of}
	p.text.WriteString("\n| column | meaning |\n|---|---|\n")
	for len(columns) > 0 {
		from, n := p.described(columns)
		if from == nil {
			c := columns[0]
			fmt.Fprintf(&p.text, "| `%s` %s | %s |\n", c.name, strings.TrimSpace(c.kind+" "+c.unit), cell(p.meaning(c)))
			described.columns = append(described.columns, c)
		} else {
			fmt.Fprintf(&p.text, "| %s | as in %s |\n", names(columns[:n]), link(from.name))
		}
		columns = columns[n:]
	}
	p.written = append(p.written, described)
}

// long is how many words are not said twice.
const long = 8

// described returns how many columns of these, from the first on, one section before describes, and the first section
// that describes most. It returns nil and 1 where to say it again is as short as a link.
func (p *page) described(columns []column) (from *section, n int) {
	for i, s := range p.written {
		run, words := 0, 0
		for run < len(columns) && s.describes(columns[run]) {
			words += len(strings.Fields(columns[run].doc)) + len(columns[run].values)
			run++
		}
		if run > n && words+run > long {
			from, n = &p.written[i], run
		}
	}
	return from, max(n, 1)
}

// meaning returns the sentence of c, and its values unless it explains each of them, or a column before
// has them, too.
func (p *page) meaning(c column) string {
	if len(c.values) == 0 {
		return c.doc
	}
	if doc, all := c.explained(); all {
		return doc
	}
	if s, d := p.lister(c); s != nil {
		return fmt.Sprintf("%s One of those of [%s](#%s)%s.", c.doc, d.name, anchor(s.name), or(c.values[len(d.values):]))
	}
	return c.doc + " One of " + quoted(c.values) + "."
}

// lister returns the first column that has the values of c, all but some at their end, and its section.
func (p *page) lister(c column) (*section, *column) {
	for i := range p.written {
		s := &p.written[i]
		for j := range s.columns {
			d := &s.columns[j]
			if n := len(d.values); n > 3 && n <= len(c.values) && slices.Equal(d.values, c.values[:n]) {
				return s, d
			}
		}
	}
	return nil, nil
}

func or(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return ", or " + quoted(values)
}

func quoted(values []string) string { return "`" + strings.Join(values, "` `") + "`" }

func link(name string) string { return fmt.Sprintf("[%s](#%s)", name, anchor(name)) }

func anchor(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

func names(columns []column) string {
	var names []string
	for _, c := range columns {
		names = append(names, "`"+c.name+"`")
	}
	return strings.Join(names, ", ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
