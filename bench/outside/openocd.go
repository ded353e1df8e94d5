package outside

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// ErrNoOpenOCD says that the program is not installed.
var ErrNoOpenOCD = errors.New("needs openocd (Debian package openocd)")

// An OpenOCD is the program, whose command etm analyze decodes dumps of ETMv1. It
// reads only a part of the protocol right (docs/etmv2.md §9).
type OpenOCD struct{ path string }

// FindOpenOCD looks for the program. It fails with [ErrNoOpenOCD] if there is none.
func FindOpenOCD() (*OpenOCD, error) {
	path, err := exec.LookPath("openocd")
	if err != nil {
		return nil, ErrNoOpenOCD
	}
	return &OpenOCD{path}, nil
}

// An Executed is an instruction as etm analyze lists it.
type Executed struct {
	Address schema.Address
	Passed  bool // its condition
}

// openOCDScript analyses a dump without any hardware: no scan chain is looked
// for, the target is not examined, and the capture driver is a dummy.
const openOCDScript = `adapter driver dummy
adapter speed 100
gdb_port disabled
tcl_port disabled
telnet_port disabled
jtag newtap arm cpu -irlen 4 -expected-id 0x0
target create arm.cpu arm7tdmi -chain-position arm.cpu -endian little -defer-examine
etm config arm.cpu 8 normal full dummy
proc jtag_init {} {}
init
etm load {%s}
etm image {%s} 0 s19
echo [catch {etm analyze} listing]$listing
shutdown
`

// Analyse returns what the program lists of a dump, as etm dump wrote it, with
// this program memory, up to where it stops.
func (o *OpenOCD) Analyse(dump string, memory []image.Region) ([]Executed, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script, records := filepath.Join(dir, "analyse.cfg"), filepath.Join(dir, "memory.s19")
	err = errors.Join(
		os.WriteFile(script, fmt.Appendf(nil, openOCDScript, dump, records), 0o600),
		os.WriteFile(records, sRecords(memory), 0o600),
	)
	if err != nil {
		return nil, err
	}
	out, err := exec.Command(o.path, "-d1", "-f", script).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", o.path, err, out)
	}
	return parseAnalysis(out)
}

// sRecords is memory as Motorola's S-records, the simplest of the formats with
// several regions that the program reads.
func sRecords(memory []image.Region) (text []byte) {
	for _, r := range memory {
		for at := 0; at < len(r.Bytes); at += 32 {
			data := r.Bytes[at:min(at+32, len(r.Bytes))]
			record := []byte{byte(4 + len(data) + 1)}
			record = append(binary.BigEndian.AppendUint32(record, uint32(r.Address)+uint32(at)), data...)
			sum := byte(0)
			for _, b := range record {
				sum += b
			}
			text = fmt.Appendf(text, "S3%X\n", append(record, ^sum))
		}
	}
	return append(text, "S70500000000FA\n"...)
}

// analysed is a line of etm analyze with an instruction: its address and opcode.
var analysed = regexp.MustCompile(`(?m)^0x([0-9a-f]{8})\s+0x[0-9a-f]+\s.*?( \(not executed\))?$`)

func parseAnalysis(out []byte) ([]Executed, error) {
	var all []Executed
	for _, m := range analysed.FindAllSubmatch(out, -1) {
		address, err := strconv.ParseUint(string(m[1]), 16, 32)
		if err != nil {
			return nil, err
		}
		all = append(all, Executed{Address: schema.Address(address), Passed: len(m[2]) == 0})
	}
	return all, nil
}
