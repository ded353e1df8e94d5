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

// A Codec is the name of a protocol, in the errors of its codec.
type Codec string

// Bad returns the error for a packet whose payload is wrong.
func (c Codec) Bad(header byte, reason string) error {
	return &SyntaxError{Protocol: string(c), Header: header, Reason: reason}
}

// Reserved returns the error for a header that the protocol reserves.
func (c Codec) Reserved(header byte, reason string) error {
	return &SyntaxError{Protocol: string(c), Header: header, Reserved: true, Reason: reason}
}

func (e *SyntaxError) Error() string {
	if e.Reserved {
		return fmt.Sprintf("%s: reserved header 0x%02x: %s", e.Protocol, e.Header, e.Reason)
	}
	return fmt.Sprintf("%s: bad packet 0x%02x: %s", e.Protocol, e.Header, e.Reason)
}
