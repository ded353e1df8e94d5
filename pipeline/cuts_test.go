package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// Where segments begin changes no row. A-syncs before I-syncs cut a stream into
// segments that are decoded independently; the stitcher carries over the state
// that the decoder keeps where there is no cut.
func TestCutsChangeNothing(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	rows, segments := 0, int64(0)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		tr := &trace{id: 0x10, protocol: fuzzProtocol(t, uint16(r.Uint32())), memory: fuzzMemory()}
		cfg := tr.protocol.(*pft.Config)
		async := cfg.Append(nil, pft.Packet{Kind: pft.ASync, Len: 6})
		isync := randomISync(cfg, r)
		cut, uncut := slices.Concat(async, isync), slices.Concat(async, isync)
		place := map[int64]int{6: 6}
		for range 20 + r.IntN(60) {
			packet := randomPacket(cfg, r)
			if packet == nil {
				packet = randomISync(cfg, r)
				if r.IntN(3) > 0 { // the others restart the flow inside a segment
					cut = append(cut, async...)
				}
			}
			place[int64(len(cut))] = len(uncut)
			cut, uncut = append(cut, packet...), append(uncut, packet...)
		}
		want := tr.with(cut).decodeStream(t, tr.with(cut).stream(wholePieces), decodeOptions{grain: engine.Grain{Unit: 1, Part: engine.PartBytes, Chunk: engine.ChunkBytes}})
		long := &longTrace{trace: tr.with(uncut), place: place}
		got := long.decode(t)
		want.checkAccounts(t, len(cut))
		got.checkAccounts(t, len(uncut))
		if got.totals.Segments != 1 || got.totals.BytesDecoded != int64(len(uncut)-6) || got.totals.Gaps != want.totals.Gaps {
			t.Errorf("totals %+v\nand with cuts %+v", got.totals, want.totals)
		}
		long.sameButSegments(t, want, got)
		if t.Failed() {
			t.Fatalf("seed %d: %+v\n% x", seed, *cfg, cut)
		}
		rows += got.rows(&schema.Instructions)
		segments += want.totals.Segments
	}
	if rows == 0 || segments < int64(2*seeds) {
		t.Errorf("%d instructions, %d segments", rows, segments)
	}
}

// programAddresses are places in fuzzProgram, with bit 0 set in T32.
var programAddresses = []schema.Address{0x8000, 0x8008, 0x8010, 0x8014, 0x801c, 0x8029, 0x802d, 0x8039, 0x9000}

func randomISync(cfg *pft.Config, r *rand.Rand) []byte {
	p := pft.Packet{
		Kind: pft.ISync, Reason: schema.ISyncReason(r.IntN(4)), NS: r.IntN(4) == 0, ContextID: uint32(r.IntN(3)),
	}
	p.Address, p.ISA = randomAddress(r)
	if p.Reason != schema.ISyncPeriodic {
		setCount(cfg, &p, r, 1)
	}
	return cfg.Append(nil, p)
}

func randomAddress(r *rand.Rand) (schema.Address, schema.ISA) {
	a := programAddresses[r.IntN(len(programAddresses))]
	if a&1 == 1 {
		return a - 1, schema.T32
	}
	return a, schema.A32
}

// setCount gives a packet of a cycle-accurate stream a count that fits one byte
// and as many as bytes say more.
func setCount(cfg *pft.Config, p *pft.Packet, r *rand.Rand, bytes uint8) {
	if cfg.CycleAccurate {
		p.HasCycles, p.CycleBytes, p.Cycles = true, bytes, uint32(r.IntN(16))
	}
}

// randomPacket returns a whole packet of any kind, or nil for an I-sync.
func randomPacket(cfg *pft.Config, r *rand.Rand) []byte {
	var p pft.Packet
	switch r.IntN(12) {
	case 0, 1:
		return nil
	case 2, 3, 4:
		p = pft.Packet{Kind: pft.Atom, AtomCount: uint8(1 + r.IntN(5))}
		if cfg.CycleAccurate {
			p.AtomCount = 1
		}
		p.Atoms = uint8(r.IntN(1<<p.AtomCount)) & uint8(r.IntN(32))
		setCount(cfg, &p, r, 0)
	case 5, 6:
		p = pft.Packet{Kind: pft.BranchAddress, AddressBytes: 5}
		a, state := randomAddress(r)
		p.ISA, p.AddressBits, p.Address = state, 30, a>>2
		if state == schema.T32 {
			p.AddressBits, p.Address = 31, a>>1
		}
		if r.IntN(3) == 0 {
			p.Info, p.NS, p.Exception = 1, r.IntN(2) == 0, [...]uint16{0, 1, 10, 14}[r.IntN(4)]
		}
		setCount(cfg, &p, r, 1)
	case 7, 8:
		// Partial ones depend on what came before. Zero is never sent: bit 0 is always set.
		most := uint8(7)
		if cfg.Timestamp64 {
			most = 9
		}
		p = pft.Packet{Kind: pft.Timestamp, TimestampBytes: uint8(1 + r.IntN(int(most))), Timestamp: r.Uint64() | 1}
		if r.IntN(2) == 0 {
			p.TimestampBytes = most
		}
		setCount(cfg, &p, r, 1)
	case 9:
		p = pft.Packet{Kind: pft.VMID, VMID: uint8(r.IntN(3))}
	case 10:
		if cfg.ContextIDBytes == 0 {
			p.Kind = pft.Trigger
			break
		}
		p = pft.Packet{Kind: pft.ContextID, ContextID: uint32(r.IntN(3))}
	default:
		p.Kind = []pft.Kind{pft.Trigger, pft.ExceptionReturn, pft.Ignore}[r.IntN(3)]
	}
	return cfg.Append(nil, p)
}

// checkRestarts checks that trace restarts at the first cut, at every cut after a
// loss of sync, and at no other periodic I-sync; and that an epoch begins there.
func (d *decodedTables) checkRestarts(t testing.TB) {
	t.Helper()
	restarts := map[int64]bool{}
	event := d.column(&schema.Events, "event")
	for i, offset := range d.integers(&schema.Events, "byte_offset") {
		switch schema.EventKind(event.U8[i]) {
		case schema.EventTraceOn, schema.EventOverflow, schema.EventDebugExit:
			restarts[offset] = true
		default:
		}
	}
	lost := map[int64]bool{0: true} // segments after a loss of sync
	reason, segment := d.column(&schema.Losses, "reason"), d.column(&schema.Losses, "segment")
	for i := range segment.Len() {
		if !null(segment, i) && schema.LossReason(reason.U8[i]) != schema.LossTruncated {
			lost[integer(segment, i)+1] = true
		}
	}
	why := d.column(&schema.Segments, "reason")
	for k, offset := range d.integers(&schema.Segments, "byte_offset") {
		want := lost[int64(k)] || schema.ISyncReason(why.U8[k]) != schema.ISyncPeriodic
		if restarts[offset] != want {
			t.Errorf("segment %d at %d: restart %t, want %t", k, offset, restarts[offset], want)
		}
	}
	for _, table := range []*schema.Table{&schema.Instructions, &schema.Exceptions, &schema.CycleCounts, &schema.Timestamps} {
		if err := d.epochError(table, lost); err != "" {
			t.Error(err)
		}
	}
}

// epochError says where epochs decrease, or where one continues after a loss.
func (d *decodedTables) epochError(table *schema.Table, lost map[int64]bool) string {
	segment, epoch := d.column(table, "segment"), d.column(table, "epoch")
	last, lastSegment := int64(-1), int64(-1)
	for i := range segment.Len() {
		if null(epoch, i) {
			continue
		}
		k, e := integer(segment, i), integer(epoch, i)
		for ; lastSegment < k; lastSegment++ {
			if lost[lastSegment+1] && e == last {
				return fmt.Sprintf("%s row %d: epoch %d continues after a loss: %s", table.Name, i, e, d.rowText(table, i))
			}
		}
		if e < last {
			return fmt.Sprintf("%s row %d: epoch %d after %d", table.Name, i, e, last)
		}
		last = e
	}
	return ""
}
