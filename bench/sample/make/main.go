// The program make makes the sample's capture anew. Run it in the folder
// bench/sample:
//
//	go run ./make                                                     from the recording
//	go run ./make -elf program/sample.elf -log program/qemu.log       from a new recording
//	go run ./make -elf FILE -log LOG -recording arm926/recording.txt.gz   a recording alone
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/bench/sample/internal/remake"
	"github.com/tracelake/tracelake/bench/snapshot"
)

const captureDir = "capture"

func main() {
	elf := flag.String("elf", filepath.Join(captureDir, remake.ELFName), "`file` of the program")
	log := flag.String("log", "", "make the recording anew, from this `file` that QEMU wrote")
	recording := flag.String("recording", "", "write no more than the recording, to this `file`")
	flag.Parse()
	if flag.NArg() > 0 || *recording != "" && *log == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*elf, *log, *recording); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func run(elf, log, recordingFile string) error {
	code, err := os.ReadFile(elf)
	if err != nil {
		return err
	}
	program, err := remake.LoadProgram(code)
	if err != nil {
		return err
	}
	recording, err := readRecording(program, log)
	if err != nil {
		return err
	}
	if recordingFile != "" {
		return os.WriteFile(recordingFile, recording, 0o644)
	}
	steps, err := remake.Execution(program, recording)
	if err != nil {
		return err
	}
	files, truth, err := remake.Capture(program, steps, remake.Options())
	if err != nil {
		return err
	}
	text, err := remake.TruthText(truth)
	if err != nil {
		return err
	}
	files[remake.ELFName] = code
	if err := snapshot.WriteFiles(captureDir, files); err != nil {
		return err
	}
	return snapshot.WriteFiles(".", map[string][]byte{remake.RecordingName: recording, remake.TruthName: text})
}

// readRecording returns the recording at hand, or a new one of a log.
func readRecording(program *remake.Program, log string) ([]byte, error) {
	if log == "" {
		return os.ReadFile(remake.RecordingName)
	}
	f, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	recording, err := remake.Record(program, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", log, err)
	}
	return recording, nil
}
