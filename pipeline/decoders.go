package pipeline

import (
	"context"
	"sync"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
)

// decoders lends out the decoders of one source.
type decoders struct {
	new  func() decode.Decoder
	mu   sync.Mutex
	idle []decode.Decoder
	pool *decode.Pool
	// last are the rows of the unit seen last, of lastBytes.
	last      decode.Ends
	lastBytes int
}

// decoded is a unit on its way from a worker to the stitcher.
type decoded struct {
	*stitch.Unit
	bytes int64 // of memory that its rows take up
}

// decode decodes a unit, with the decoder of the unit before if it continues its
// segment.
func (d *decoders) decode(ctx context.Context, u *workUnit) (decoded, error) {
	if len(u.parts) == 0 {
		u.Rows = &decode.Result{}
		return decoded{&u.Unit, 0}, nil
	}
	defer u.done()
	u.cutUp()
	// Units are much alike, and growing costs as much as decoding does.
	rows := d.pool.NewResult(d.room(u.bytes), len(u.parts))
	var decoder decode.Decoder
	if u.prev == nil {
		decoder = d.get()
	} else {
		select {
		case decoder = <-u.prev:
		case <-ctx.Done():
			return decoded{}, ctx.Err()
		}
	}
	for i := range u.parts {
		u.parts[i].More = i < len(u.parts)-1
		decoder.Decode(rows, u.parts[i])
	}
	d.observe(rows.Ends(), u.bytes)
	rows.Clip()
	if u.next != nil {
		u.next <- decoder
	} else {
		d.put(decoder)
	}
	u.Rows = rows
	return decoded{&u.Unit, rows.Bytes()}, nil
}

func (d *decoders) get() decode.Decoder {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.idle); n > 0 {
		decoder := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return decoder
	}
	return d.new()
}

func (d *decoders) put(decoder decode.Decoder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, decoder)
}

// room estimates how many rows of each kind so many bytes make.
func (d *decoders) room(bytes int) (room decode.Ends) {
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
func (d *decoders) observe(rows decode.Ends, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last, d.lastBytes = rows, max(bytes, 1)
}
