// Command release builds what is published of a version: the program for each system
// in an archive, a Debian package and a Python wheel, each with the licences of all
// that is linked into it, and SHA-256 sums. The same commit makes the same bytes.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// sumsFile has the sums of all other files.
const sumsFile = "SHA256SUMS"

// targets are the systems that the program is built for, as GOOS/GOARCH.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	log.SetFlags(0)
	name := flag.String("version", "", "release `VERSION`, as v0.1.0 or v0.1.0-rc.1")
	out := flag.String("o", "dist", "write to `DIR`")
	only := flag.String("targets", strings.Join(targets, ","), "build for `GOOS/GOARCH,...`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *out, *name, strings.Split(*only, ","), flag.Args()...); err != nil {
		log.Fatal("release: ", err)
	}
}

// release writes the release of a version to a directory. The flags are for go build.
func release(ctx context.Context, dir, name string, targets []string, flags ...string) error {
	v, err := parseVersion(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, t := range targets {
		p, err := build(ctx, v, t, flags)
		if err != nil {
			return err
		}
		packages, err := p.packages()
		if err != nil {
			return err
		}
		for _, f := range packages {
			if err := os.WriteFile(filepath.Join(dir, f.name), f.text, f.mode); err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.text), f.name) // as sha256sum -c reads them
		}
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), sums.Bytes(), 0o644)
}

// build builds the program for a target.
func build(ctx context.Context, v version, target string, flags []string) (*product, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return nil, fmt.Errorf("target %q: write it as linux/amd64", target)
	}
	dir, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "tracelake")
	_, err = run(ctx, target, slices.Concat([]string{
		"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -X main.release=" + v.String(), "-o", file,
	}, flags, []string{programPackage})...)
	if err != nil {
		return nil, err
	}
	modules, err := linkedModules(ctx, target)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &product{version: v, system: system, arch: arch}
	if p.time, err = commitTime(info); err != nil {
		return nil, err
	}
	if p.binary, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	if p.notice, err = notice(modules); err != nil {
		return nil, err
	}
	p.python, err = readModule(filepath.Join(modules[0].Dir, "python", "tracelake"))
	return p, err
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
