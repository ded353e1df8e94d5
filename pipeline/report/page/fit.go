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
// page. First go lines that were not seen, of files without text, then the instructions of lines, and those around points of
// the time; then calls that are too short to be seen. [Page.Notes] says what went. It fails with a [*SizeError] if that is
// not enough.
func (p *Page) Fit(most int64) ([]byte, error) {
	text, err := p.bytes()
	if err != nil || int64(len(text)) <= most {
		return text, err
	}
	for _, part := range []struct {
		drop func() int64
		what string // of several
	}{
		{p.DropNotSeen, "lines that were not seen, of files without text"},
		{p.DropCode, "instructions of source lines"},
		{p.DropDetail, "single instructions around points of the time"},
	} {
		n := part.drop()
		if n == 0 {
			continue
		}
		p.dropped = append(p.dropped, figures.Thousands(n)+" "+part.what)
		if text, err = p.bytes(); err != nil || int64(len(text)) <= most {
			return text, err
		}
	}
	dropped := p.dropped
	for _, parts := range resolutions {
		if p.Drawn() == 0 {
			break
		}
		before := p.Drawn()
		p.Draw(parts)
		p.dropped = append(slices.Clip(dropped), fmt.Sprintf("calls shorter than 1/%s of the one around them, one by one",
			figures.Thousands(parts)))
		if p.Drawn() == before {
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
