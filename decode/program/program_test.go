package program

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

func TestTry(t *testing.T) {
	for _, name := range []string{
		"../../../shared/captures/am243x-r5f-etmv3-freertos-002b37c/freertos.elf",
		"../../../shared/captures/am243x-r5f-etmv3-zephyr-e9185a9/zephyr.elf",
		"../../../shared/captures/am243x-r5f-etmv3-threadx-ce42d22/threadx.elf",
		"../../bench/sample/capture/sample.elf",
	} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		p, err := Read(image.File{Name: name, Data: bytes.NewReader(b), Size: int64(len(b))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		in, pad, cb, pred := 0, 0, 0, 0
		for _, c := range p.Code {
			if c.Function.OK {
				in++
			} else {
				pad++
				continue
			}
			if c.Conditional {
				if c.Target.OK || c.Kind == schema.KindBranch || c.Kind == schema.KindReturn || c.Kind == schema.KindIndirect {
					cb++
				} else {
					pred++
				}
			}
		}
		var origin [4]int
		names := map[string]bool{}
		for _, f := range p.Functions {
			origin[f.Origin]++
			names[f.Name] = true
		}
		t.Logf("%v in %d pad %d functions %d %v names %d condbranch %d predicated %d symbols %d notes %q", took, in, pad, len(p.Functions), origin, len(names), cb, pred, len(p.Symbols), p.Notes)
		type fl struct {
			f string
			l uint32
		}
		lines := [2]map[fl]bool{{}, {}}
		files := [2]map[string]bool{{}, {}}
		stmt := map[fl]bool{}
		first := 0
		at := map[uint32]bool{}
		for _, l := range p.Lines {
			if l.InlineDepth == 0 {
				lines[0][fl{l.File, l.Line}] = true
				files[0][l.File] = true
				at[l.Address] = true
				if l.IsStmt {
					stmt[fl{l.File, l.Line}] = true
				}
			}
			lines[1][fl{l.File, l.Line}] = true
			files[1][l.File] = true
		}
		for _, f := range p.Functions {
			if at[f.Address] {
				first++
			}
		}
		t.Logf("rows %d, lines %d (%d) files %d (%d), stmt %d, first %d dropped %+v", len(p.Lines), len(lines[0]), len(lines[1]), len(files[0]), len(files[1]), len(stmt), first, p.Dropped)
		for f := range files[0] {
			if len(files[0]) < 10 {
				t.Log(f)
			}
		}
	}
}
