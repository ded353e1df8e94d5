package qemu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// stepText is a step in the words that [stepsOf] reads, but for costs.
func stepText(s *step.Step) string {
	place := func(p step.Place) string {
		return fmt.Sprintf("%x%sn", p.Address, map[schema.ISA]string{schema.T32: "t"}[p.ISA])
	}
	text := place(s.At) + ">" + place(s.Next)
	if s.Entered {
		text = "!" + s.Exception.String() + ":" + text
	}
	if s.Failed {
		text += "/N"
	}
	if s.Trace == step.TraceOff {
		text += "/off"
	}
	return text
}

// The kernel, and code outside of the program, is one step each time.
func TestReadQEMUUserLogSteps(t *testing.T) {
	const svc, svcne, nop = "000000ef", "0000001f", "0000a0e1"
	stopped := func(pc uint32) string {
		return fmt.Sprintf("Stopped execution of TB chain before 0x7f1 [%08x] main\n", pc)
	}
	long := func(record string) string { // as of QEMU 10
		return strings.Replace(strings.Replace(record, "[00000400/", "[00000400/00000000", 1), " before 0x7f1 [",
			" before 0x7f1 [00000000", 1)
	}
	for _, tt := range []struct{ name, memory, log, want string }{
		{
			name:   "a system call",
			memory: "8000:" + svc + nop,
			log:    qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) + qemuRecord(0x8008, a32, 0, 0),
			want:   "8000n>8004n !svc:8004n>ffff0008n ffff0008n>8004n/off 8004n>8008n",
		},
		{
			name:   "one in T32, after which a signal is handled",
			memory: "8000:00df 9000:" + nop,
			log:    qemuRecord(0x8000, t32, 0, 0) + qemuRecord(0x9000, a32, 0, 0) + qemuRecord(0x9004, a32, 0, 0),
			want:   "8000tn>8002tn !svc:8002tn>ffff0008n ffff0008n>9000n/off 9000n>9004n",
		},
		{
			name:   "one that fails its condition",
			memory: "8000:" + svcne + nop,
			log:    qemuRecord(0x8000, a32|z, 0, 0) + qemuRecord(0x8004, a32, 0, 0),
			want:   "8000n>8004n/N",
		},
		{
			name:   "the last instruction is no step",
			memory: "8000:" + nop + svc,
			log:    qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0),
			want:   "8000n>8004n",
		},
		{
			name:   "a signal between two instructions: the second was not executed",
			memory: "8000:" + nop + nop + " 9000:" + nop,
			log: qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) + stopped(0x8004) +
				qemuRecord(0x9000, a32, 0, 0) + qemuRecord(0x9004, a32, 0, 0),
			want: "8000n>8004n !irq:8004n>ffff0018n ffff0018n>9000n/off 9000n>9004n",
		},
		{
			name:   "a stop without a signal: the instruction is logged again",
			memory: "8000:" + nop + nop,
			log: qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) + stopped(0x8004) +
				qemuRecord(0x8004, a32, 0, 0) + qemuRecord(0x8008, a32, 0, 0),
			want: "8000n>8004n 8004n>8008n",
		},
		{
			name:   "code that is not in the program",
			memory: "8000:10ff2fe1" + nop, // BX R0
			log: qemuRecord(0x8000, a32, 0x40000001, 0) + qemuRecord(0x40000000, t32, 0, 0) + qemuRecord(0x40000002, t32, 0, 0) +
				stopped(0x40000002) + qemuRecord(0x50000000, a32, 0, 0) + qemuRecord(0x8004, a32, 0, 0) +
				qemuRecord(0x8008, a32, 0, 0),
			want: "8000n>40000000tn 40000000tn>8004n/off 8004n>8008n",
		},
		{
			name:   "it begins there, and ends there",
			memory: "8000:10ff2fe1",
			log: qemuRecord(0x40000000, a32, 0, 0) + qemuRecord(0x40000004, a32, 0, 0) + qemuRecord(0x8000, a32, 0x40000000, 0) +
				qemuRecord(0x40000000, a32, 0, 0) + qemuRecord(0x40000004, a32, 0, 0),
			want: "40000000n>8000n/off 8000n>40000000n",
		},
		{
			name:   "QEMU 10 has addresses of 64 bits",
			memory: "8000:" + nop + nop + " 9000:" + nop,
			log: long(qemuRecord(0x8000, a32, 0, 0)) + long(qemuRecord(0x8004, a32, 0, 0)) + long(stopped(0x8004)) +
				long(qemuRecord(0x9000, a32, 0, 0)) + long(qemuRecord(0x9004, a32, 0, 0)),
			want: "8000n>8004n !irq:8004n>ffff0018n ffff0018n>9000n/off 9000n>9004n",
		},
		{
			name:   "what else QEMU logs, and lines of the program itself, are passed over",
			memory: "8000:" + nop,
			log: "IN: main\nRead more\n" + strings.Replace(qemuRecord(0x8000, a32, 0, 0), "PSR", "s00=00000000\nPSR", 1) + "\n" +
				qemuRecord(0x8004, a32, 0, 0),
			want: "8000n>8004n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for s, err := range qemu.ReadUserLog(strings.NewReader(tt.log), benchtest.Program(t, tt.memory)) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, stepText(&s))
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestReadQEMUUserLogRefuses(t *testing.T) {
	one := qemuRecord(0x8000, a32, 0, 0)
	two := qemuRecord(0x8004, a32, 0, 0)
	without := func(record, prefix string) string {
		var left strings.Builder
		for line := range strings.Lines(record) {
			if !strings.HasPrefix(line, prefix) {
				left.WriteString(line)
			}
		}
		return left.String()
	}
	upTo := func(record, text string) string { return record[:strings.Index(record, text)+len(text)] }
	for _, tt := range []struct{ name, log, want string }{
		{"empty", "", "line 1: the log ends without an instruction: QEMU logs them with -d exec,cpu,nochain"},
		{"something else", "hello\nworld\n", "line 3: the log ends without an instruction"},
		{"no instructions, but registers", without(one+two, "Trace"), "the log ends without an instruction"},
		{"no registers", "Trace 0: 0x7f1 [0/00008000/0/0] a\nTrace 0: 0x7f1 [0/00008004/0/0] a\n",
			"line 2: the record before has no registers: QEMU logs them with -d cpu"},
		{"cut within a record", one + upTo(two, "R11=00000000\n"), "line 11: the log ends within a record: it was cut short"},
		{"cut within a line of registers", one + upTo(two, "R05="), `line 9: no line of a QEMU log: "R04=00000000 R05="`},
		{"cut within the first line", one + upTo(two, "0x7f3c4000"), `line 7: no line of a QEMU log: "Trace 0: 0x7f3c4000"`},
		{"cut within the PSR", one + upTo(two, "PSR=000"), `line 12: no line of a QEMU log: "PSR=000"`},
		{"a line lost", one + without(two, "R04"), `line 9: no line of a QEMU log: "R08=`},
		{"a line of registers too many", strings.Replace(one, "PSR",
			"R12=00000000 R13=00000000 R14=00000000 R15=00000000\nPSR", 1), "line 6: no line"},
		{"the last line of registers lost", one + without(two, "R12"),
			"line 11: the record has 12 registers, not 16: lines are missing"},
		{"a damaged digit", one + strings.Replace(two, "R05=0", "R05=x", 1),
			`line 9: no line of a QEMU log: "R04=00000000 R05=x0`},
		{"a damaged number", one + strings.Replace(two, "R05=", "R06=", 1),
			`line 9: no line of a QEMU log: "R04=00000000 R06=0`},
		{"a damaged address", strings.Replace(one, "/00008000/", "/0000800g/", 1), "line 1: no line of a QEMU log"},
		{"an address of 64 bits", strings.Replace(one, "/00008000/", "/0000000100008000/", 1),
			"line 1: no line of a QEMU log"},
		{"a line without end", one + strings.Repeat("x", 1<<17), "line 7: bufio.Scanner: token too long"},
		{"two threads", one + strings.Replace(two, "Trace 0", "Trace 1", 1),
			"line 7: a record of core or thread 1 after those of 0: only one can be read"},
		{"more instructions than records", one + qemuRecord(0x8008, a32, 0, 0),
			"line 12: 0x00008000 a32 (other, opcode 0xe1a00000) continues at 0x00008008 a32, not at 0x00008004 a32: is this the program of the log, one process, one instruction a record"},
		{"another program", qemuRecord(0x10000, a32, 0, 0) + qemuRecord(0x10004, a32, 0, 0),
			"line 13: the log ends without an instruction of the program: it is of another one"},
		{"the log of a board", one + taking("SVC"),
			"line 7: exception \"SVC\": a user program takes none; this is the log of qemu-system-arm"},
		{"stopped before another", one + "Stopped execution of TB chain before 0x7f1 [00008004] a\n",
			"line 7: no line of a QEMU log: \"Stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const nop = "0000a0e1"
			var err error
			for _, err = range qemu.ReadUserLog(strings.NewReader(tt.log), benchtest.Program(t, "8000:"+nop+nop+nop)) {
				continue
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Whatever a log says, there are steps that follow one another, or an error.
func FuzzReadQEMUUserLog(f *testing.F) {
	f.Add(qemuRecord(0x8000, a32, 0, 0) + qemuRecord(0x8004, t32, 0, 0) + qemuRecord(0x8006, t32, 0, 0))
	f.Add(qemuRecord(0x8000, a32, 0, 0) + "Stopped execution of TB chain before 0x7f1 [00008000] a\n" +
		qemuRecord(0x9000, t32, 0, 0) + qemuRecord(0x8008, a32, 0, 0))
	f.Add(qemuRecord(0x8000, a32, 0, 0) + taking("IRQ") + qemuRecord(0x18, a32, 0, 0x8004))
	f.Add(qemuRecord(0x8008, t32, 0, 0) + qemuRecord(0x800a, t32, 0, 0))
	f.Fuzz(func(t *testing.T, log string) {
		program := benchtest.Program(t, "8000:000000ef00bf00bf 8008:00df0cbf00bf00bf 18:0000a0e1")
		for name, steps := range map[string]step.Steps{
			"user":  qemu.ReadUserLog(strings.NewReader(log), program),
			"board": qemu.ReadLog(strings.NewReader(log), program, schema.NonSecure),
		} {
			var last *step.Step
			for s, err := range steps {
				if err != nil {
					break
				}
				undefined := s.Entered && s.Exception == schema.ExcUndefined
				if last != nil && s.At != last.Next && !undefined {
					t.Fatalf("%s: after %+v comes %+v", name, *last, s)
				}
				last = &s
			}
		}
	})
}
