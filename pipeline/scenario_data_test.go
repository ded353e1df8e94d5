package pipeline

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/etmv3"
)

// dataWithMore puts a cut or an ignore packet between any two packets of a data
// trace, and demands the same accesses.
func (r *trial) dataWithMore() {
	cfg, ok := r.protocol.(*etmv3.Config)
	if !ok || !cfg.TracesData() {
		return
	}
	var boundaries []int
	for _, row := range r.whole.rows["packets"][1:] {
		boundaries = append(boundaries, r.packetIndex(number(row["byte_offset"])))
	}
	for _, i := range append(boundaries, len(r.s.Packets)) {
		r.dataWith("an ignore packet", i, []byte{0x66})
		if isync := r.periodicAt(cfg, i); isync != nil {
			r.dataWith("a cut", i, append([]byte{0, 0, 0, 0, 0, 0x80}, isync...))
		}
	}
}

// packetIndex is the index of the packet at an offset.
func (r *trial) packetIndex(offset int) int {
	return slices.IndexFunc(r.s.Packets, func(p decodetest.Packet) bool { return p.Offset == offset })
}

// periodicAt returns a periodic I-sync that may precede a packet, nil if the flow
// has no address there.
func (r *trial) periodicAt(cfg *etmv3.Config, packet int) []byte {
	isync := make([]byte, 1+cfg.ContextIDBytes, 16)
	isync[0] = 0x08
	if cfg.DataOnly {
		return append(isync, 0x01)
	}
	from := len(r.stream)
	if packet < len(r.s.Packets) {
		from = r.s.Packets[packet].Offset
	}
	at := r.lastInstruction(from)
	next := r.nextFlow(from)
	if next != nil && next["type"] == "branch_address" && strings.HasPrefix(r.s.Packets[packet-1].Name, "branch address") {
		return nil // what the second one says of the first, it says if no I-sync is between
	}
	if next != nil && next["type"] == "p_header" {
		instructions := r.whole.rows["instructions"]
		i := slices.IndexFunc(instructions,
			func(row map[string]string) bool { return row["byte_offset"] == next["byte_offset"] })
		if i < 0 {
			return nil
		}
		at = instructions[i]
	}
	var address uint32
	if _, err := fmt.Sscanf(at["address"], "%x", &address); err != nil {
		return nil
	}
	info := byte(0x01)
	switch at["isa"] {
	case "t32":
		address |= 1
	case "t32ee":
		address, info = address|1, 0x05
	}
	return binary.LittleEndian.AppendUint32(append(isync, info), address)
}

// lastInstruction returns the row of the last instruction traced before an offset.
func (r *trial) lastInstruction(offset int) map[string]string {
	var last map[string]string
	for _, row := range r.whole.rows["instructions"] {
		if number(row["byte_offset"]) < offset {
			last = row
		}
	}
	return last
}

// nextFlow returns the next packet from an offset on that reports program flow.
func (r *trial) nextFlow(offset int) map[string]string {
	for _, row := range r.whole.rows["packets"] {
		if number(row["byte_offset"]) >= offset && slices.Contains([]string{"p_header", "branch_address", "i_sync"},
			row["type"]) {
			return row
		}
	}
	return nil
}

// dataWith demands the same accesses with more bytes before a packet.
func (r *trial) dataWith(what string, packet int, more []byte) {
	before, line := slices.Clone(r.s.Packets[:packet]), "the end"
	at := len(r.stream)
	if packet < len(r.s.Packets) {
		at, line = r.s.Packets[packet].Offset, fmt.Sprintf("line %d", r.s.Packets[packet].Line)
	}
	packets := append(before, decodetest.Packet{Offset: at, Bytes: more, Name: what})
	for _, p := range r.s.Packets[packet:] {
		p.Offset += len(more)
		packets = append(packets, p)
	}
	moved := func(row map[string]string) map[string]string {
		row = maps.Clone(row)
		delete(row, "segment")
		if offset := number(row["byte_offset"]); offset >= at {
			row["byte_offset"] = fmt.Sprint(offset + len(more))
		}
		return row
	}
	set := r.decode(&pieces{packets: packets, size: 1 << 16}, false, 1)
	got, want := set.rows["data_accesses"], r.whole.rows["data_accesses"]
	if len(got) != len(want) {
		r.Errorf("%s: with %s before %s there are %d accesses, want %d", r.s.Name, what, line, len(got), len(want))
		return
	}
	for i, row := range got {
		delete(row, "segment")
		if !maps.Equal(row, moved(want[i])) {
			r.Errorf("%s: with %s before %s: data_accesses row %d\n got %v\nwant %v", r.s.Name, what, line, i, row,
				moved(want[i]))
		}
	}
}
