package arrowfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

func open(data []byte, t *schema.Table) (*Reader, error) {
	return Open(bytes.NewReader(data), int64(len(data)), t)
}

// Every type comes back as it was written, NULL or not, batch by batch.
func TestReaderRoundTrip(t *testing.T) {
	for codec := range Codec(len(CodecNames())) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/seed=%d", codec, seed), func(t *testing.T) {
				t.Parallel()
				table := sample.EveryType()
				r := rand.New(rand.NewPCG(seed, 1))
				groups := sample.Groups(table, r, [][]int{{900, 1100, 1}, {}, {64, 900}})
				f, err := open(write(t, table, codec, groups), table)
				if err != nil {
					t.Fatal(err)
				}
				sample.CompareFile(t, f, groups)
			})
		}
	}
}

// Every table without rows is read as that.
func TestReaderEmpty(t *testing.T) {
	for _, table := range schema.Tables() {
		f, err := open(write(t, table, None, nil), table)
		if err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
		if _, err := f.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", table.Name, err)
		}
	}
}

// A file of other columns is refused, and so is what is no file.
func TestReaderRefuses(t *testing.T) {
	losses := write(t, &schema.Losses, None, nil)
	other := schema.Losses
	other.Columns = append([]schema.Column{}, other.Columns...)
	other.Columns[4].Type = schema.Int32
	long := bytes.Clone(losses)
	copy(long[len(long)-trailerBytes:], "\xff\xff\xff\x7f")
	for _, tt := range []struct {
		name  string
		data  []byte
		table *schema.Table
		want  string
	}{
		{"other table", losses, &schema.Events, `has no column "event", which events has`},
		{"other length", losses, &schema.Contexts, `has no column "context_id", which contexts has`},
		{"other type", losses, &other, `its column "bytes" is not bytes of losses`},
		{"empty", nil, &schema.Losses, "no arrow file"},
		{"cut off", losses[:len(losses)-1], &schema.Losses, "no arrow file"},
		{"long footer", long, &schema.Losses, "a footer of 2147483647 bytes"},
	} {
		_, err := open(tt.data, tt.table)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// A column of another type is refused before arrow reads its dictionary: for
// binary views arrow allocated as many buffers as the file claimed.
func TestReaderColumnTypes(t *testing.T) {
	const binaryView = 23 // in the union Type of Schema.fbs
	table := &schema.Losses
	good := write(t, table, None, nil)
	end := len(good) - trailerBytes
	footer := good[end-int(binary.LittleEndian.Uint32(good[end:])) : end]
	meta, _ := flat{footer, binary.LittleEndian.Uint32(footer)}.table(1)
	for i, c := range table.Columns {
		tag := meta.element(1, i).field(2)
		was := footer[tag]
		footer[tag] = binaryView
		want := fmt.Sprintf("its column %q is not %s of losses", c.Name, c.Name)
		if _, err := newProjection(bytes.NewReader(good), int64(len(good)), table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		footer[tag] = was
	}
	if _, err := open(good, table); err != nil {
		t.Error(err)
	}
}

// A column cannot have more rows than its record batch: reading a billion rows
// took correspondingly long.
func TestReaderColumnLengths(t *testing.T) {
	const rows = 933
	table := sample.EveryType()
	data := write(t, table, None, sample.Groups(table, rand.New(rand.NewPCG(1, 3)), [][]int{{rows}}))
	length := binary.LittleEndian.AppendUint64(nil, rows)
	at := bytes.Index(data, length) // of the record batch; those of its columns follow
	binary.LittleEndian.PutUint64(data[at:], rows-1)
	r, err := open(data, table)
	if err != nil {
		t.Fatal(err)
	}
	const want = "column u8: 933 rows in a record batch of 932"
	if _, err = r.Next(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Beside a NULL, other writers may leave any value.
func TestAppendIntegers(t *testing.T) {
	v := &schema.Vector{Column: &schema.Column{Type: schema.Uint16, Nullable: true}, Valid: []uint8{0, 1}}
	if err := appendIntegers(v, []int32{-1, 6}); err != nil || !slices.Equal(v.U16, []uint16{0, 6}) {
		t.Errorf("%d, %v", v.U16, err)
	}
	v.U16, v.Valid = nil, []uint8{1}
	if err := appendIntegers(v, []int32{-1}); err == nil || err.Error() != "-1 is out of its range" {
		t.Errorf("a value that is no NULL: %v", err)
	}
}

// No more memory is allocated than allowed, and freed memory no longer counts.
func TestBounded(t *testing.T) {
	b := &bounded{}
	p := b.Allocate(maxMemory / 4)
	p = b.Reallocate(maxMemory/2, p)
	b.Free(p)
	if b.taken != 0 {
		t.Errorf("%d bytes taken", b.taken)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	b.Allocate(maxMemory + 1)
}

// FuzzReader reads damaged files: rows or an error, no panic.
func FuzzReader(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	table, later := sample.Versions(r)
	for _, written := range []*schema.Table{table, later} {
		for codec := range Codec(len(CodecNames())) {
			b := schema.NewBatch(written)
			sample.Fill(b, r, 40)
			f.Add(write(f, written, codec, [][]*schema.Batch{{b, b}, {b}}))
		}
	}
	b := schema.NewBatch(table)
	sample.Fill(b, r, 9)
	f.Add(writeOther(f, b))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := open(data, table); err == nil {
			sample.ReadDamaged(t, r)
		}
	})
}
