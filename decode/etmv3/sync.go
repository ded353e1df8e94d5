package etmv3

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/decode/async"
)

// FindISync parses the packets of b up to the first I-sync that is not bad
// (docs/etmv3.md §8.3). b begins after an A-sync (§7.10.4), or where an earlier
// call stopped, and ends no later than the end of the next A-sync, so that no
// packet can hide an A-sync.
//
// With ISyncFound, n bytes precede the I-sync; with ISyncUnknown, n bytes are
// whole packets and b ends inside the packet after them. With NoISync, after a bad
// packet or an A-sync, n is 0.
func (c *Config) FindISync(b []byte) (n int, found async.Found) {
	var p Packet
	for {
		n += c.skip(b[n:])
		err := c.Parse(&p, b[n:])
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return n, async.ISyncUnknown
		case err != nil, p.Kind == ASync:
			return 0, async.NoISync
		case p.Kind == ISync && !p.Bad:
			return n, async.ISyncFound
		}
		n += p.Len
	}
}

// skip returns how many bytes at the start of b are P-headers and branch addresses, which
// most packets are: as Parse has them, but of a branch address only the length.
func (c *Config) skip(b []byte) (n int) {
	headers := c.pheaders()
	for n < len(b) {
		switch h := b[n]; {
		case h&0x81 == pheaderFormat1 && !headers[h>>1&0x3f].reserved():
			n++
		case h&1 != 0 && !c.DataOnly:
			address, info, err := c.branchLens(h, b[n:], !c.AltBranch)
			if err != nil {
				return n
			}
			n += address + info
		default:
			return n
		}
	}
	return n
}
