package answer

import "testing"

// Names are as short as can be: files by as many last parts as tell them apart,
// functions with file or address only where others have their name.
func TestShortPaths(t *testing.T) {
	got := shortPaths(map[string]bool{"a/x/main.c": true, "b/x/main.c": true, "b/util.c": true, "main.h": true, "": true,
		"lib/main.h": true})
	for path, want := range map[string]string{
		"a/x/main.c": "a/x/main.c", "b/x/main.c": "b/x/main.c", "b/util.c": "util.c", "main.h": "main.h",
		"lib/main.h": "lib/main.h",
	} {
		if got[path] != want {
			t.Errorf("%s: %s, want %s", path, got[path], want)
		}
	}
}
