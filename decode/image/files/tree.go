package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A tree is a directory in which files of any name may be asked for: nothing outside of it is
// opened, wherever its links go.
type tree struct {
	dir      string
	root     *os.Root
	archives map[string]archive // by name; for one goroutine at a time
}

func openTrees(dirs []string) ([]*tree, error) {
	var trees []*tree
	for _, dir := range dirs {
		t, err := openTree(dir)
		if err != nil {
			return trees, err
		}
		trees = append(trees, t)
	}
	return trees, nil
}

func openTree(dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; give a directory of program files", err)
	}
	return &tree{dir, root, map[string]archive{}}, nil
}

// path returns where a name is in the file system.
func (t *tree) path(name string) string { return filepath.Join(t.dir, name) }

// opener returns what opens a file of the tree.
func (t *tree) opener(name string) opener {
	return func() (source, error) { return t.open(name) }
}

// open opens a regular file. It returns no source and no error if there is none.
func (t *tree) open(name string) (source, error) {
	name = filepath.FromSlash(strings.TrimLeft(name, "/"))
	info, err := t.root.Stat(name) // before it is opened: to open a pipe waits for its writer
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && !info.Mode().IsRegular():
		return source{}, nil
	case err != nil:
		return source{}, err
	}
	file, err := t.root.Open(name)
	if err != nil {
		return source{}, err
	}
	return source{file, file, info.Size(), t.path(name)}, nil
}
