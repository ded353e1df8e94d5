package page

import (
	"html/template"
)

// A text is what can be read on a page without JavaScript.
type text struct {
	Title      string
	Sub        string
	Doubtful   bool // another program ran
	Sections   []link
	First      []firstAnswer
	Trust      *trustText
	Before     *baselineText // nil: the page is of one run
	Coverage   *coverageText
	Hot        *hotText
	Source     *sourceText
	Time       *timeText
	Exceptions *exceptionsText
	Holds      string   // what of the program is on the page
	Dropped    []string // what was left out for the size of the page
}

// A link leads to a section.
type link struct{ ID, Name string }

// text returns what can be read without JavaScript.
func (p *Page) text() *text {
	t := &text{
		Title: p.Title, Sub: p.subtitle(), Doubtful: p.wrongImage(), Trust: p.trustText(), First: p.withChanges(p.firstAnswers()), Exceptions: p.exceptionsText(),
		Dropped: p.dropped, Holds: p.holds(), Before: p.baselineText(),
	}
	if p.Coverage != nil {
		t.Coverage, t.Hot, t.Source, t.Time = p.coverageText(), p.hotText(), p.sourceText(), p.timeText()
	}
	for _, s := range []struct {
		is bool
		link
	}{
		{t.Coverage != nil, link{"code", "Code"}},
		{t.Source != nil, link{"source", "Source"}},
		{t.Time != nil, link{"time", "Time"}},
		{t.Exceptions != nil, link{"exceptions", "Exceptions"}},
		{true, link{"trust", "Trust"}},
	} {
		if s.is {
			t.Sections = append(t.Sections, s.link)
		}
	}
	return t
}

// A document is what the template fills in.
type document struct {
	Policy template.HTMLAttr
	Styles template.CSS
	Module template.JS
	Data   template.HTML
	*text
}

// Notes are what was left out for the size of the page.
func (p *Page) Notes() []string { return p.dropped }
