// Package page writes the report page: one HTML file that needs no network, in which a
// dataset is looked at.
//
// Data flows one way. Package content reads what is shown; [Page.Write] writes the page, [Page.Fit]
// one of a size. Its text is from a template: four answers, how far the figures can be trusted,
// totals, and the ten hottest functions and files can be read without JavaScript. What tables and
// pictures are drawn from is in one block of [content.Data], which the modules in js lay out, filter
// and sort. They compute no figure but what ran in a range of the time that somebody drags over.
//
// A page has two script elements, that block and the module, and a content security policy
// that allows no other script, style or connection. All names in it are other people's: the
// template escapes them, the module writes text nodes only.
//
// Its API is not stable (docs/guide/library.md).
package page

import "github.com/tracelake/tracelake/pipeline/report/page/content"

// A Page is the page of a content, which it lays out.
type Page struct {
	*content.Content

	dropped []string // what was left out for the size of the page
}

// Read reads the page of datasets of one program. It fails as [content.Read] does.
func Read(dirs []string, opt content.Options) (*Page, error) {
	c, err := content.Read(dirs, opt)
	if err != nil {
		return nil, err
	}
	return &Page{Content: c}, nil
}
