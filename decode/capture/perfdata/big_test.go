package perfdata

import (
	"fmt"
	"runtime"
	"sort"
	"testing"
)

// A sparse is a file of which only some stretches are not zero. It counts what is read.
type sparse struct {
	stretches []stretch
	read      int64
	calls     int
}

type stretch struct {
	at int64
	b  []byte
}

func (s *sparse) ReadAt(b []byte, at int64) (int, error) {
	s.read += int64(len(b))
	s.calls++
	clear(b)
	first := sort.Search(len(s.stretches), func(i int) bool { return s.stretches[i].at+int64(len(s.stretches[i].b)) > at })
	for _, st := range s.stretches[first:] {
		if st.at >= at+int64(len(b)) {
			break
		}
		if from := st.at - at; from >= 0 {
			copy(b[from:], st.b)
		} else {
			copy(b, st.b[-from:])
		}
	}
	return len(b), nil
}

// Of ten gigabytes of trace nothing is read but what is next to records, and nothing is kept.
func TestTraceIsSkipped(t *testing.T) {
	for _, tt := range []struct {
		bytes   int64 // of each AUXTRACE
		records int
		most    int64 // bytes that are read, of all
	}{
		{4 << 20, 2560, 2560 * 2 * leastAhead},
		{64 << 10, 20000, 20000 * 2 * leastAhead},
	} {
		t.Run(fmt.Sprint(tt.bytes), func(t *testing.T) {
			head := simple().bytes()
			s := &sparse{stretches: []stretch{{0, head}}}
			end := int64(len(head))
			for i := range uint64(tt.records) {
				offset := i * uint64(tt.bytes)
				b := aux(i, offset, uint64(tt.bytes), 0, 0, 9)
				b = append(b, rec(71, 0, u64(uint64(tt.bytes), offset, 0), u32(0, 0, 0, 0))...)
				s.stretches = append(s.stretches, stretch{end, b})
				end += int64(len(b)) + tt.bytes
			}
			copy(head[48:], u64(uint64(end-fileHeader-112-attrPlace)))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Read([]Part{{Name: "perf.data", Data: s, Size: end}})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			same(t, "pieces", tt.records, len(f.Pieces))
			same(t, "ring", Ring{TID: -1, Bytes: tt.bytes * int64(tt.records)}, f.Rings[0])
			same(t, "notes", nil, f.Notes)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d MB: %d KB in %d calls, %d KB allocated", end>>20, s.read>>10, s.calls, allocated>>10)
			if s.read > tt.most || s.calls > 2*tt.records || allocated > 1<<20+2000*uint64(tt.records) {
				t.Errorf("%d bytes in %d calls, %d bytes allocated, of %d AUXTRACE records", s.read, s.calls, allocated, tt.records)
			}
		})
	}
}

// Records are read through a window, and not one by one.
func TestReadInWindows(t *testing.T) {
	var b []byte
	comm := rec(3, 0, u32(5, 6), []byte("some name"), at(5, 6, 1, 0))
	for len(b) < 4<<20 {
		b = append(b, comm...)
	}
	file := simple(b, aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16))).bytes()
	s := &sparse{stretches: []stretch{{0, file}}}
	if _, err := Read([]Part{{Name: "perf.data", Data: s, Size: int64(len(file))}}); err != nil {
		t.Fatal(err)
	}
	if s.calls > len(file)/mostAhead+20 || s.read > int64(len(file))*21/20 {
		t.Errorf("%d bytes in %d calls, of a file of %d", s.read, s.calls, len(file))
	}
}
