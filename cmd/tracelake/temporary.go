package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"
)

// temporaryKey is where an app keeps the directory of its temporary files.
const temporaryKey = "temporary files"

// temporaryFiles returns the directory of temporary files of a command, which is removed when it ends.
func temporaryFiles(ctx *cli.Context) (string, error) {
	if dir, ok := ctx.App.Metadata[temporaryKey].(string); ok {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "tracelake-")
	if err != nil {
		return "", fmt.Errorf("directory of temporary files: %w", err)
	}
	ctx.App.Metadata[temporaryKey] = dir
	return dir, nil
}

// removeTemporaryFiles removes them, if there are any.
func removeTemporaryFiles(ctx *cli.Context) error {
	dir, ok := ctx.App.Metadata[temporaryKey].(string)
	if !ok {
		return nil
	}
	return os.RemoveAll(dir)
}
