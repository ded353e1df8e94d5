package qemu_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// arm926Exception is what QEMU 7.2 logs of an exception of -cpu arm926, which has
// no fault address or status of its own for most.
func arm926Exception(number int, name string) string {
	return fmt.Sprintf("Taking exception %d [%s] on CPU 0\n...from EL1 to EL1\n...with ESR 0x0/0x3820000\n", number, name)
}

// The log of an ARM926EJ-S has changes of mode in it, and the halves of a BL apart
// where they are in two pages.
func TestReadQEMULogV5TE(t *testing.T) {
	const (
		irq, fiq, svc = 0x92, 0xd1, 0x93
		subs, loop    = "04f05ee2", "feffffea" // SUBS PC,LR,#4; B to itself
	)
	mode := func(from, to string, pc uint32) string {
		return fmt.Sprintf("AArch32 mode switch from %s to %s PC 0x%x\n", from, to, pc)
	}
	stopped := func(pc uint32) string {
		return fmt.Sprintf("Stopped execution of TB chain before 0x7f591400c5c0 [%08x] name\n", pc)
	}
	for _, tt := range []struct{ name, memory, log, want string }{
		{
			name:   "FIQ in IRQ, and the returns of both",
			memory: "18:" + subs + " 1c:" + subs + " 8000:002000200020" + " 8100:" + loop,
			log: qemuRecord(0x8000, t32, 0, 0) + qemuRecord(0x8002, t32, 0, 0) + stopped(0x8002) + arm926Exception(5, "IRQ") +
				qemuRecord(0x18, irq, 0, 0x8006) + stopped(0x18) + arm926Exception(6, "FIQ") +
				qemuRecord(0x1c, fiq, 0, 0x1c) + mode("fiq", "irq", 0x1c) + "Exception return from AArch32 fiq to irq PC 0x18\n" +
				qemuRecord(0x18, irq, 0, 0x8006) + "Exception return from AArch32 irq to sys PC 0x8002\n" +
				qemuRecord(0x8002, t32, 0, 0) + qemuRecord(0x8004, t32, 0, 0),
			want: "00008000 t32 1\n! irq 00008002 t32 00000018 a32\n! fiq 00000018 a32 0000001c a32\n" +
				"0000001c a32 1\n00000018 a32 1\n00008002 t32 1\n. 00008004 t32\n",
		},
		{
			name:   "the halves of BL in two pages",
			memory: "83fc:00f001f800207047 8402:7047",
			log: qemuRecord(0x83fc, t32, 0, 0) + qemuRecord(0x83fe, t32, 0, 0x83fe) + qemuRecord(0x8402, t32, 0, 0x8401) +
				qemuRecord(0x8400, t32, 0, 0x8401),
			want: "000083fc t32 1\n00008402 t32 1\n. 00008400 t32\n",
		},
		{
			name:   "the second half logged twice",
			memory: "83fc:00f001f800207047 8402:7047",
			log: qemuRecord(0x83fc, t32, 0, 0) + qemuRecord(0x83fe, t32, 0, 0x83fe) +
				"cpu_io_recompile: rewound execution of TB to 000083fe\n" + qemuRecord(0x83fe, t32, 0, 0x83fe) +
				qemuRecord(0x8402, t32, 0, 0x8401) + qemuRecord(0x8400, t32, 0, 0x8401),
			want: "000083fc t32 1\n00008402 t32 1\n. 00008400 t32\n",
		},
		{
			name:   "SVC, and data abort with its status",
			memory: "8:" + loop + " 10:" + subs + " 8000:000090e5000000ef",
			log: qemuRecord(0x8000, a32, 0, 0) + arm926Exception(4, "Data Abort") + "...with DFSR 0x5 DFAR 0x80000000\n" +
				qemuRecord(0x10, 0x97, 0, 0x8008) + "Exception return from AArch32 abt to sys PC 0x8004\n" +
				qemuRecord(0x8004, a32, 0, 0) + arm926Exception(2, "SVC") + qemuRecord(8, svc, 0, 0x8008) +
				qemuRecord(8, svc, 0, 0x8008),
			want: "! data_abort 00008000 a32 00000010 a32\n00000010 a32 1\n00008004 a32 1\n! svc 00008008 a32 00000008 a32\n00000008 a32 1\n. 00000008 a32\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			steps := qemu.ReadLog(strings.NewReader(tt.log), benchtest.Program(t, tt.memory), schema.Secure)
			if err := recording.Write(&got, steps); err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("got\n%swant\n%s", got.String(), tt.want)
			}
		})
	}
}

// An interrupt between the halves is refused: no step can have it.
func TestReadQEMULogHalves(t *testing.T) {
	log := qemuRecord(0x83fc, t32, 0, 0) + qemuRecord(0x83fe, t32, 0, 0x83fe) +
		"Stopped execution of TB chain before 0x7f591400c5c0 [000083fe] name\n" + arm926Exception(5, "IRQ")
	var err error
	for _, err = range qemu.ReadLog(strings.NewReader(log), benchtest.Program(t, "83fc:00f001f800207047"), schema.Secure) {
		continue
	}
	if err == nil || !strings.Contains(err.Error(), "between the halves of the instruction at 0x000083fc t32") {
		t.Errorf("error %v", err)
	}
}

// v5teProgram calls a function from the last halfword of a page, and prints.
const v5teProgram = `
	.syntax unified
	.arch armv5te
	.arm
	.global _start
_start:	blx	thumb
	mov	r7, #4		@ write(1, text, 3)
	mov	r0, #1
	adr	r1, text
	mov	r2, #3
	svc	#0
	mov	r7, #1		@ exit(7)
	mov	r0, #7
	svc	#0
text:	.ascii	"hi\n"
	.org	0xfc0
	.thumb
	.thumb_func
thumb:	push	{r4, lr}
	b	edge
leaf:	mov	r4, r8
	bx	lr
	.org	0xffe
edge:	bl	leaf
	pop	{r4, pc}
`

// What a user program of these cores does, as QEMU logs it here.
func TestReadQEMUUserLogV5TE(t *testing.T) {
	need.Tool(t, need.Objdump, "arm-none-eabi-as")
	need.Tool(t, need.Objdump, "arm-none-eabi-ld")
	need.Tool(t, need.QEMU, "qemu-arm")
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	if err := os.WriteFile(name("user.S"), []byte(v5teProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"arm-none-eabi-as", "-o", name("user.o"), name("user.S")},
		{"arm-none-eabi-ld", "-Ttext=0x10000", "-o", name("user"), name("user.o")},
	} {
		if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line[0], err, out)
		}
	}
	runQEMUUser(t, name("user"), name("log"), "-cpu", "arm926")
	log, err := os.Open(name("log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	file, err := os.ReadFile(name("user"))
	if err != nil {
		t.Fatal(err)
	}
	regions, err := image.ReadELF(image.File{Name: "user", Data: bytes.NewReader(file), Size: int64(len(file))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for s, err := range qemu.ReadUserLog(log, program.New(image.New(regions...))) {
		if err != nil {
			t.Fatal(err)
		}
		if s.At.ISA == schema.T32 {
			got = append(got, fmt.Sprintf("%x", s.At.Address))
		}
	}
	if want := "10fc0 10fc2 10ffe 10fc4 10fc6 11002"; strings.Join(got, " ") != want {
		t.Errorf("T32 at %s, want %s", got, want)
	}
}
