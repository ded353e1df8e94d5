package synth

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// userProgram counts to 5 in A32, calls a function in T32 three times, prints,
// and ends.
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
	mov	r7, #1		@ exit(7)
	mov	r0, #7
exit:	svc	#0
text:	.ascii	"hi\n"
	.balign	4
	.thumb
	.thumb_func
odd:	tst	r0, #1
	ite	eq
	moveq	r1, #0
	movne	r1, #1
	bx	lr
`

func TestReadQEMUUserLog(t *testing.T) {
	for _, tool := range []string{"arm-none-eabi-as", "arm-none-eabi-ld", "qemu-arm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s", tool)
		}
	}
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
	const start, count, again, write, exit = 0x10000, 0x10004, 0x10010, 0x10030, 0x10044
	executed, failed := make(map[uint32]int), make(map[uint32]int)
	var entries, offs, t32, all int
	var last *Step
	for s, err := range ReadQEMUUserLog(log, NewProgram(image.New(regions...))) {
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && s.At != last.Next {
			t.Fatalf("after %+v comes %+v", *last, s)
		}
		last = &s
		if s.Entered {
			want := Place{Address: write + 4, ISA: schema.A32, Security: schema.NonSecure}
			if s.Exception != schema.ExcSVC || s.At != want || s.Next.Address != 0xFFFF0008 {
				t.Errorf("%+v", s)
			}
			entries++
			continue
		}
		if err := s.check(); err != nil {
			t.Error(err)
		}
		if s.Trace != Traced {
			offs++
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
	if entries != 1 || offs != 1 {
		t.Errorf("%d exceptions, %d steps not traced, want one of each", entries, offs)
	}
	// 1 + 5*2 + 1 + 3*(4 + 5 in T32) + 4 + svc + cmp + svcne + 2; exit is the last.
	if want := 1 + 10 + 1 + 3*(4+5) + 4 + 3 + 2; all != want || t32 != 15 {
		t.Errorf("%d instructions, %d in T32, want %d, 15", all, t32, want)
	}
	for address, want := range map[uint32][2]int{
		start: {1, 0}, count + 4: {5, 1}, again + 12: {3, 1}, write: {1, 0}, write + 8: {1, 1}, exit: {0, 0},
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
func runQEMUUser(t *testing.T, program, log string) {
	t.Helper()
	help, err := exec.Command("qemu-arm", "-h").Output()
	if err != nil && len(help) == 0 {
		t.Skipf("qemu-arm: %v", err)
	}
	single := "-singlestep"
	if strings.Contains(string(help), "-one-insn-per-tb") {
		single = "-one-insn-per-tb"
	}
	out, err := exec.Command("qemu-arm", single, "-d", "exec,cpu,nochain", "-D", log, program).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 7 || string(out) != "hi\n" {
		t.Fatalf("qemu-arm: %v, printed %q", err, out)
	}
}
