package frame

// Only ID bytes show whether frames are in step: at a wrong offset data is read as
// IDs. All even offsets have the same mixed bytes, and so have all odd ones, except
// at the edges; so ID bytes show the parity, and A-syncs in the streams have to show
// the offset (docs/containers.md §2).

// mixedBytes returns the bytes of b that are mixed if a frame starts at parity
// (0 or 1), without those of sync frames.
func mixedBytes(b []byte, parity int) []byte {
	m := make([]byte, 0, len(b)/2+1)
	for i := 0; i < len(b); {
		if b[i] == lostByte && isSyncFrame(b[i:]) {
			i += frameSize
			continue
		}
		if i&1 == parity {
			m = append(m, b[i])
		}
		i++
	}
	return m
}

// A tally counts ID bytes.
type tally struct{ all, good int }

// add counts mixed byte b n times.
func (t *tally) add(b byte, ids IDSet, n int) {
	if b&1 == 1 {
		t.all += n
		if ids.Has(b >> 1) {
			t.good += n
		}
	}
}

// share is the share of good ones; 1 if there are none at all.
func (t tally) share() float64 {
	if t.all == 0 {
		return 1
	}
	return float64(t.good) / float64(t.all)
}

// count tallies mixed bytes.
func count(mixed []byte, ids IDSet) (t tally) {
	for _, b := range mixed {
		t.add(b, ids, 1)
	}
	return t
}

// countParities tallies the bytes that mixedBytes returns for frames of either parity,
// and copies none of them: a walk through what is no frames does this often.
func countParities(b []byte, ids IDSet) (t [2]tally) {
	for i := 0; i < len(b); {
		if b[i] == lostByte && isSyncFrame(b[i:]) {
			i += frameSize
			continue
		}
		t[i&1].add(b[i], ids, 1)
		i++
	}
	return t
}

// cut cuts b into parts of size bytes. A last part of less than half of that is
// added to the previous one.
func cut(b []byte, size int) (parts [][]byte) {
	for len(b) > size+size/2 {
		parts = append(parts, b[:size])
		b = b[size:]
	}
	return append(parts, b)
}

// goodIDs returns the IDs that frames may name: those of configured sources, null
// and trigger, and every legal one that makes up 5 % of the ID bytes in at least a
// quarter of the sections of mixed bytes. So one damaged section, which names many
// IDs, does not decide.
func goodIDs(sections [][]byte, configured []uint8) (ids IDSet) {
	var votes [128]int
	voters := 0
	for _, mixed := range sections {
		var n [128]int
		all := 0
		for _, b := range mixed {
			n[b>>1] += int(b & 1)
			all += int(b & 1)
		}
		voters += min(all, 1)
		for id, n := range n {
			if n > 0 && float64(n) >= commonShare*float64(all) {
				votes[id]++
			}
		}
	}
	for id := uint8(1); id < firstReservedID; id++ {
		if votes[id] > 0 && 4*votes[id] >= voters {
			ids.Add(id)
		}
	}
	for _, id := range configured {
		ids.Add(id)
	}
	ids.Add(NullID)
	ids.Add(TriggerID)
	return ids
}

// bestOffset returns the offset with the highest score of the streams in b, the
// first of equals, and the next best; without a score, the first offset.
func bestOffset(b []byte, offsets []int, score func(uint8, []byte) int) ranking {
	if score == nil || len(offsets) == 1 {
		return ranking{best: candidate{offset: offsets[0]}}
	}
	var of [128][]byte // the memory of all offsets
	return rank(offsets, func(offset int) (sum int) {
		streams(b[min(offset, len(b)):], &of)
		for id, stream := range of {
			if len(stream) > 0 {
				sum += score(uint8(id), stream)
			}
		}
		return sum
	})
}

// A candidate is an offset at which frames may begin, and the score of the
// streams in them.
type candidate struct{ offset, score int }

// A ranking is the best of some candidates, and the next best.
type ranking struct {
	best, next candidate
	ranked     bool // next is one
}

// rank rates two offsets or more. Of equals the first is the better.
func rank(offsets []int, rate func(offset int) int) (r ranking) {
	for i, o := range offsets {
		c := candidate{o, rate(o)}
		switch {
		case i == 0 || c.score > r.best.score:
			r.best, r.next = c, r.best
		case i == 1 || c.score > r.next.score:
			r.next = c
		}
	}
	r.ranked = true
	return r
}

// rival returns the next best offset, if its score is close to the best.
func (r *ranking) rival() (offset int, ok bool) {
	near := float64(r.next.score) >= nearScore*float64(r.best.score)
	return r.next.offset, r.ranked && r.best.score > 0 && near
}

// streams sets out to the bytes of each source in the frames of b.
func streams(b []byte, out *[128][]byte) {
	for id := range out {
		out[id] = out[id][:0]
	}
	var data [frameData]dataByte
	cur := uint8(unknownID)
	for ; len(b) >= frameSize; b = b[frameSize:] {
		if quiet(b[:frameSize], &lostBytes) == 0 {
			cur = unknownID
			continue
		}
		if lo, hi := halves(b); (lo|hi)&evenBits == 0 { // most have no ID byte: see Reader.take
			if IsSource(cur) {
				var plain [frameSize]byte
				putPlain(plain[:], lo, hi, b[auxByte])
				out[cur] = append(out[cur], plain[:frameData]...)
			}
			continue
		}
		n := 0
		n, cur = unpack(b, cur, &data)
		for _, d := range data[:n] {
			if IsSource(d.id) {
				out[d.id] = append(out[d.id], d.b)
			}
		}
	}
}
