package page

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode/figures"
)

// A SizeError says that a page cannot be made small enough.
type SizeError struct{ Bytes, Most int64 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("the page takes %s bytes, more than --max-size %s, with all left out that can be; give a larger "+
		"--max-size, or fewer datasets",
		figures.Thousands(e.Bytes), figures.Thousands(e.Most))
}

// resolutions are those that pictures of the time are drawn in, each until the page is small enough.
var resolutions = []int64{1000, 250, 60}

// Fit leaves out what is needed least until the page takes at most so many bytes, and returns the
// page. First go lines that were not seen, of files without text, then single instructions; then calls that are too short to
// be seen. [Page.Notes] says what went. It fails with a [*SizeError] if that is not enough.
func (p *Page) Fit(most int64) ([]byte, error) {
	text, err := p.bytes()
	if err != nil || int64(len(text)) <= most {
		return text, err
	}
	if n := p.dropNotSeen(); n > 0 {
		p.dropped = append(p.dropped, figures.Thousands(n)+" lines that were not seen, of files without text")
		if text, err = p.bytes(); err != nil || int64(len(text)) <= most {
			return text, err
		}
	}
	if n := p.dropDetail(); n > 0 {
		p.dropped = append(p.dropped, count(n, "single instruction"))
		if text, err = p.bytes(); err != nil || int64(len(text)) <= most {
			return text, err
		}
	}
	dropped := p.dropped
	for _, parts := range resolutions {
		if p.profile == nil && p.times == nil {
			break
		}
		before := p.drawn()
		p.draw(parts)
		p.dropped = append(slices.Clip(dropped), fmt.Sprintf("calls shorter than 1/%s of the one around them, one by one",
			figures.Thousands(parts)))
		if p.drawn() == before {
			p.dropped = dropped
			continue
		}
		if text, err = p.bytes(); err != nil || int64(len(text)) <= most {
			return text, err
		}
	}
	return nil, &SizeError{int64(len(text)), most}
}

func (p *Page) bytes() ([]byte, error) {
	var out bytes.Buffer
	err := p.Write(&out)
	return out.Bytes(), err
}

// drawn counts the spans and nodes of pictures.
func (p *Page) drawn() int {
	n := 0
	if p.Data.Flame != nil {
		n = len(p.Data.Flame.Parent)
	}
	for i := range p.Data.Times {
		n += len(p.Data.Times[i].Depth)
	}
	return n
}

// dropNotSeen drops the lines that were not seen of files without text, and counts them.
func (p *Page) dropNotSeen() (lines int64) {
	if p.Data.Source == nil {
		return 0
	}
	for i := range p.Data.Source.Files {
		if f := &p.Data.Source.Files[i]; f.Text == nil {
			lines += int64(len(f.NotSeen))
			f.NotSeen = []uint32{}
		}
	}
	return lines
}

// dropDetail drops the instructions around points, and counts them.
func (p *Page) dropDetail() (n int64) {
	for i, c := range p.times {
		if c.detail != nil {
			n += int64(len(c.detail.Code))
			c.detail, p.Data.Times[i].Detail = nil, nil
		}
	}
	return n
}
