package main

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// run returns what is printed of events, given as "action package test output",
// one a line, with - for nothing and \n for the ends of lines in the output.
func run(t *testing.T, events string) string {
	t.Helper()
	var lines, out strings.Builder
	for line := range strings.Lines(events) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 4)
		for len(f) < 4 {
			f = append(f, "-")
		}
		for i := range f {
			if f[i] == "-" {
				f[i] = ""
			}
		}
		if f[0] != "" {
			fmt.Fprintf(&lines, `{"Action":"%s","Package":"%s","Test":"%s","Output":"%s"}`+"\n", f[0], f[1], f[2], f[3])
		}
	}
	w := bufio.NewWriter(&out)
	c, err := read(strings.NewReader(lines.String()), w)
	if err != nil {
		t.Fatal(err)
	}
	c.summarize()
	w.Flush()
	return out.String()
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		name, events, want string
	}{
		{"passes are a line", `
			start p
			run p TestA
			output p TestA === RUN   TestA\n
			output p TestA     a_test.go:1: said\n
			pass p TestA
			output p - PASS\n
			output p - ok  \tp\t0.1s\n
			pass p
			start q
			output q - ?   \tq\t[no test files]\n
			skip q`, `ok  	p	0.1s
?   	q	[no test files]
1 passed, 0 failed, 0 skipped
`},
		{"subtests count in place of their test", `
			start p
			run p TestA
			run p TestA/x
			run p TestA/x/1
			run p TestA/x/2
			run p TestA/y
			output p TestA/y     a_test.go:1: said before\n
			output p TestA/y     need.go:2: silicon: none\n
			output p TestA/y         and more of it\n
			output p TestA/y --- SKIP: TestA/y (0.00s)\n
			skip p TestA/y
			pass p TestA/x/1
			pass p TestA/x/2
			pass p TestA/x
			pass p TestA
			output p - ok  \tp\t0.1s\n
			pass p`, `ok  	p	0.1s
skipped:
     1  silicon: none
2 passed, 0 failed, 1 skipped
`},
		{"reasons, most frequent first", `
			start p
			run p TestA
			output p TestA     a_test.go:1: gcc: none\n
			skip p TestA
			run p TestB
			output p TestB     a_test.go:2: silicon: none\n
			skip p TestB
			run p TestC
			output p TestC     a_test.go:3: silicon: none\n
			skip p TestC
			run p TestD
			output p TestD --- SKIP: TestD (0.00s)\n
			skip p TestD
			output p - ok  \tp\t0.1s\n
			pass p`, `ok  	p	0.1s
skipped:
     2  silicon: none
     1  gcc: none
     1  no reason given
0 passed, 0 failed, 4 skipped
`},
		{"a failure is shown in full, and counts once", `
			start p
			run p TestA
			run p TestA/x
			output p TestA/x === RUN   TestA/x\n
			output p TestA/x     a_test.go:1: wrong\n
			output p TestA/x --- FAIL: TestA/x (0.00s)\n
			fail p TestA/x
			output p TestA --- FAIL: TestA (0.00s)\n
			fail p TestA
			output p - FAIL\n
			output p - FAIL\tp\t0.1s\n
			fail p`, `    a_test.go:1: wrong
--- FAIL: TestA/x (0.00s)
--- FAIL: TestA (0.00s)
FAIL
FAIL	p	0.1s
0 passed, 1 failed, 0 skipped
`},
		{"a test fails though its subtests pass", `
			start p
			run p TestA
			run p TestA/x
			pass p TestA/x
			fail p TestA
			output p - FAIL\tp\t0.1s\n
			fail p`, `FAIL	p	0.1s
1 passed, 1 failed, 0 skipped
`},
		{"a package that does not build", `
			build-output - - p/p.go:2:12: undefined: x\n
			build-fail
			start p
			output p - FAIL\tp [build failed]\n
			fail p`, `p/p.go:2:12: undefined: x
FAIL	p [build failed]
0 passed, 1 failed, 0 skipped
`},
		{"the process ends under its tests", `
			start p
			run p TestA
			pass p TestA
			run p TestB
			run p TestB/x
			output p TestB/x panic: test timed out after 1s\n
			output p - FAIL\tp\t1s\n
			fail p`, `panic: test timed out after 1s
--- FAIL: TestB/x (it still ran when the process ended)
--- FAIL: TestB (it still ran when the process ended)
FAIL	p	1s
1 passed, 1 failed, 0 skipped
`},
		{"a package fails though its tests pass", `
			start p
			run p TestA
			pass p TestA
			output p - exit status 3\n
			output p - FAIL\tp\t1s\n
			fail p`, `exit status 3
FAIL	p	1s
1 passed, 1 failed, 0 skipped
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t, tt.events); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// What is no event is printed as it is: go test could not start.
func TestNoEvents(t *testing.T) {
	var out strings.Builder
	w := bufio.NewWriter(&out)
	if _, err := read(strings.NewReader("no such flag\nlast"), w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	if out.String() != "no such flag\nlast" {
		t.Errorf("%q", out.String())
	}
}
