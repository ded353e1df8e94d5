package sample_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/sample/internal/remake"
	"github.com/tracelake/tracelake/bench/synth"
	"github.com/tracelake/tracelake/schema"
)

// The elements that OpenCSD's lister prints.
var (
	element      = regexp.MustCompile(`^Idx:\d+; ID:10; OCSD_GEN_TRC_ELEM_(\w+)\((.*)\)\s*$`)
	elementRange = regexp.MustCompile(`exec range=0x(\w+):\[0x(\w+)\] num_i\((\d+)\).* \(ISA=(\w+)\) ([EN]) (\S+)`)
	elementCount = regexp.MustCompile(`\[CC=(\d+)\]`)
	elementTime  = regexp.MustCompile(`TS=0x(\w+)`)
	elementID    = regexp.MustCompile(`CTXTID=0x(\w+)`)
	elementEntry = regexp.MustCompile(`pref ret addr:0x(\w+); excep num \(0x(\w+)\)`)
)

// OpenCSD makes the same of the capture: each instruction with its instruction
// set, outcome, cycles, time and context, and each exception.
func TestOutsideDecoder(t *testing.T) {
	lister, err := exec.LookPath("trc_pkt_lister")
	if err != nil {
		t.Skip("needs trc_pkt_lister (Debian package libopencsd-bin)")
	}
	log := filepath.Join(t.TempDir(), "log")
	if out, err := exec.Command(lister, "-ss_dir", "capture", "-decode", "-logfilename", log).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", lister, err, out)
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	program, err := remake.LoadProgram(read(t, filepath.Join("capture", sample.ELF)))
	if err != nil {
		t.Fatal(err)
	}
	rows := outsideRows{t: t, program: program.Program}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if m := element.FindStringSubmatch(lines.Text()); m != nil {
			rows.element(m[1], m[2])
		}
	}

	truth, err := sample.Truth()
	if err != nil {
		t.Fatal(err)
	}
	if rows.instructions != truth.Instructions || rows.cycle != *truth.Cycles || rows.instructions == 0 {
		t.Errorf("%d instructions, %d cycles; the truth is %d, %d", rows.instructions, rows.cycle, truth.Instructions, *truth.Cycles)
	}
	if got := hash(rows.what); got != truth.Program {
		t.Errorf("hash of the program %x, the truth is %x", got, truth.Program)
	}
	if got := hash(rows.when); got != truth.Timing {
		t.Errorf("hash of the timing %x, the truth is %x", got, truth.Timing)
	}
	var exceptions []string
	for _, x := range truth.Exceptions {
		if x.Event == "entry" {
			exceptions = append(exceptions, outsideException(x.Seq, uint64(*x.ReturnAddress), uint64(*x.Number), *x.Cycle))
		} else {
			exceptions = append(exceptions, fmt.Sprintf("%d return", x.Seq))
		}
	}
	if !slices.Equal(rows.exceptions, exceptions) {
		t.Errorf("exceptions differ: %d, the truth has %d", len(rows.exceptions), len(exceptions))
	}
}

func outsideException(seq int64, returnAddress, number uint64, cycle int64) string {
	return fmt.Sprintf("%d entry %d return 0x%x cycle %d", seq, number, returnAddress, cycle)
}

func hash(b []byte) synth.Hash {
	h := fnv.New64a()
	h.Write(b)
	return synth.Hash(h.Sum64())
}

// outsideRows are the rows of the lister's elements, laid out as the hashes of
// synth.Truth want them.
type outsideRows struct {
	t            *testing.T
	program      *synth.Program
	what, when   []byte
	instructions int64
	cycle        int64
	time, id     schema.Null[uint64]
	exceptions   []string
}

func (r *outsideRows) element(name, text string) {
	var cycles schema.Null[uint64]
	if m := elementCount.FindStringSubmatch(text); m != nil {
		cycles = schema.Of(r.number(m[1], 10))
		r.cycle += int64(cycles.V)
	}
	switch name {
	case "INSTR_RANGE":
		r.instructionRange(text, cycles)
	case "TIMESTAMP":
		r.time = schema.Of(r.number(elementTime.FindStringSubmatch(text)[1], 16))
	case "PE_CONTEXT":
		r.id = schema.Of(r.number(elementID.FindStringSubmatch(text)[1], 16))
	case "EXCEPTION":
		m := elementEntry.FindStringSubmatch(text)
		r.exceptions = append(r.exceptions, outsideException(r.instructions, r.number(m[1], 16), r.number(m[2], 16), r.cycle))
	case "EXCEPTION_RET":
		r.exceptions = append(r.exceptions, fmt.Sprintf("%d return", r.instructions))
	}
}

// instructionRange enters the instructions of a range. The last one's outcome
// counts where it can branch or is an ISB.
func (r *outsideRows) instructionRange(text string, cycles schema.Null[uint64]) {
	m := elementRange.FindStringSubmatch(text)
	if m == nil {
		r.t.Fatalf("no range: %s", text)
	}
	at := synth.Place{Address: uint32(r.number(m[1], 16)), Security: remake.Security}
	if m[4] == "T32" {
		at.ISA = schema.T32
	}
	end := uint32(r.number(m[2], 16))
	for at.Address < end {
		in, err := r.program.Instruction(at)
		if err != nil {
			r.t.Fatal(err)
		}
		executed, told := byte(2), schema.Null[uint64]{}
		if at.Address+uint32(in.Size) == end && m[6] != "---" {
			executed, told = byte(map[string]int{"N": 0, "E": 1}[m[5]]), cycles
		}
		r.what = binary.LittleEndian.AppendUint32(r.what, at.Address)
		r.what = append(r.what, in.Size, byte(at.ISA), executed)
		sum := schema.Null[uint64]{V: uint64(r.cycle), OK: told.OK}
		for _, v := range []schema.Null[uint64]{told, sum, r.time, r.id} {
			if !v.OK {
				v.V = 0
			}
			r.when = append(r.when, map[bool]byte{true: 1}[v.OK])
			r.when = binary.LittleEndian.AppendUint64(r.when, v.V)
		}
		r.instructions++
		at.Address += uint32(in.Size)
	}
}

func (r *outsideRows) number(s string, base int) uint64 {
	v, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}
