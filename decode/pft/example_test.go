package pft_test

import (
	"fmt"
	"log"

	"github.com/tracelake/tracelake/decode/pft"
)

// The packets of a stream of PFT 1.1, as registers of a PTM configure it.
func ExampleConfig_Parse() {
	config, _, err := pft.NewConfig(0, 0, 0x4114f310) // ETMCR, ETMCCER, ETMIDR
	if err != nil {
		log.Fatal(err)
	}
	stream := []byte{0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x21, 0x84}
	for len(stream) > 0 {
		var p pft.Packet
		if err := config.Parse(&p, stream); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v, %d bytes, %#x\n", p.Kind, p.Len, p.Address)
		stream = stream[p.Len:]
	}
	// Output:
	// a_sync, 6 bytes, 0x0
	// i_sync, 6 bytes, 0x8000
	// atom, 1 bytes, 0x0
}
