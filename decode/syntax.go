package decode

import "fmt"

// A SyntaxError reports bytes that are no packet of a protocol. Packet sync is
// lost from there to the next A-sync.
type SyntaxError struct {
	Protocol string // as "pft"
	Header   byte   // the first byte
	Reserved bool   // the protocol reserves the header; else the payload is wrong
	Reason   string // what is wrong
}

func (e *SyntaxError) Error() string {
	if e.Reserved {
		return fmt.Sprintf("%s: reserved header 0x%02x: %s", e.Protocol, e.Header, e.Reason)
	}
	return fmt.Sprintf("%s: bad packet 0x%02x: %s", e.Protocol, e.Header, e.Reason)
}
