package etmv1

import "github.com/tracelake/tracelake/decode"

// ParsePacket implements [decode.Protocol].
func (c *Config) ParsePacket(b []byte) (decode.PacketText, error) {
	return decode.PacketText{}, nil
}
