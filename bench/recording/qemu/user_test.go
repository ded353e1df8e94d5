package qemu_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// userProgram counts to 5 in A32, calls a function in T32 three times, prints,
// calls a function of the kernel's page, sends itself a signal, and ends.
const userProgram = `
	.syntax unified
	.arch armv7-a
	.arm
	.global _start
_start:	mov	r4, #5
count:	subs	r4, r4, #1
	bne	count
	mov	r5, #3
again:	mov	r0, r5
	blx	odd
	subs	r5, r5, #1
	bne	again
	mov	r7, #4		@ write(1, text, 3)
	mov	r0, #1
	adr	r1, text
	mov	r2, #3
write:	svc	#0
	cmp	r0, #3
	svcne	#0		@ fails
	movw	r0, #0x0fe0	@ __kuser_get_tls
	movt	r0, #0xffff
	blx	r0
	mov	r7, #174	@ rt_sigaction(SIGUSR1, action, 0, 8)
	mov	r0, #10
	adr	r1, action
	mov	r2, #0
	mov	r3, #8
	svc	#0
	mov	r7, #20		@ getpid()
	svc	#0
	mov	r7, #37		@ kill(itself, SIGUSR1)
	mov	r1, #10
	svc	#0
	mov	r7, #1		@ exit(7)
	mov	r0, #7
exit:	svc	#0
text:	.ascii	"hi\n"
	.balign	4
action:	.word	handler, 0x04000000, restore, 0, 0	@ SA_RESTORER
handler:
	bx	lr
restore:
	mov	r7, #119	@ sigreturn()
	svc	#0
	.thumb
	.thumb_func
odd:	tst	r0, #1
	ite	eq
	moveq	r1, #0
	movne	r1, #1
	bx	lr
`

func TestReadQEMUUserLog(t *testing.T) {
	need.Tool(t, need.Objdump, "arm-none-eabi-as")
	need.Tool(t, need.Objdump, "arm-none-eabi-ld")
	need.Tool(t, need.QEMU, "qemu-arm")
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	if err := os.WriteFile(name("user.S"), []byte(userProgram), 0o644); err != nil {
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
	runQEMUUser(t, name("user"), name("log"))
	log, err := os.Open(name("log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()

	file, err := os.Open(name("user"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	regions, err := image.ReadELF(image.File{Name: "user", Data: file, Size: info.Size()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Byte offsets by hand: _start at 0x10000, each A32 instruction 4 bytes.
	const start, count, again, write, kuser, kill, exit, handler = 0x10000, 0x10004, 0x10010, 0x10030, 0x10044, 0x10070, 0x1007c, 0x10098
	executed, failed := make(map[schema.Address]int), make(map[schema.Address]int)
	var t32, all int
	var away []string // what is not traced, and the exceptions before it
	var last *step.Step
	for s, err := range qemu.ReadUserLog(log, program.New(image.New(regions...))) {
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && s.At != last.Next {
			t.Fatalf("after %+v comes %+v", *last, s)
		}
		last = &s
		if s.Entered {
			away = append(away, fmt.Sprintf("%s, to return to %s", s.Exception, s.At))
			continue
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if s.Trace != step.Traced {
			away = append(away, fmt.Sprintf("%s to %s", s.At, s.Next))
			continue
		}
		all++
		executed[s.At.Address]++
		if s.Failed {
			failed[s.At.Address]++
		}
		if s.At.ISA == schema.T32 {
			t32++
		}
	}
	const kernel = "0xffff0008 a32 to "
	if want := []string{
		"svc, to return to 0x00010034 a32", kernel + "0x00010034 a32", // write
		"0xffff0fe0 a32 to 0x00010048 a32",
		"svc, to return to 0x00010060 a32", kernel + "0x00010060 a32", // rt_sigaction
		"svc, to return to 0x00010068 a32", kernel + "0x00010068 a32", // getpid
		"svc, to return to 0x00010074 a32", kernel + "0x00010098 a32", // kill, and the handler
		"svc, to return to 0x000100a4 a32", kernel + "0x00010074 a32", // sigreturn
	}; !slices.Equal(away, want) {
		t.Errorf("not traced:\n%s\nwant\n%s", strings.Join(away, "\n"), strings.Join(want, "\n"))
	}
	// 1 + 5*2 + 1 + 3*(4 + 5 in T32) + 4 + svc + cmp + svcne + 3 to the kernel's page,
	// 6, 2 and 3 to the signal, 3 in its handler, and 2; exit is the last.
	if want := 1 + 10 + 1 + 3*(4+5) + 4 + 3 + 3 + 6 + 2 + 3 + 3 + 2; all != want || t32 != 15 {
		t.Errorf("%d instructions, %d in T32, want %d, 15", all, t32, want)
	}
	for address, want := range map[schema.Address][2]int{
		start: {1, 0}, count + 4: {5, 1}, again + 12: {3, 1}, write: {1, 0}, write + 8: {1, 1},
		kuser: {1, 0}, kill: {1, 0}, handler: {1, 0}, exit: {0, 0},
	} {
		if got := [2]int{executed[address], failed[address]}; got != want {
			t.Errorf("0x%x: executed and failed %v times, want %v", address, got, want)
		}
	}
	if last.At.Address != exit-4 || last.Next.Address != exit {
		t.Errorf("ends with %+v", *last)
	}
}

// runQEMUUser runs a program that is to end with status 7, one instruction per
// record of its log.
func runQEMUUser(t *testing.T, program, log string, flags ...string) {
	t.Helper()
	help, err := exec.Command("qemu-arm", "-h").Output()
	if err != nil && len(help) == 0 {
		need.Missing(t, need.QEMU, err.Error())
	}
	single := "-singlestep"
	if strings.Contains(string(help), "-one-insn-per-tb") {
		single = "-one-insn-per-tb"
	}
	flags = append(flags, single, "-d", "exec,cpu,nochain", "-D", log, program)
	out, err := exec.Command("qemu-arm", flags...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 7 || string(out) != "hi\n" {
		t.Fatalf("qemu-arm: %v, printed %q", err, out)
	}
}
