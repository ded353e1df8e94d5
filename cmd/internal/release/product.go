package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"
)

// A product is the program for a target, and what goes with it into packages.
type product struct {
	version        version
	system, arch   string    // GOOS, GOARCH
	time           time.Time // of all files in packages
	binary, notice []byte
	python         []file // the module
}

// A file is one of a package, or a package.
type file struct {
	name string // with slashes; a folder's ends with one
	mode fs.FileMode
	text []byte
}

// packages returns the packages for the target of p.
func (p *product) packages() ([]file, error) {
	kinds := []func() (file, error){p.archive}
	if p.system == "linux" {
		kinds = append(kinds, p.deb)
	}
	var all []file
	for _, pack := range append(kinds, p.wheel) {
		f, err := pack()
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %s: %w", p.system, p.arch, f.name, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// program is the name of the command on the target.
func (p *product) program() string {
	if p.system == "windows" {
		return "tracelake.exe"
	}
	return "tracelake"
}

// archive is the program and its licences, for unpacking anywhere.
func (p *product) archive() (file, error) {
	files := []file{{p.program(), 0o755, p.binary}, {"NOTICE", 0o644, p.notice}}
	name := fmt.Sprintf("tracelake_%s_%s_%s", p.version.file(), p.system, p.arch)
	if p.system == "windows" {
		text, err := zipped(files, p.time)
		return file{name + ".zip", 0o644, text}, err
	}
	text, err := tarball(files, p.time)
	return file{name + ".tar.gz", 0o644, text}, err
}

// tarball returns a tar.gz file.
func tarball(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		h := &tar.Header{
			Name: f.name, Mode: int64(f.mode), Size: int64(len(f.text)), ModTime: at,
			Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := compressed.Close()
	return b.Bytes(), err
}

// zipped returns a zip file.
func zipped(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		in, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// commitTime returns when the commit of a build was made, or the first day of zip files if
// the build does not say. Of a checkout with changes, no commit makes the same bytes.
func commitTime(info *debug.BuildInfo) (at time.Time, err error) {
	at = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.modified" && s.Value == "true":
			return at, errors.New("the checkout has changes, or got some meanwhile: commit them, or stash them")
		case s.Key == "vcs.time":
			if at, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return at, fmt.Errorf("time of the commit: %w", err)
			}
		}
	}
	return at, nil
}

// readModule reads the Python module: the files of a folder, without those of its folders,
// which Python makes.
func readModule(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"tracelake/" + e.Name(), 0o644, text})
	}
	return files, nil
}
