package pipeline

import "github.com/tracelake/tracelake/decode/frame"

// noteFrames notes where the frames of a buffer are taken from, unless they are
// where those of a snapshot always are. Of a raw file it always notes it: nothing
// but the bytes themselves tell it.
func (p *plan) noteFrames(b *bufferPlan, found frame.Detection) {
	raw, given := p.capture.Template != nil, b.FrameOffset != nil
	switch {
	case found.Rival.OK:
		p.note("buffer %s: frames begin at offset 0x%x, as far as the streams tell; 0x%x is nearly as likely: --frame-offset 0x%x takes it",
			b.Name, found.Offset, found.Rival.V, found.Rival.V)
	case found.Sync && raw:
		p.note("buffer %s: frames are found by the sync packets between them", b.Name)
	case found.Offset != 0, raw && !given:
		p.note("buffer %s: frames begin at offset 0x%x", b.Name, found.Offset)
	}
}
