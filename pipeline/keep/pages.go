package keep

import (
	"fmt"

	"github.com/tracelake/tracelake/decode/image"
)

// maxPageRanges is how many ranges of pages a manifest names: a decoder that looked in more
// places had no program to follow.
const maxPageRanges = 4096

// PagesText returns what a manifest says of pages, nil if they are in too many places.
func PagesText(p *image.Pages) []string {
	ranges := p.Ranges()
	if len(ranges) > maxPageRanges {
		return nil
	}
	texts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		texts = append(texts, r.First.Hex()+"-"+r.Last.Hex())
	}
	return texts
}

// ParsePages is the inverse of PagesText.
func ParsePages(texts []string) (*image.Pages, error) {
	if len(texts) > maxPageRanges {
		return nil, fmt.Errorf("%d ranges of pages", len(texts))
	}
	p := &image.Pages{}
	for _, text := range texts {
		var r image.PageRange
		if _, err := fmt.Sscanf(text, "0x%x-0x%x", &r.First, &r.Last); err != nil || r.First > r.Last {
			return nil, fmt.Errorf("%q is no range of pages", text)
		}
		p.Add(r.First, r.Last)
	}
	return p, nil
}
