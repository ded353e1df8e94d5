package page

import "strings"

// holds says what of the program is on the page, and what is not, for those who pass it on.
func (p *Page) holds() string {
	if p.PacketsOnly {
		return "This page holds nothing of the program."
	}
	names := "the names of " + count(p.Coverage.Functions.Of, "function")
	if f := p.Data.Files; f != nil {
		names += " and " + count(int64(len(f.Path)), "source file")
	}
	text, withKinds, withOpcodes := p.textFiles(), false, false
	for _, code := range p.opcodes() {
		withKinds, withOpcodes = true, withOpcodes || code != ""
	}
	has, lacks := []string{"addresses"}, []string{}
	if withKinds {
		has[0] += " and kinds of instructions"
	}
	for _, part := range []struct {
		is         bool
		what, none string
	}{
		{p.Data.Named, names, "no names of functions"},
		{text > 0, "the text of " + count(text, "source file"), "no source text"},
		{withOpcodes, "opcodes", "no opcodes"},
	} {
		if part.is {
			has = append(has, part.what)
		} else {
			lacks = append(lacks, part.none)
		}
	}
	all := "Of the program this page holds " + strings.Join(has, ", ")
	if len(lacks) > 0 {
		all += "; " + strings.Join(lacks, ", ")
	}
	return all + "."
}

// textFiles is of how many source files the page has the text.
func (p *Page) textFiles() (n int64) {
	if p.Data.Source == nil {
		return 0
	}
	for i := range p.Data.Source.Files {
		if p.Data.Source.Files[i].Text != nil {
			n++
		}
	}
	return n
}

// opcodes are those of the instructions on the page; "" is one that the page is not to hold.
func (p *Page) opcodes() (all []string) {
	if s := p.Data.Source; s != nil {
		for i := range s.Files {
			if code := s.Files[i].Code; code != nil {
				all = append(all, code.Opcode...)
			}
		}
	}
	for i := range p.Data.Times {
		if detail := p.Data.Times[i].Detail; detail != nil {
			all = append(all, detail.Opcode...)
		}
	}
	return all
}
