// Command tracelake decodes Arm CoreSight captures into tables.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// heapGrowth is by how many percent the heap may grow before the garbage
// collector runs, if GOGC does not say, in commands that do not decode: Go's 100
// costs memory and gains no speed.
const heapGrowth = 70

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}

// run runs a command line and returns its exit status. The first signal to end
// stops the command, a second one kills the process.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)

	out, log := visible.NewWriter(stdout), visible.NewWriter(stderr)
	err := runCommand(ctx, args, out, log)
	if flushed := out.Flush(); err == nil && flushed != nil { // also what urfave/cli could not print
		err = fmt.Errorf("write standard output: %w", flushed)
	}
	for _, line := range messages(err) {
		fmt.Fprintln(log, line)
	}
	_ = log.Flush() // nowhere left to report it
	return status(err)
}

func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	app := newApp(stdout, stderr)
	args, err := arrange(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, args)
}

// endings are the signals that ask the program to end: Ctrl-C, kill, and a
// terminal that closes, unless the program is to survive that (nohup).
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
