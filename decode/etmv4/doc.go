// Package etmv4 reads and writes the instruction trace of ETMv4.0 to 4.6 (Arm IHI 0064)
// and ETE 1.0 to 1.3 (DDI 0487), and follows the program by it. They are one protocol: the
// version is a value in [Config]. docs/etmv4.md has the rules one by one, and where each
// comes from. Where a version number stands alone it is that of ETMv4; an ETE has all that
// ETMv4.3 has.
//
// packet.go and append.go are the codec: bytes to [Packet] and back, one packet at a time,
// with no state beside [Config]; headers.go is the table of headers, payload.go has what
// follows them, field.go, atoms.go, address.go and conditional.go what several packets
// share. state.go is the packet state: what later packets leave out. p0.go counts P0
// elements. sync.go finds where a stream may be cut, regs.go reads the trace registers,
// cores.go has those that are missing.
//
// decoder.go goes through the packets of segments and accounts for every byte. element.go makes
// elements of packets, which wait in queue.go as long as they are speculative; speculation.go
// resolves them. follow.go applies them: position.go and context.go are where the flow is,
// waypoint.go, source.go, q.go and exception.go walk, count.go, gap.go and transaction.go take
// what else there is, and tell.go has what is told even where the program is not followed. warm.go and
// warmcount.go are the fast path beside all of these.
//
// Its API is not stable (docs/guide/library.md).
package etmv4
