package synth

import (
	"io"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// ReadQEMUUserLog reads what qemu-arm -singlestep -d exec,cpu,nochain
// (-one-insn-per-tb from QEMU 8.1 on) tells about an Arm Linux program of one
// thread, in non-secure state. It was written for the log of QEMU 7.2.
//
// The kernel is not seen. A system call is what a macrocell tells that traces
// user space alone: the SVC instruction, the entry of its exception at Linux's
// high vectors, and then nothing until the program goes on. For that nothing
// stands one step that is not traced, the kernel's return.
//
// The last instruction of the log is no step, since nothing tells what it did:
// of a program that ends it is the system call that ends it. A signal is an
// error, since the program then goes on where no instruction sent it.
func ReadQEMUUserLog(r io.Reader, p *Program) Steps {
	return func(yield func(Step, error) bool) {
		for s, err := range ReadQEMULog(r, p, schema.NonSecure) {
			if !yield(s, err) || err != nil {
				return
			}
			if s.Instruction.Kind != schema.KindSVC || s.Failed {
				continue
			}
			entry, ret := systemCall(&s)
			if !yield(entry, nil) || !yield(ret, nil) {
				return
			}
		}
	}
}

// svcVector is where Linux on Arm has its handler of SVC: the eight vectors
// begin at 0xFFFF0000 (SCTLR.V = 1).
const svcVector = 0xFFFF0008

// systemCall is what follows the SVC of s: the exception, and all of the kernel
// as MOVS PC,LR at its vector.
func systemCall(s *Step) (entry, ret Step) {
	kernel := Place{Address: svcVector, ISA: schema.A32, Security: s.At.Security}
	entry = Step{Entered: true, Exception: schema.ExcSVC, At: s.Next, Next: kernel, ContextID: s.ContextID, VMID: s.VMID}
	ret = Step{
		At: kernel, Next: s.Next, Instruction: isa.A32(0xE1B0F00E, svcVector), Returns: true,
		ContextID: s.ContextID, VMID: s.VMID, Trace: TraceOff,
	}
	return entry, ret
}
