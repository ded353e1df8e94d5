package engine

import (
	"context"
	"sync"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
)

// Decoders lends out the decoders of one source.
type Decoders struct {
	new  func() decode.Decoder
	mu   sync.Mutex
	idle []decode.Decoder
	pool *decode.Pool
	// last are the rows of the unit seen last, of lastBytes.
	last      decode.Ends
	lastBytes int
}

// NewDecoders returns those that new makes; their rows are of pool.
func NewDecoders(pool *decode.Pool, new func() decode.Decoder) *Decoders {
	return &Decoders{pool: pool, new: new}
}

// Decoded is a unit on its way from a worker to the stitcher.
type Decoded struct {
	*stitch.Unit
	Bytes int64 // of memory that its rows take up
}

// Decode decodes a unit, with the decoder of the unit before if it continues its
// segment.
func (d *Decoders) Decode(ctx context.Context, u *Unit) (Decoded, error) {
	if len(u.Parts) == 0 {
		u.Rows = &decode.Result{}
		return Decoded{&u.Unit, 0}, nil
	}
	defer u.done()
	u.CutUp()
	// Units are much alike, and growing costs as much as decoding does.
	rows := d.pool.NewResult(d.room(u.Bytes), len(u.Parts))
	var decoder decode.Decoder
	if u.prev == nil {
		decoder = d.get()
	} else {
		select {
		case decoder = <-u.prev:
		case <-ctx.Done():
			return Decoded{}, ctx.Err()
		}
	}
	for i := range u.Parts {
		u.Parts[i].More = i < len(u.Parts)-1
		decoder.Decode(rows, u.Parts[i])
	}
	d.observe(rows.Ends(), u.Bytes)
	rows.Clip()
	if u.next != nil {
		u.next <- decoder
	} else {
		d.put(decoder)
	}
	u.Rows = rows
	return Decoded{&u.Unit, rows.Bytes()}, nil
}

func (d *Decoders) get() decode.Decoder {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.idle); n > 0 {
		decoder := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return decoder
	}
	return d.new()
}

func (d *Decoders) put(decoder decode.Decoder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, decoder)
}

// room estimates how many rows of each kind so many bytes make.
func (d *Decoders) room(bytes int) (room decode.Ends) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for kind, n := range d.last {
		if n > 0 {
			room[kind] = n*bytes/d.lastBytes + n/16 + 8
		}
	}
	return room
}

// observe notes how many rows so many bytes made.
func (d *Decoders) observe(rows decode.Ends, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last, d.lastBytes = rows, max(bytes, 1)
}
