package convert_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report/profile"
)

// nested has what the format can hold, and names that it cannot.
var nested = profile.Samples{Functions: []profile.FunctionSamples{
	{
		Name: "main", Entries: 2, Total: 27,
		Lines: []profile.LineSamples{
			{Offset: 1, Count: 3},
			{Offset: 7, Count: 4, Targets: []profile.CallTarget{{Name: "a", Count: 1}, {Name: "operator()(int, char)",
				Count: 2}}},
		},
		Inlined: []profile.InlinedSamples{{Offset: 3, FunctionSamples: profile.FunctionSamples{
			Name: "7up", Total: 20, Lines: []profile.LineSamples{{Offset: 65535, Count: 5}},
			Inlined: []profile.InlinedSamples{{Offset: 1, FunctionSamples: profile.FunctionSamples{Name: "leaf", Total: 15,
				Lines: []profile.LineSamples{{Count: 15}}}}},
		}}},
	},
	{Name: "\n a:b\xff", Total: 1, Lines: []profile.LineSamples{{Count: 1}}},
	{Name: "", Total: 1, Lines: []profile.LineSamples{{Count: 1}}},
}}

const nestedText = `main:27:2
 1: 3
 7: 4 a:1 operator()(int,_char):2
 3: _7up:20
  65535: 5
  1: leaf:15
   0: 15
\u000a_a_b\xff:1:0
 0: 1
_:1:0
 0: 1
`

func TestAutoFDO(t *testing.T) {
	var out bytes.Buffer
	check(t, convert.AutoFDO(&out, &nested))
	equal(t, nestedText, out.String())
}

// llvm-profdata shows what was written.
func TestLLVMProfdata(t *testing.T) {
	program := need.Tool(t, need.LLVM, "llvm-profdata")
	show := func(text []byte) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "fdo.txt")
		writeFile(t, name, text)
		merged := name + ".prof"
		for _, args := range [][]string{{"merge", "--sample", name, "-o", merged}, {"show", "--sample", merged}} {
			out, err := exec.Command(program, args...).CombinedOutput()
			if err != nil {
				t.Fatalf("llvm-profdata %v: %v\n%s", args, err, out)
			}
			text = out
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	contains := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in %s", w, text)
			}
		}
	}
	contains(show([]byte(nestedText)), "Function: main: 27, 2, 2 sampled lines",
		"7: 4, calls: operator()(int,_char):2 a:1", "3: inlined callee: _7up: 20, 0, 1 sampled lines",
		"1: inlined callee: leaf: 15, 0, 1 sampled lines")
	dir, m, _ := exportedProfile(t, "sample", sample.ELF)
	s, err := profile.ReadSamples(m, []string{dir}, "")
	check(t, err)
	var out bytes.Buffer
	check(t, convert.AutoFDO(&out, s))
	contains(show(out.Bytes()), "Function: quicksort: 9147, 120, 15 sampled lines", "19: 117, calls: quicksort:117",
		"6: inlined callee: random_next: 4608, 0, 3 sampled lines")
}
