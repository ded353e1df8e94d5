package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A resumed is a dataset of two parts of losses, of as many rows as their place, that may
// be suspended.
type resumed struct {
	dir     string
	options dataset.Options
	kept    []bool // of the parts, what the writer found
}

func newResumed(t *testing.T) *resumed {
	bound := []dataset.Bound{{Name: "--level", Value: "none"}}
	hashes := func() ([]dataset.Bound, error) { return []dataset.Bound{{Name: "SHA-256 of a", Value: "12"}}, nil }
	return &resumed{
		dir: filepath.Join(t.TempDir(), "run"),
		options: dataset.Options{
			Level: schema.LevelNone, PartRowGroups: 1, Without: schema.Answers(), Resumption: &dataset.Resumption{Bound: bound, Hashes: hashes},
		},
	}
}

// write writes both parts.
func (r *resumed) write() (*dataset.Writer, error) {
	w, err := dataset.Create(r.dir, r.options)
	if err != nil {
		return nil, err
	}
	s, encoder := w.Series(&schema.Losses, 0x10), w.NewEncoder(&schema.Losses)
	r.kept = nil
	for rows := range 3 {
		if rows == 0 {
			continue
		}
		kept := s.Kept()
		r.kept = append(r.kept, kept)
		if kept {
			err = s.Keep(int64(rows))
		} else {
			err = s.Write(lossRows(encoder, rows))
		}
		if err != nil {
			return nil, w.Stop(err)
		}
	}
	return w, nil
}

// lossRows returns a row group.
func lossRows(encoder schema.Encoder, rows int) schema.Chunks {
	b := schema.NewBatch(&schema.Losses)
	for range rows {
		schema.AppendLosses(b, schema.Keys{Source: 0x10}, 1, schema.LossBadPacket, "")
	}
	if err := encoder.Append(b); err != nil {
		panic(err)
	}
	c, err := encoder.Finish()
	if err != nil {
		panic(err)
	}
	return c
}

// suspend writes both parts, and is interrupted.
func (r *resumed) suspend(t *testing.T) {
	t.Helper()
	w, err := r.write()
	check(t, err)
	err = w.Stop(context.Canceled)
	if suspended, ok := errors.AsType[*dataset.SuspendedError](err); !ok || suspended.Done != "2 finished parts are" || suspended.Folder != r.folder() {
		t.Fatal(err)
	}
	r.options.Resumption.Resume = true
}

// resume writes the dataset.
func (r *resumed) resume() error {
	w, err := r.write()
	if err != nil {
		return err
	}
	lost := schema.Totals{Counters: schema.Counters{Bytes: 3, BytesLost: 3}, Losses: 3}
	return w.Close(&schema.Manifest{Sources: []schema.SourceTotals{{Source: 0x10, Status: "decoded", Unit: "bytes", Totals: lost}}})
}

// folder is where parts are kept, and part one of those.
func (r *resumed) folder() string {
	return filepath.Join(filepath.Dir(r.dir), ".run.tracelake-resumable")
}

func (r *resumed) part(n int) string {
	return filepath.Join(r.folder(), "dataset", "losses", fmt.Sprintf("10-%05d.parquet", n))
}

func (r *resumed) journal() string { return filepath.Join(r.folder(), "journal.jsonl") }

// Kept parts are those that are in the journal and whole; the rest of the folder counts for
// nothing, and is not in the dataset.
func TestResume(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	check(t, os.WriteFile(outside, []byte("as it was"), 0o666))
	for _, tt := range []struct {
		name   string
		change func(r *resumed)
		kept   [2]bool
	}{
		{"as it was", func(*resumed) {}, [2]bool{true, true}},
		{"a part is changed", func(r *resumed) { damage(t, filepath.Dir(r.part(0)), filepath.Base(r.part(0))) }, [2]bool{false, true}},
		{"a part is cut off", func(r *resumed) { check(t, os.Truncate(r.part(1), 100)) }, [2]bool{true, false}},
		{"a part is longer", func(r *resumed) { appendTo(t, r.part(1), "more") }, [2]bool{true, false}},
		{"a part is gone", func(r *resumed) { check(t, os.Remove(r.part(0))) }, [2]bool{false, true}},
		{"a part is a link", func(r *resumed) {
			check(t, os.Remove(r.part(0)))
			check(t, os.Symlink(outside, r.part(0)))
		}, [2]bool{false, true}},
		{"a part is a folder", func(r *resumed) {
			check(t, os.Remove(r.part(0)))
			check(t, os.MkdirAll(filepath.Join(r.part(0), "x"), 0o777))
		}, [2]bool{false, true}},
		{"a table is a link", func(r *resumed) {
			check(t, os.RemoveAll(filepath.Dir(r.part(0))))
			check(t, os.Symlink(filepath.Dir(outside), filepath.Dir(r.part(0))))
		}, [2]bool{false, false}},
		{"the last line is torn", func(r *resumed) { cutJournal(t, r, 20) }, [2]bool{true, false}},
		{"only the first line", func(r *resumed) { keepLines(t, r, 1) }, [2]bool{false, false}},
		{"no whole line", func(r *resumed) { check(t, os.Truncate(r.journal(), 30)) }, [2]bool{false, false}},
		{"no journal", func(r *resumed) { check(t, os.Remove(r.journal())) }, [2]bool{false, false}},
		{"other files", func(r *resumed) {
			dataset := filepath.Join(r.folder(), "dataset")
			check(t, os.WriteFile(filepath.Join(dataset, "manifest.json"), nil, 0o666))
			check(t, os.WriteFile(filepath.Join(dataset, "losses", "10-00007.parquet"), nil, 0o666))
			check(t, os.Mkdir(filepath.Join(dataset, "counts"), 0o777))
			check(t, os.WriteFile(filepath.Join(dataset, "counts", "10-00000.parquet"), nil, 0o666))
			check(t, os.Symlink(outside, filepath.Join(dataset, "views.sql")))
		}, [2]bool{true, true}},
		{"a part that is none of the dataset", func(r *resumed) {
			content, err := os.ReadFile(r.part(0))
			check(t, err)
			check(t, os.WriteFile(r.part(2), content, 0o666))
			lines, err := os.ReadFile(r.journal())
			check(t, err)
			line := strings.SplitAfter(string(lines), "\n")[2]
			appendTo(t, r.journal(), strings.Replace(line, "10-00000", "10-00002", 1))
		}, [2]bool{true, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newResumed(t)
			r.suspend(t)
			tt.change(r)
			check(t, r.resume())
			if !slices.Equal(r.kept, tt.kept[:]) {
				t.Errorf("kept parts: %v, want %v", r.kept, tt.kept)
			}
			if got := problems(t, r.dir); got != nil {
				t.Errorf("%q", got)
			}
			once := newResumed(t)
			once.options.Resumption = nil
			check(t, once.resume())
			if got, want := fileTexts(t, r.dir), fileTexts(t, once.dir); !slices.Equal(got, want) {
				t.Errorf("files\n%q, of one run\n%q", got, want)
			}
			if left, err := os.ReadDir(filepath.Dir(r.dir)); err != nil || len(left) != 1 {
				t.Errorf("left beside it: %v, %v", left, err)
			}
			if got, err := os.ReadFile(outside); err != nil || string(got) != "as it was" {
				t.Errorf("outside: %q, %v", got, err)
			}
		})
	}
}

// A line that was torn is gone when the next is written: an export can be interrupted in the
// midst of a line again and again.
func TestResumeTornTwice(t *testing.T) {
	for _, tt := range []struct{ first, second int64 }{{1, 1}, {1, 20}, {20, 1}, {20, 20}} { // bytes that are cut off
		r := newResumed(t)
		r.suspend(t)
		for _, cut := range []int64{tt.first, tt.second} {
			cutJournal(t, r, cut)
			r.suspend(t)
			if !slices.Equal(r.kept, []bool{true, false}) {
				t.Errorf("%+v: kept parts: %v, want the first", tt, r.kept)
			}
		}
		check(t, r.resume())
		if got := problems(t, r.dir); got != nil || !slices.Equal(r.kept, []bool{true, true}) {
			t.Errorf("%+v: kept parts: %v; %q", tt, r.kept, got)
		}
	}
}

// keepLines leaves the first lines of the journal.
func keepLines(t *testing.T, r *resumed, n int) {
	t.Helper()
	text, err := os.ReadFile(r.journal())
	check(t, err)
	check(t, os.WriteFile(r.journal(), []byte(strings.Join(strings.SplitAfter(string(text), "\n")[:n], "")), 0o666))
}

// cutJournal cuts off the last bytes of the journal.
func cutJournal(t *testing.T, r *resumed, bytes int64) {
	t.Helper()
	info, err := os.Stat(r.journal())
	check(t, err)
	check(t, os.Truncate(r.journal(), info.Size()-bytes))
}

// appendTo appends text to a file.
func appendTo(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	_, err = f.WriteString(text)
	check(t, errors.Join(err, f.Close()))
}

// What cannot be gone on with is refused by name, with what to do, and stays as it is.
func TestResumeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(r *resumed)
		want   string
	}{
		{"other options", func(r *resumed) { r.options.Resumption.Bound[0].Value = "blocks" }, "--level was none and is blocks; give what it was begun with"},
		{"one more", func(r *resumed) {
			r.options.Resumption.Bound = append(r.options.Resumption.Bound, dataset.Bound{Name: "size of b", Value: "1"})
		}, "size of b was nothing and is 1; "},
		{"fewer", func(r *resumed) { r.options.Resumption.Bound = nil }, "--level was none and is nothing; "},
		{"other hash", func(r *resumed) {
			r.options.Resumption.Hashes = func() ([]dataset.Bound, error) { return []dataset.Bound{{Name: "SHA-256 of a", Value: "13"}}, nil }
		}, "SHA-256 of a was 12 and is 13; "},
		{"no journal", func(r *resumed) { check(t, os.WriteFile(r.journal(), []byte("PK\n"), 0o666)) }, "has a journal that line 1: is no line of a journal"},
		{"later version", func(r *resumed) { check(t, os.WriteFile(r.journal(), []byte(`{"journal_version":2}`+"\n"), 0o666)) }, "line 1: has version 2, this program goes on with 1"},
		{"path", func(r *resumed) {
			appendTo(t, r.journal(), `{"part":{"path":"../../etc/passwd","sha256":"`+strings.Repeat("0", 64)+`"}}`+"\n")
		}, `line 5: names "../../etc/passwd", which is no part of a dataset; begin anew: remove `},
		{"table", func(r *resumed) {
			appendTo(t, r.journal(), `{"part":{"path":"marks/10-00000.parquet","sha256":"`+strings.Repeat("0", 64)+`"}}`+"\n")
		}, `names "marks/10-00000.parquet"`},
		{"rows", func(r *resumed) {
			text, err := os.ReadFile(r.journal())
			check(t, err)
			check(t, os.WriteFile(r.journal(), []byte(strings.Replace(string(text), `"rows":2`, `"rows":3`, 1)), 0o666))
		}, "says 3 rows of losses/10-00001.parquet, which has 2"},
		{"link", func(r *resumed) {
			check(t, os.Rename(r.journal(), r.dir+"-elsewhere"))
			check(t, os.Symlink(r.dir+"-elsewhere", r.journal()))
		}, "has a journal that cannot be opened"},
		{"folder", func(r *resumed) {
			check(t, os.RemoveAll(filepath.Join(r.folder(), "dataset")))
			check(t, os.Symlink("..", filepath.Join(r.folder(), "dataset")))
		}, "in which dataset is no folder"},
		{"nothing kept", func(r *resumed) { check(t, os.RemoveAll(r.folder())) }, "has no unfinished dataset beside it; begin one with --resumable"},
		{"not asked", func(r *resumed) { r.options.Resumption = nil }, "has an unfinished dataset beside it; go on with --resume, or begin anew with --overwrite"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newResumed(t)
			r.suspend(t)
			tt.change(r)
			if err := r.resume(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if _, err := os.Stat(r.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a dataset: %v", err)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(r.dir), ".run.tracelake-lock")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the lock is left: %v", err)
			}
			if _, err := os.Stat(r.folder()); err != nil && tt.name != "nothing kept" {
				t.Errorf("what was kept is gone: %v", err)
			}
		})
	}
}

// An export can be begun anew; a dataset that an interrupted one is to replace is not
// pruned meanwhile.
func TestResumeAnew(t *testing.T) {
	r := newResumed(t)
	r.suspend(t)
	r.options.Resumption, r.options.Overwrite = nil, true
	r.options.Tables = []*schema.Table{&schema.Packets}
	check(t, r.resume())
	if _, err := os.Stat(r.folder()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
	again := newResumed(t)
	again.dir, again.options.Overwrite = r.dir, true
	again.suspend(t)
	if _, err := dataset.Prune(t.Context(), r.dir, schema.LevelNone); err == nil || !strings.Contains(err.Error(), "has an unfinished dataset beside it; go on with export --resume, or remove ") {
		t.Error(err)
	}
	check(t, again.resume())
	if !again.kept[0] {
		t.Error("the parts are gone")
	}
}

// A journal is read as far as it has whole lines; whatever it says, parts are files of a
// dataset.
func FuzzJournal(f *testing.F) {
	head := `{"journal_version":1,"bound":[{"name":"--level","value":"none"}]}` + "\n" + `{"hashes":[{"name":"a","value":"b"}]}` + "\n"
	part := `{"part":{"path":"losses/10-00000.parquet","rows":1,"bytes":5,"sha256":"` + strings.Repeat("ab", 32) + `"}}` + "\n"
	f.Add(head + part)
	f.Add(head + part + part[:40])
	f.Add(head)
	f.Add("")
	f.Add(strings.Replace(head+part, "losses", "..", 1))
	f.Add(strings.Replace(head+part, "losses/10", "losses/../../10", 1))
	f.Add(strings.Replace(head+part, ":5", ":-5", 1))
	f.Add(head + head + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := dataset.ReadJournal([]byte(text))
		if err != nil {
			return
		}
		if j.End > int64(len(text)) || j.End > 0 && text[j.End-1] != '\n' || strings.Contains(text[j.End:], "\n") {
			t.Errorf("the last whole line ends at %d of %d", j.End, len(text))
		}
		for path, p := range j.Parts {
			if !filepath.IsLocal(path) || strings.Count(path, "/") != 1 || p.Path != path || p.Rows < 0 || p.Bytes < 0 || len(p.SHA256) != 64 {
				t.Errorf("part %+v", p)
			}
		}
		again, err := dataset.ReadJournal([]byte(text[:j.End]))
		if err != nil || len(again.Parts) != len(j.Parts) || again.End != j.End {
			t.Errorf("read again: %+v, %v", again, err)
		}
	})
}

// A journal that is longer than any export writes is refused, and not read to its end.
func TestLongJournal(t *testing.T) {
	need.FullRun(t, "64 MiB are read")
	long := make([]byte, 64<<20+1)
	if _, err := dataset.ReadJournal(long); err == nil || !strings.Contains(err.Error(), "has more than 67108864 bytes") {
		t.Error(err)
	}
}
