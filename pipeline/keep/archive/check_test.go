package archive

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
)

// Checking small packed files is for each to open it once and to unpack it: what unpacks is made once for all, as are
// buffers.
func TestCheckManyImages(t *testing.T) {
	const images = 400
	most := uint64(12<<10 + hashBuffer*runtime.GOMAXPROCS(0)/images) // bytes that each may allocate
	dir := filepath.Join(t.TempDir(), "run.tla")
	w, err := Create(dir, CreateOptions{Level: "fastest"})
	check(t, err)
	check(t, w.AddFile("snapshot.ini", []byte("[snapshot]\n")))
	for i := range images {
		content := bytes.Repeat(fmt.Appendf(nil, "memory %d ", i), 50)
		check(t, w.AddImage(fmt.Sprintf("mem%d.bin", i), false, sumOf(content), int64(len(content)), bytes.NewReader(content)))
	}
	check(t, w.Complete(&Index{Begin: "snapshot.ini"}))
	check(t, w.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Check(t.Context(), dir, "", nil)
	runtime.ReadMemStats(&after)
	check(t, err)
	if r.Files < images || len(r.Problems) != 1 { // there is no dataset
		t.Errorf("%d files, problems %v", r.Files, r.Problems)
	}
	allocated := (after.TotalAlloc - before.TotalAlloc) / images
	t.Logf("%d bytes in %d allocations for each", allocated, (after.Mallocs-before.Mallocs)/images)
	if allocated > most {
		t.Errorf("%d bytes allocated for each image, at most %d", allocated, most)
	}
}
