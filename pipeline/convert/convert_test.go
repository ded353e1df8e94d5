package convert_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// merged reads the dataset that a text describes.
func merged(t *testing.T, text string) *report.Merged {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := datasettest.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// program has a function of two copies, one that was entered before the trace began,
// and one without a line; a line with two branches, of which one was not reached; and
// a branch without a line.
const program = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 4 copy
function 0x100c 4 copy
function 0x1010 8 "loop(int, char)"
function 0x1018 8 bare
code 0x1000 a32 other  at=src/main.c:11 executed=5
code 0x1004 a32 branch at=src/main.c:12 conditional executed=3 failed=2
code 0x1008 a32 other  at=src/util.h:4 executed=7
code 0x100c a32 other  at=src/util.h:4 executed=1
code 0x1010 a32 branch at=src/main.c:20 conditional
code 0x1014 a32 branch at=src/main.c:20 conditional failed=4
code 0x1018 a32 other  executed=6
code 0x101c a32 branch conditional executed=6
code 0x1020 a32 other  at=src/main.c:11 executed=9
`

// equal compares text line by line.
func equal(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestLCOV(t *testing.T) {
	var out bytes.Buffer
	paths := &convert.Paths{Root: "fw"}
	check(t, convert.LCOV(&out, "irq-storm 2", paths.Apply(merged(t, program).Sources().Files), paths))
	equal(t, `TN:irq_storm_2
SF:fw/src/main.c
FN:11,main
FN:20,loop(int, char)
FNDA:5,main
FNDA:0,loop(int, char)
FNF:2
FNH:1
BRDA:12,0,0,3
BRDA:12,0,1,2
BRDA:20,0,0,-
BRDA:20,0,1,-
BRDA:20,1,0,0
BRDA:20,1,1,4
BRF:6
BRH:3
DA:11,9
DA:12,3
DA:20,0
LF:3
LH:2
end_of_record
SF:fw/src/util.h
FN:4,copy
FNDA:8,copy
FNF:1
FNH:1
BRF:0
BRH:0
DA:4,7
LF:1
LH:1
end_of_record
`, out.String())
}

// A function that ran, but was not entered in the trace, counts as hit.
func TestFunctionEnteredBefore(t *testing.T) {
	m := merged(t, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 idle
code 0x1000 a32 other at=a.c:1
code 0x1004 a32 other at=a.c:2 executed=7
`)
	if f := m.Sources().Files[0].Functions[0]; f.Executions != 1 {
		t.Errorf("%+v", f)
	}
}

// Percentages are rounded, as everywhere, but one outcome of many is more than none.
func TestCoberturaRounds(t *testing.T) {
	var text strings.Builder
	text.WriteString("source 0x10\nfile fw.elf 0x1000 0x1000 match=1\nfunction 0x1000 4096 main\n")
	address := 0x1000
	add := func(n, line int, ways string) {
		for range n {
			fmt.Fprintf(&text, "code 0x%x a32 branch at=a.c:%d conditional %s\n", address, line, ways)
			address += 4
		}
	}
	add(1, 1, "executed=1 failed=1")
	add(2, 1, "executed=1")
	add(1, 2, "executed=1")
	add(300, 2, "")
	var out bytes.Buffer
	check(t, convert.Cobertura(&out, merged(t, text.String()).Sources().Files, &convert.Paths{}, convert.Made{}))
	for _, want := range []string{`condition-coverage="67% (4/6)"`, `condition-coverage="1% (1/602)"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %.2000s", want, &out)
		}
	}
}

func TestCobertura(t *testing.T) {
	var out bytes.Buffer
	paths := &convert.Paths{Map: []convert.Mapping{{From: "src", To: "/home/me/fw/app"}}, Root: "/home/me/fw"}
	check(t, convert.Cobertura(&out, paths.Apply(merged(t, program).Sources().Files), paths, convert.Made{By: "tracelake 1", Seconds: 2}))
	equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.75" branch-rate="0.5" lines-covered="3" lines-valid="4" branches-covered="3" branches-valid="6" complexity="0" version="tracelake 1" timestamp="2000">
 <sources>
  <source>/home/me/fw</source>
 </sources>
 <packages>
  <package name="app" line-rate="0.75" branch-rate="0.5" complexity="0">
   <classes>
    <class name="main.c" filename="app/main.c" line-rate="0.6666666666666666" branch-rate="0.5" complexity="0">
     <methods>
      <method name="main" signature="" line-rate="1" branch-rate="1" complexity="0">
       <lines>
        <line number="11" hits="5" branch="false"></line>
       </lines>
      </method>
      <method name="loop(int, char)" signature="" line-rate="0" branch-rate="1" complexity="0">
       <lines>
        <line number="20" hits="0" branch="false"></line>
       </lines>
      </method>
     </methods>
     <lines>
      <line number="11" hits="9" branch="false"></line>
      <line number="12" hits="3" branch="true" condition-coverage="100% (2/2)">
       <conditions>
        <condition number="0" type="jump" coverage="100%"></condition>
       </conditions>
      </line>
      <line number="20" hits="0" branch="true" condition-coverage="25% (1/4)">
       <conditions>
        <condition number="0" type="jump" coverage="0%"></condition>
        <condition number="1" type="jump" coverage="50%"></condition>
       </conditions>
      </line>
     </lines>
    </class>
    <class name="util.h" filename="app/util.h" line-rate="1" branch-rate="1" complexity="0">
     <methods>
      <method name="copy" signature="" line-rate="1" branch-rate="1" complexity="0">
       <lines>
        <line number="4" hits="8" branch="false"></line>
       </lines>
      </method>
     </methods>
     <lines>
      <line number="4" hits="7" branch="false"></line>
     </lines>
    </class>
   </classes>
  </package>
 </packages>
</coverage>
`, out.String())
}

// An address is of the section around it; what is in none has its address.
func TestModOff(t *testing.T) {
	m := merged(t, `
source 0x10 core=cpu_0
file boot.elf 0x0 0x10 code=b0 match=1
file fw.elf 0x8000 0x10 match=1
file fw.elf 0x9000 0x10 match=1
file hole.elf 0x9004 4 code=40
function 0x8000 0x10 main
code 0x4 a32 other executed=1
code 0x8000 a32 other executed=1
code 0x8004 a32 other
code 0x8008 a32 other conditional failed=1
code 0x900c a32 other unknown=1
run 0xa000 a32 executed=1
run 0xa004 a32 failed=1
`)
	var out bytes.Buffer
	check(t, convert.ModOff(&out, m.Modules()))
	equal(t, `# boot.elf: offsets are from 0x00000000
boot.elf+4
# fw.elf: offsets are from 0x00008000
fw.elf+0
fw.elf+100c
# memory of core cpu_0: offsets are from 0x00000000
memory+a000
`, out.String())
}

func TestPaths(t *testing.T) {
	p := &convert.Paths{Map: []convert.Mapping{{From: "C:/build", To: "fw"}, {From: "C:/build/lib/", To: "never"}, {From: "/opt/", To: "/usr"}}, Root: "/home/me"}
	for _, tt := range []struct{ path, want, open string }{
		{"C:/build/a.c", "fw/a.c", "/home/me/fw/a.c"},
		{"C:/build/lib/a.c", "fw/lib/a.c", "/home/me/fw/lib/a.c"}, // the first that fits
		{"C:/buildings/a.c", "C:/buildings/a.c", "C:/buildings/a.c"},
		{"/opt/a.c", "/usr/a.c", "/usr/a.c"},
		{"./src/../a.c", "a.c", "/home/me/a.c"},
		{"/home/me/b/a.c", "b/a.c", "/home/me/b/a.c"},
	} {
		files := p.Apply([]report.SourceFile{{Path: tt.path}})
		if got := files[0].Path; got != tt.want || p.Find(got) != tt.open {
			t.Errorf("%s: %s at %s, want %s at %s", tt.path, got, p.Find(got), tt.want, tt.open)
		}
	}
}

func TestMissing(t *testing.T) {
	root := t.TempDir()
	check(t, os.WriteFile(filepath.Join(root, "here.c"), nil, 0o666))
	check(t, os.Mkdir(filepath.Join(root, "folder.c"), 0o777))
	p := &convert.Paths{Root: filepath.ToSlash(root)}
	missing := p.Missing([]report.SourceFile{{Path: "folder.c"}, {Path: "gone.c"}, {Path: "here.c"}})
	equal(t, "folder.c gone.c", strings.Join(missing, " "))
}

// Names that hold line feeds cannot make records.
func TestHostileNames(t *testing.T) {
	files := []report.SourceFile{{
		Path: "a.c\nDA:1,1", Lines: []report.SourceLine{{Number: 1}},
		Functions: []report.SourceFunction{{Name: "f\x00\u2028\xff\r\nend_of_record", Line: 1}},
	}}
	p := &convert.Paths{}
	var out bytes.Buffer
	check(t, convert.LCOV(&out, "t\n", files, p))
	equal(t, "TN:t_\nSF:a.c\\u000aDA:1,1\nFN:1,f\\u0000\\u2028\\xff\\u000d\\u000aend_of_record\nFNDA:0,f\\u0000\\u2028\\xff\\u000d\\u000aend_of_record\n"+
		"FNF:1\nFNH:0\nBRF:0\nBRH:0\nDA:1,0\nLF:1\nLH:0\nend_of_record\n", out.String())
	out.Reset()
	check(t, convert.Cobertura(&out, files, p, convert.Made{}))
	if text := out.String(); strings.Contains(text, "\x00") || !strings.Contains(text, "a.c&#xA;DA:1,1") {
		t.Error(text)
	}
	out.Reset()
	check(t, convert.ModOff(&out, []report.Module{{File: "a\nb", Addresses: []schema.Address{1}}}))
	equal(t, "# a\\u000ab: offsets are from 0x00000000\na\\u000ab+1\n", out.String())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	check(t, os.WriteFile(name, data, 0o666))
}
