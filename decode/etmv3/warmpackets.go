package etmv3

import (
	"math"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
)

// This file is the fast path outside cycle-accurate mode.

// pathShare is that of [flow.Walker.Paths]: packets that have no path become runs, which costs more.
const pathShare = 1

// plainPackets is packets outside cycle-accurate mode: it holds the position and the counts in
// local variables. A P-header that comes again is an entry of the log, any other is runs.
func (w *warm) plainPackets(i, last int) int {
	d, at, pos, seq, taken, seed := w.d, w.at, w.pos, w.seq, 0, uint32(0)
	data, offsets, headers, walk := d.rec.Part.Data, &d.rec.Offsets, d.headers, d.walk
	paths, part, base := walk.Paths(pathShare), walk.Part(), d.rec.Result.Base
	log := newLog(d.rec.Result)
	pays := paths.Pay() && !d.cfg.TracesData()
	if at.Known() {
		seed = at.Seed(pos)
	}
packets:
	for i <= last && w.pause == flow.AtBlock {
		h := &headers[data[i]]
		switch {
		case h.kind == warmAtoms && at.Known():
			offset := int64(offsets.At(i))
			distance := uint64(offset - base)
			var p *flow.Path
			if pays && distance <= math.MaxUint32 {
				if p = paths.Take(at, pos, seed, data[i], part); p == nil {
					paths.Took(taken)
					taken = 0
					p = walk.Learn(at, pos, data[i], int(h.count), uint64(h.failed))
					pays = paths.Pay()
				}
			}
			if seq == w.from {
				d.rec.Settle()
			}
			if p == nil {
				w.at, w.pos, w.seq = at, pos, seq
				if !w.atoms(h, offset) {
					break packets
				}
				at, pos, seq = w.at, w.pos, w.seq
				if at.Known() {
					seed = at.Seed(pos)
				}
				i++
				continue
			}
			if log.named < w.n || log.n == len(log.entries) {
				log.nameRuns(w.n)
			}
			log.entries[log.n] = decode.Entry{Path: p.ID, Offset: uint32(distance)}
			log.n++
			taken++
			seq += int64(h.count)
			w.outcome = p.Outcome
			if at, pos, seed = p.To, int(p.Pos), p.Seed; !at.Known() {
				d.isa = p.Last.ISA() // for the address that follows
			}
			i++
		case h.kind == warmAddress:
			w.at, w.pos, w.seq = at, pos, seq
			length := w.address(data[i : i+maxAddressBytes])
			if length == 0 {
				break packets
			}
			w.addressAt, w.addressEnd, w.addressSeq = i, i+length, seq
			at, pos, seed = w.at, 0, w.at.Seed(0)
			i += length
		default:
			break packets
		}
	}
	paths.Took(taken)
	w.at, w.pos, w.seq = at, pos, seq
	log.end(d.rec.Result)
	return i
}

// A log is the entries of a result, while a loop writes them.
type log struct {
	entries []decode.Entry
	n       int // entries; the others are room
	named   int // runs before this index are named
}

func newLog(r *decode.Result) log { return log{r.Entries[:cap(r.Entries)], len(r.Entries), r.Named} }

// nameRuns names the runs that there are so far, and makes room for a path.
func (l *log) nameRuns(runs int) {
	if l.n+2 > len(l.entries) {
		l.entries = room(l.entries, l.n)
	}
	if n := runs - l.named; n > 0 {
		l.entries[l.n] = decode.Entry{Path: decode.OwnRuns, Offset: uint32(n)}
		l.n, l.named = l.n+1, runs
	}
}

func (l *log) end(r *decode.Result) { r.Entries, r.Named = l.entries[:l.n], l.named }
