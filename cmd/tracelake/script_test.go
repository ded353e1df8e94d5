package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema/datasettest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tracelake": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "1000") // scripts look for sentences, which lines do not break
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exit": exit, "json": validJSON, "zeros": zeros, "unhex": unhex, "sample": extract, "same": same,
			"qemulog": qemuLog, "dataset": makeDataset, "pack": pack,
		},
	})
}

// exit runs a command and demands its exit status: exit STATUS COMMAND ARG...
func exit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit STATUS COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", args[1], got, want)
	}
}

// validJSON demands that a file is one JSON value, or one a line: json FILE
// [lines].
func validJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) == 2 && args[1] != "lines" || len(args) > 2 {
		ts.Fatalf("usage: json FILE [lines]")
	}
	values := [][]byte{[]byte(ts.ReadFile(args[0]))}
	if len(args) == 2 {
		values = bytes.Split(bytes.TrimSuffix(values[0], []byte("\n")), []byte("\n"))
	}
	for _, v := range values {
		if !json.Valid(v) {
			ts.Fatalf("%s: not JSON: %.100q", args[0], v)
		}
	}
}

// zeros makes a file of zeros: zeros FILE BYTES.
func zeros(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: zeros FILE BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), make([]byte, n), 0o666))
}

// unhex makes a file of one in hexadecimal: unhex TEXT FILE.
func unhex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unhex TEXT FILE")
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(ts.ReadFile(args[0])), ""))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}

// extract writes the sample capture: sample DIR.
func extract(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sample DIR")
	}
	ts.Check(sample.Extract(ts.MkAbs(args[0])))
}

// makeDataset makes a dataset of a description: dataset TEXT DIR.
func makeDataset(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: dataset TEXT DIR")
	}
	ts.Check(datasettest.Write(ts.MkAbs(args[1]), ts.ReadFile(args[0])))
}

// pack compresses a file with gzip or zstd, by its name: pack FILE PACKED.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack FILE PACKED")
	}
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer f.Close()
	var w io.WriteCloser = gzip.NewWriter(f)
	if strings.HasSuffix(args[1], ".zst") {
		w, err = zstd.NewWriter(f)
		ts.Check(err)
	}
	_, err = io.WriteString(w, ts.ReadFile(args[0]))
	ts.Check(errors.Join(err, w.Close()))
}

// qemuLog makes a log of instructions in A32: qemulog FILE ADDRESS...
func qemuLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: qemulog FILE ADDRESS...")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(qemuLogText(args[1:]...)), 0o666))
}

// qemuLogText is what qemu-arm logs of instructions in A32, all flags and registers
// being 0.
func qemuLogText(addresses ...string) string {
	var log strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&log, "Trace 0: 0x7f01bdc000c0 [00800480/%s/00000000/00000201] main\n", address)
		for i := range 16 {
			fmt.Fprintf(&log, "R%02d=00000000%c", i, "   \n"[i%4])
		}
		log.WriteString("PSR=00000010 ---- A usr32\n")
	}
	return log.String()
}

// same demands that two directories hold the same files, but for what may
// differ between two exports of one input: same DIR DIR.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same DIR DIR")
	}
	ts.Check(ts.Exec("diff", "-r", "-x", "manifest.json", args[0], args[1]))
	for _, dir := range args {
		manifest := map[string]any{}
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(dir+"/manifest.json")), &manifest))
		delete(manifest, "run")
		delete(manifest, "manifest_sha256")
		text, err := json.Marshal(manifest)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(dir+".manifest"), text, 0o666))
	}
	ts.Check(ts.Exec("cmp", args[0]+".manifest", args[1]+".manifest"))
}
