// Command tracelake decodes Arm CoreSight captures into tables.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

// run runs a command line and returns its exit status. The first Ctrl-C stops
// the command, a second one kills the process.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	app := newApp(stdout, stderr)
	args, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	if err != nil {
		fmt.Fprintln(stderr, "tracelake:", message(err))
	}
	return status(err)
}
