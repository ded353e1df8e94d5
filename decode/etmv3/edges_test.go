package etmv3

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// What the fast path takes begins and ends anywhere: with the first and the last packet of
// a part, at an address, after one atom, before data. Wherever a part ends, the fast path
// makes what the plain rules make.
func TestFastPathEdges(t *testing.T) {
	const (
		load, nop, after = madeUpT32, madeUpT32 + 2, madeUpT32 + 6
		far, farther     = 0xa000, 0xa400
	)
	mem := image.New(image.Region{Address: madeUpT32, Space: image.AnySpace, Bytes: halfwords(
		0x6808, // ldr
		0xbf00, // nop
		0xe7fc, // b to the ldr
		0x4770, // bx lr
	)}, image.Region{Address: far, Space: image.AnySpace, Bytes: halfwords(0x4770)}, // bx lr
		image.Region{Address: farther, Space: image.AnySpace, Bytes: halfwords(0xbf00, 0x4770)}) // nop; bx lr
	for _, registers := range []uint16{3, 4 | 1<<6 | 3<<8, 3 | 1<<3, 5 | 1<<3 | 1<<6 | 3<<8} {
		cfg := warmConfig(registers)
		packet := func(p Packet) []byte { return cfg.Append(nil, p) }
		from := func(last, address schema.Address) []byte {
			return packet(Packet{Kind: BranchAddress, Branch: cfg.branchTo(last, schema.T32, address, schema.T32)})
		}
		to := func(address schema.Address) []byte { return from(load, address) }
		whole := from(0, load)
		one, round, idle := cfg.executed(1), cfg.executed(3), packet(Packet{Kind: Ignore})
		wait := idle
		if cfg.CycleAccurate {
			wait = cfg.executed(0)
		}
		data := idle
		if cfg.DataAddress {
			data = packet(Packet{
				Kind: NormalData, NewAddress: true,
				AddressBytes: 1, AddressBits: 7, Address: 4, ValueBytes: 1, Value: 9,
			})
		}
		for name, packets := range map[string][][]byte{
			"repeated addresses":          {round, to(load), round, to(load), to(load), round, whole, round, to(load)},
			"repeated first":              {to(load), round, to(load), idle, to(load), round, idle, to(load), round},
			"repeated after an idle byte": {round, idle, to(load), round, to(load), idle, to(load), round},
			"repeated, atoms one by one": {
				one, one, one, to(load), one, one, one, idle, to(load), one, idle, to(nop), round,
			},
			"an address that is another": {round, to(nop), one, one, to(after), one, to(load), round},
			"first atom is of a load":    {one, to(nop), one, one, round},
			"two atoms, then an address": {one, one, to(load), round, one, to(nop), one, one},
			"an address without atoms":   {to(nop), one, one, round, to(after), to(load), round, one, to(nop)},
			"indirect branches": {
				to(after), one, to(load), round, to(after), one, whole, round, to(after), one, idle, to(load), round,
			},
			"unplaced after a branch": {
				to(after), one, one, to(load), round, to(after), one, idle, one, idle, whole, round, round,
			},
			"data": {
				one, data, one, one, data, round, data, data, round, idle, data, to(load), data, round, data,
			},
			"loads first and last": {round, one, to(nop), one, one, one, to(nop)},
			"an address last": {
				round, round, idle, round, to(load), idle, round, to(load), to(nop), idle, one, one, whole, data,
			},
			"cycles alone": {
				wait, to(nop), wait, to(load), wait, round, wait, to(load), idle, wait, to(load), wait,
			},
			"cycles after an address": {
				round, to(nop), wait, idle, to(load), round, idle, to(nop), wait, wait, idle, to(nop), one,
			},
			"addresses of several bytes": {
				to(after), one, from(load, far), one, from(far, farther), one, one,
				from(farther, far), one, from(far, load), round,
			},
			"cancelled": {round, packet(Packet{Kind: BranchAddress, Branch: Branch{
				Address: load >> 1, Bits: 31, Bytes: maxAddressBytes, ISA: schema.T32,
				Info: 1, Exception: 7, Cancel: true,
			}}), round, to(load), round},
		} {
			b := append(slices.Concat(packets...), slices.Repeat(idle, maxAddressBytes)...)
			t.Run(fmt.Sprintf("%s, registers %#x", name, registers), func(t *testing.T) {
				for cut := range len(b) - maxAddressBytes {
					checkWarm(t, mem, &cfg, b, cut)
				}
			})
		}
	}
}

// executed is P-headers of so many E atoms; without any, of cycles alone.
func (c *Config) executed(n uint8) []byte {
	for i, a := range c.pheaders() {
		if a.Count == n && a.N == 0 && !a.reserved() && (n > 0 || a.Waits > 0) {
			return []byte{0x80 | byte(i)<<1}
		}
	}
	return slices.Repeat(c.executed(1), int(n))
}

// halfwords are instructions in memory.
func halfwords(words ...uint32) (b []byte) {
	for _, w := range words {
		b = decode.AppendLittleEndian(b, w, 2)
	}
	return b
}
