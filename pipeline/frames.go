package pipeline

import "github.com/tracelake/tracelake/decode/frame"

// noteFrames notes where the first frame of a buffer is, unless it is where
// snapshots always have it. For a raw file it always notes the place, which was
// found from the bytes alone.
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
