package main

import (
	"fmt"
	"regexp"
)

// A version is that of a release, as each kind of package writes it.
type version struct {
	number    string // 0.1.0
	candidate string // the number of a candidate, "" of a release
}

var versionName = regexp.MustCompile(`^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-rc\.([1-9]\d*))?$`)

// parseVersion reads a version as Go modules have it.
func parseVersion(name string) (version, error) {
	parts := versionName.FindStringSubmatch(name)
	if parts == nil {
		return version{}, fmt.Errorf("version %q: write it as v0.1.0, or v0.1.0-rc.1: make release VERSION=v0.1.0", name)
	}
	return version{parts[1], parts[2]}, nil
}

// String is the version of a Go module.
func (v version) String() string { return "v" + v.with("-rc.") }

// file is the version in the names of archives.
func (v version) file() string { return v.with("-rc.") }

// debian is the version of a package: what follows ~ is before the release, as dpkg sorts.
func (v version) debian() string { return v.with("~rc.") }

// python is the version of a wheel (PEP 440).
func (v version) python() string { return v.with("rc") }

func (v version) with(candidate string) string {
	if v.candidate == "" {
		return v.number
	}
	return v.number + candidate + v.candidate
}
