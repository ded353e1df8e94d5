package isa_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// The mnemonics beside the opcodes of scenario files are what objdump makes of
// them: a reader of a scenario goes by the comment.
func TestScenarioMnemonics(t *testing.T) {
	programs := scenarioPrograms(t)
	if len(programs) < 1200 {
		t.Errorf("only %d commented opcodes", len(programs))
	}
	dir := t.TempDir()
	for _, set := range []struct {
		schema.ISA
		program string
		args    []string
	}{
		{schema.A32, arm, []string{"-m", "arm"}},
		{schema.T32, arm, []string{"-m", "arm", "-M", "force-thumb"}},
		{schema.A64, aarch64, []string{"-m", "aarch64"}},
	} {
		file := filepath.Join(dir, set.String())
		var image []byte
		for _, p := range programs {
			if p.set == set.ISA {
				image = append(image, p.slot()...)
			}
		}
		if err := os.WriteFile(file, image, 0o600); err != nil {
			t.Fatal(err)
		}
		found := map[schema.Address]line{}
		for _, l := range objdump(t, set.program, slices.Concat([]string{"-D", "-z", "-b", "binary"}, set.args, []string{file})...) {
			found[l.address] = l
		}
		at := schema.Address(0)
		for _, p := range programs {
			if p.set == set.ISA {
				p.compare(t, found[at+p.address%4])
				at += slotBytes
			}
		}
	}
}

// A commented is an opcode of a scenario with the comment beside it.
type commented struct {
	where    string // file and line
	address  schema.Address
	set      schema.ISA
	bytes    []byte
	mnemonic string
}

// slotBytes is what an opcode has of the file for objdump, in which it lies as
// in memory as far as its alignment goes.
const slotBytes = 8

func (c *commented) slot() []byte {
	slot := make([]byte, slotBytes)
	for i := 0; i < slotBytes; i += 4 { // filler of two or four bytes: nop
		copy(slot[i:], "\x00\xbf\x00\xbf")
	}
	copy(slot[c.address%4:], c.bytes)
	return slot
}

// compare checks that the comment is what objdump prints, whose addresses are those
// in the file. A comment without operands matches any operands.
func (c *commented) compare(t *testing.T, l line) {
	t.Helper()
	switch {
	case branches.MatchString(l.mnemonic):
		l.operands = target.ReplaceAllStringFunc(l.operands, func(text string) string {
			to, err := strconv.ParseUint(text[2:], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%#x", (schema.Address(to) - l.address + c.address).In32())
		})
	case l.opcode == 0xe1a00000: // objdump says nop
		l.mnemonic, l.operands = "mov", "r0, r0"
	}
	mnemonic, operands, _ := strings.Cut(c.mnemonic, " ")
	if c.set == schema.A32 && strings.HasSuffix(mnemonic, "d") { // of a pair objdump writes the first: ldrd, strexd
		operands = pair.ReplaceAllString(operands, "$1, [")
	}
	want, wantOperands := plain(l.mnemonic, l.operands)
	got, gotOperands := plain(mnemonic, operands)
	if got != want || operands != "" && gotOperands != wantOperands {
		t.Errorf("%s: %q is %s %s", c.where, c.mnemonic, l.mnemonic, l.operands)
	}
}

var (
	branches      = regexp.MustCompile(`^(?:bl?x?(?:..)?|cbn?z)(?:\.[nw])?$`)
	target        = regexp.MustCompile(`0x[0-9a-f]+`)
	width         = regexp.MustCompile(`\.[nw]$`)
	multiple      = regexp.MustCompile(`^(v?(?:ldm|stm))ia`)
	number        = regexp.MustCompile(`\b(?:0x[0-9a-f]+|[0-9]+)\b`)
	coprocessor   = regexp.MustCompile(`\b(?:p|cr)(\d+)\b|\{(\d+)\}`)
	pair          = regexp.MustCompile(`(r\d+), r\d+, \[`)
	registerRange = regexp.MustCompile(`([ds])(\d+)-[ds](\d+)`)
)

// plain writes an instruction in one way: numbers decimal, coprocessors and
// their registers without letters, lists register by register, no offset of 0.
func plain(mnemonic, operands string) (string, string) {
	operands = number.ReplaceAllStringFunc(operands, func(text string) string {
		v, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			return text
		}
		return strconv.FormatUint(v, 10)
	})
	operands = coprocessor.ReplaceAllString(operands, "$1$2")
	if strings.HasPrefix(mnemonic, "m") {
		operands = strings.ReplaceAll(operands, "c", "")
	}
	operands = registerRange.ReplaceAllStringFunc(operands, func(text string) string {
		of := registerRange.FindStringSubmatch(text)
		first, _ := strconv.Atoi(of[2])
		last, _ := strconv.Atoi(of[3])
		var all []string
		for ; first <= last; first++ {
			all = append(all, of[1]+strconv.Itoa(first))
		}
		return strings.Join(all, ", ")
	})
	operands = strings.ReplaceAll(strings.ReplaceAll(operands, "#", ""), ", 0]", "]")
	return multiple.ReplaceAllString(width.ReplaceAllString(mnemonic, ""), "$1"), operands
}

var (
	opcodeLine = regexp.MustCompile(`^(?:\w+:)?([0-9a-f]{8}): ([0-9a-f]{8}|[0-9a-f]{4}(?: [0-9a-f]{4})?) *; *(.*)$`)
	// What is no mnemonic, or of ThumbEE, which objdump does not know.
	prose = regexp.MustCompile(`^the [^:]*$|half$|^first half of|^A32 (?:too|or data)|^(?:hb|hbl|hbp|hblp|chka|enterx|leavex)\b`)
	// ThumbEE's own loads and stores.
	thumbEE = regexp.MustCompile(`^(?:ldr|str) r\d, \[r(?:3|9|10)\b`)
	// What is around a mnemonic.
	around = regexp.MustCompile(`^(?:the [^:]*|A32): |: clean by address$|, (?:\w+ times|of which .*)$`)
)

// scenarioPrograms reads the opcodes of all scenarios that have a mnemonic.
func scenarioPrograms(t *testing.T) []*commented {
	t.Helper()
	var all []*commented
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		at := 0
		for row := range strings.Lines(string(text)) {
			at++
			of := opcodeLine.FindStringSubmatch(strings.TrimSpace(row))
			if of == nil || prose.MatchString(of[3]) || strings.Contains(string(text), "ThumbEE") && thumbEE.MatchString(of[3]) {
				continue
			}
			address, err := strconv.ParseUint(of[1], 16, 32)
			if err != nil {
				return err
			}
			set := schema.T32
			switch {
			case len(of[2]) != 8:
			case strings.HasPrefix(name, "../etmv4/"): // the other protocols trace no A64
				set = schema.A64
			default:
				set = schema.A32
			}
			all = append(all, &commented{
				where: fmt.Sprintf("%s:%d", name, at), address: schema.Address(address), set: set,
				bytes: littleEndian(t, of[2]), mnemonic: around.ReplaceAllString(of[3], ""),
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// littleEndian returns the bytes of an opcode as memory has them: a word, or
// one or two halfwords.
func littleEndian(t *testing.T, digits string) []byte {
	t.Helper()
	var b []byte
	for word := range strings.FieldsSeq(digits) {
		v, err := strconv.ParseUint(word, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		for range len(word) / 2 {
			b, v = append(b, byte(v)), v>>8
		}
	}
	return b
}
