// Command release builds what is published of a version: static binaries, the
// licences of all that is linked into them, and SHA-256 sums.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// The files beside the binaries.
const (
	noticeFile = "NOTICE"
	sumsFile   = "SHA256SUMS"
)

// targets are the systems that there are binaries for, as GOOS/GOARCH.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "dist", "write to `DIR`")
	only := flag.String("targets", strings.Join(targets, ","), "build for `GOOS/GOARCH,...`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *out, strings.Split(*only, ","), flag.Args()...); err != nil {
		log.Fatal("release: ", err)
	}
}

// release writes the release to a directory. The flags are for go build.
func release(ctx context.Context, dir string, targets []string, flags ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var files []string
	var linked []module
	for _, t := range targets {
		name, err := build(ctx, dir, t, flags)
		if err != nil {
			return err
		}
		files = append(files, name)
		modules, err := linkedModules(ctx, t)
		if err != nil {
			return err
		}
		linked = merge(linked, modules)
	}
	text, err := notice(linked)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, noticeFile), text, 0o644); err != nil {
		return err
	}
	return writeSums(dir, append(files, noticeFile))
}

// build builds the program for a target, and returns the name of the file.
func build(ctx context.Context, dir, target string, flags []string) (string, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return "", fmt.Errorf("target %q: write it as linux/amd64", target)
	}
	name := "tracelake-" + system + "-" + arch
	if system == "windows" {
		name += ".exe"
	}
	args := slices.Concat([]string{"build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w", "-o",
		filepath.Join(dir, name)}, flags, []string{programPackage})
	_, err := run(ctx, target, args...)
	return name, err
}

// run runs the go command for a target, without cgo, and returns what it prints.
func run(ctx context.Context, target string, args ...string) ([]byte, error) {
	system, arch, _ := strings.Cut(target, "/")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s for %s: %w\n%s", args[0], target, err, &stderr)
	}
	return stdout.Bytes(), nil
}

// writeSums writes the sums of files, as sha256sum -c reads them.
func writeSums(dir string, names []string) error {
	var text strings.Builder
	for _, name := range names {
		sum, err := fileSum(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), []byte(text.String()), 0o644)
}

// fileSum returns the SHA-256 of a file, in hex.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
