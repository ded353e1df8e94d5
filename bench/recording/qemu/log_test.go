package qemu_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/schema"
)

// qemuRecord is what QEMU logs before an instruction. The registers are R0 and
// R14; the others are 0.
func qemuRecord(pc, psr, r0, r14 uint32) string {
	return fmt.Sprintf("Trace 0: 0x7f3c40000100 [00000400/%08x/00000120/ff020201] name\n", pc) +
		fmt.Sprintf("R00=%08x R01=00000000 R02=00000000 R03=00000000\n", r0) +
		"R04=00000000 R05=00000000 R06=00000000 R07=00000000\n" +
		"R08=00000000 R09=00000000 R10=00000000 R11=00000000\n" +
		fmt.Sprintf("R12=00000000 R13=00000000 R14=%08x R15=%08x\n", r14, pc) +
		fmt.Sprintf("PSR=%08x ---- A sys32\n", psr)
}

const (
	a32 = 0x1f
	t32 = 0x3f
	z   = 1 << 30
)

func taking(name string) string {
	return "Taking exception 5 [" + name + "] on CPU 0\n...from EL1 to EL1\n...with ESR 0x0/0x3830000\n"
}

func TestReadQEMULog(t *testing.T) {
	const nop, loop = "0000a0e1", "feffffea"
	for _, tt := range []struct {
		name, memory, log string
		want              string // as recording
	}{
		{
			name:   "straight, and a branch",
			memory: "8000:" + nop + loop,
			log:    qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0),
			want:   "00008000 a32 2\n. 00008004 a32\n",
		},
		{
			name:   "a condition that fails (BNE)",
			memory: "8000:fdffff1a" + nop,
			log:    qemuRecord(0x8000, a32|z, 0, 0) + qemuRecord(0x8004, a32, 0, 0),
			want:   "00008000 a32 1 0\n. 00008004 a32\n",
		},
		{
			name:   "CBZ branches if the register is 0",
			memory: "8000:00b100bf 8004:00b100bf",
			log:    qemuRecord(0x8000, t32, 0, 0) + qemuRecord(0x8004, t32, 1, 0) + qemuRecord(0x8006, t32, 0, 0),
			want:   "00008000 t32 1\n00008004 t32 1 0\n. 00008006 t32\n",
		},
		{
			name:   "ITE EQ: one of two fails",
			memory: "8000:0cbf 8002:00bf00bf00bf",
			// ITSTATE is 0000 1100 at the first (EQ), 0001 1000 at the second (NE):
			// bits 7:2 in PSR[15:10], bits 1:0 in PSR[26:25].
			log: qemuRecord(0x8000, t32|z, 0, 0) + qemuRecord(0x8002, t32|z|0x0c00, 0, 0) +
				qemuRecord(0x8004, t32|z|0x1800, 0, 0) + qemuRecord(0x8006, t32|z, 0, 0),
			want: "00008000 t32 3 2\n. 00008006 t32\n",
		},
		{
			name:   "ITTTT EQ: only bits 1:0 of ITSTATE say that it is an IT block",
			memory: "8000:01bf 8002:00bf00bf00bf",
			log:    qemuRecord(0x8000, t32, 0, 0) + qemuRecord(0x8002, t32|1<<25, 0, 0) + qemuRecord(0x8004, t32, 0, 0),
			want:   "00008000 t32 2 1\n. 00008004 t32\n",
		},
		{
			name:   "IRQ: the instruction it stops was not executed",
			memory: "18:" + loop + " 8000:" + nop + nop,
			log: qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) +
				"Stopped execution of TB chain before 0x7f3c40000100 [00008004] name\n" +
				taking("IRQ") + qemuRecord(0x18, 0x92, 0, 0x8008) + qemuRecord(0x18, 0x92, 0, 0x8008),
			want: "00008000 a32 1\n! irq 00008004 a32 00000018 a32\n00000018 a32 1\n. 00000018 a32\n",
		},
		{
			name:   "an instruction logged twice",
			memory: "8000:" + nop + nop,
			log: qemuRecord(0x8000, a32, 0, 0) + "cpu_io_recompile: rewound execution of TB to 00008000\n" +
				qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0),
			want: "00008000 a32 1\n. 00008004 a32\n",
		},
		{
			name:   "SVC in T32",
			memory: "8:" + loop + " 8000:00df",
			log: qemuRecord(0x8000, t32, 0, 0) + taking("SVC") + qemuRecord(8, 0x93, 0, 0x8002) +
				qemuRecord(8, 0x93, 0, 0x8002),
			want: "00008000 t32 1\n! svc 00008002 t32 00000008 a32\n00000008 a32 1\n. 00000008 a32\n",
		},
		{
			name:   "undefined instruction in T32: returns to itself, LR is 2 on",
			memory: "4:" + loop + " 8000:00de",
			log: qemuRecord(0x8000, t32, 0, 0) + taking("Undefined Instruction") + qemuRecord(4, 0x9b, 0, 0x8002) +
				qemuRecord(4, 0x9b, 0, 0x8002),
			want: "00008000 t32 1\n! undefined 00008000 t32 00000004 a32\n00000004 a32 1\n. 00000004 a32\n",
		},
		{
			name:   "data abort: the load was not executed",
			memory: "10:" + loop + " 8000:" + nop + "000090e5",
			log: qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) + taking("Data Abort") +
				qemuRecord(0x10, 0x97, 0, 0x800c) + qemuRecord(0x10, 0x97, 0, 0x800c),
			want: "00008000 a32 1\n! data_abort 00008004 a32 00000010 a32\n00000010 a32 1\n. 00000010 a32\n",
		},
		{
			name:   "BKPT: a prefetch abort",
			memory: "c:" + loop + " 8000:" + nop + "700020e1",
			log: qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) + taking("Breakpoint") +
				qemuRecord(0xc, 0x97, 0, 0x8008) + qemuRecord(0xc, 0x97, 0, 0x8008),
			want: "00008000 a32 1\n! prefetch_abort 00008004 a32 0000000c a32\n0000000c a32 1\n. 0000000c a32\n",
		},
		{
			name:   "the context ID changes after MCR",
			memory: "8000:300f0dee" + nop,
			log:    qemuRecord(0x8000, a32, 7, 0) + qemuRecord(0x8004, a32, 0, 0) + qemuRecord(0x8008, a32, 0, 0),
			want:   "00008000 a32 1\ncontext 7\n00008004 a32 1\n. 00008008 a32\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := benchtest.Program(t, tt.memory)
			var got bytes.Buffer
			if err := recording.Write(&got, qemu.ReadLog(strings.NewReader(tt.log), program, schema.NonSecure)); err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("got\n%swant\n%s", got.String(), tt.want)
			}
			var again bytes.Buffer
			if err := recording.Write(&again, recording.Read(&got, program, schema.NonSecure)); err != nil {
				t.Fatal(err)
			}
			if again.String() != tt.want {
				t.Errorf("read and written again\n%swant\n%s", again.String(), tt.want)
			}
		})
	}
}

func TestReadQEMULogRefuses(t *testing.T) {
	const nop = "0000a0e1"
	one := qemuRecord(0x8000, a32, 0, 0)
	two := one + qemuRecord(0x8004, a32, 0, 0)
	for _, tt := range []struct{ name, log, want string }{
		{"a jump that is none", qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8008, a32, 0, 0),
			"line 12: 0x00008000 a32 (other, opcode 0xe1a00000) continues at 0x00008008 a32"},
		{"code that is not there", qemuRecord(0x9000, a32, 0, 0) + qemuRecord(0x9004, a32, 0, 0),
			"no program memory at 0x00009000"},
		{"another exception", two + taking("Hypervisor Call"), `exception "Hypervisor Call"`},
		{"an IRQ that stopped nothing", two + taking("IRQ"), "is not logged"},
		{"an LR that does not fit", two + taking("Data Abort") + qemuRecord(0x10, 0x97, 0, 0x8008),
			"returns to 0x00008000 by LR"},
		{"stopped, and elsewhere",
			one + "Stopped execution of TB chain before 0x7f3c40000100 [00008000] name\n" + qemuRecord(0x8004, a32, 0, 0),
			"line 13: the core is at 0x00008004 a32, but stopped before 0x00008000 a32"},
		{"another one rewound", two + "cpu_io_recompile: rewound execution of TB to 00008000\n", "no line of a QEMU log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := benchtest.Program(t, "8000:"+nop+nop+nop)
			var err error
			for _, err = range qemu.ReadLog(strings.NewReader(tt.log), program, schema.NonSecure) {
				continue
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
