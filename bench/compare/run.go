package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A measured is one measurement.
type measured struct {
	Instructions, Bytes int64   // decoded, of the trace
	Wall, CPU           float64 // seconds; CPU of user and system, of all threads
	Peak                int64   // bytes of memory
	Written             int64   // bytes of the table of rows
}

// cpuEach is the seconds of CPU that an instruction took.
func cpuEach(r measured) float64 { return r.CPU / float64(r.Instructions) }

// wallEach is the seconds that an instruction took.
func wallEach(r measured) float64 { return r.Wall / float64(r.Instructions) }

// process runs a command that prints a measurement as JSON.
func process(c *exec.Cmd, into any) error {
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(c.Path), strings.Join(c.Args[1:], " "), err)
	}
	return nil
}

// measure does some work and prints the measurement of this process as JSON. The work sets what
// was decoded and written.
func measure(out io.Writer, work func(*measured) error) error {
	var r measured
	start := time.Now()
	if err := work(&r); err != nil {
		return err
	}
	r.Wall = time.Since(start).Seconds()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	r.CPU = seconds(usage.Utime) + seconds(usage.Stime)
	var err error
	if r.Peak, err = peakMemory(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// peakMemory returns the most memory that the process had. Getrusage has that of the
// process it was forked from in it.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, err = fmt.Sscanf(line, "%d kB", &kilobytes)
	return kilobytes << 10, err
}
