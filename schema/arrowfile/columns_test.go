package arrowfile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// A file of a later program has other columns, in another order: those of the table are read.
func TestReaderOtherColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	now, later := sample.Versions(r)
	for codec := range Codec(len(CodecNames())) {
		groups := sample.Groups(later, r, [][]int{{900, 1}, {64}})
		f, err := open(write(t, later, codec, groups), now)
		if err != nil {
			t.Fatal(err)
		}
		sample.CompareFile(t, f, sample.As(now, groups))
	}
}

// otherTypes are columns of types that no table has.
func otherTypes() []arrow.Field {
	number, text := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	structure := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.ListOf(text)}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.StringView})
	members := []arrow.Field{{Name: "n", Type: number}, {Name: "t", Type: text}}
	var fields []arrow.Field
	for _, typ := range []arrow.DataType{
		arrow.Null, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Uint8, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.LargeString,
		arrow.FixedWidthTypes.Boolean, &arrow.Decimal128Type{Precision: 20}, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.MonthDayNanoInterval,
		arrow.ListOf(structure), arrow.LargeListOf(number), arrow.FixedSizeListOf(3, text), structure, arrow.MapOf(text, number),
		&arrow.FixedSizeBinaryType{ByteWidth: 5}, arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		arrow.ListViewOf(number), arrow.LargeListViewOf(text), arrow.RunEndEncodedOf(number, text),
		arrow.SparseUnionOf(members, []arrow.UnionTypeCode{0, 1}), arrow.DenseUnionOf(members, []arrow.UnionTypeCode{0, 1}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: text},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.PrimitiveTypes.Int64},
	} {
		fields = append(fields, arrow.Field{Name: "other " + typ.String(), Type: typ, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{"a": "b"})})
	}
	return fields
}

// otherArray returns rows of a column of another type.
func otherArray(f arrow.Field, rows int) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, f.Type)
	for i := range rows {
		switch b := b.(type) {
		case *array.StringViewBuilder: // the second has a buffer of its own
			b.Append(strings.Repeat("long ", 20*i))
		case *array.BinaryViewBuilder:
			b.Append(bytes.Repeat([]byte{1}, 40*i))
		case *array.StructBuilder:
			b.AppendEmptyValue()
			b.FieldBuilder(1).(*array.StringViewBuilder).Append(strings.Repeat("long ", 20*i))
		default:
			b.AppendEmptyValue()
		}
	}
	return b.NewArray()
}

// writeOther writes rows of a table, with columns of other types between its own.
func writeOther(t testing.TB, b *schema.Batch) []byte {
	t.Helper()
	own := NewRowGroup(b.Table)
	if err := own.Append(b); err != nil {
		t.Fatal(err)
	}
	var list []arrow.Field
	var columns []arrow.Array
	ownFields, others := fields(b.Table), otherTypes()
	for i, f := range ownFields {
		for len(others) > 0 && len(others) >= len(ownFields)-i {
			list, columns = append(list, others[0]), append(columns, otherArray(others[0], b.Rows()))
			others = others[1:]
		}
		list, columns = append(list, f), append(columns, own.records[0].Column(i))
	}
	var keys, values []string
	for _, m := range b.Table.Meta() {
		keys, values = append(keys, m.Key), append(values, m.Value)
	}
	md := arrow.NewMetadata(keys, values)
	s := arrow.NewSchema(list, &md)
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&position{w: &out}, ipc.WithSchema(s), ipc.WithLZ4())
	if err == nil {
		err = w.Write(array.NewRecord(s, columns, int64(b.Rows())))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Columns of any type are left out, as arrow writes them.
func TestReaderOtherTypes(t *testing.T) {
	b := schema.NewBatch(sample.EveryType())
	sample.Fill(b, rand.New(rand.NewPCG(1, 5)), 9)
	f, err := open(writeOther(t, b), b.Table)
	if err != nil {
		t.Fatal(err)
	}
	sample.CompareFile(t, f, [][]*schema.Batch{{b}})
}

// What is said of a column that is not read may be anything, but how much of a
// record batch it takes.
func TestReaderHostileColumns(t *testing.T) {
	b := schema.NewBatch(sample.EveryType())
	sample.Fill(b, rand.New(rand.NewPCG(1, 5)), 9)
	good := writeOther(t, b)
	data := bytes.Clone(good)
	end := len(data) - trailerBytes
	footer := root(data[end-int(binary.LittleEndian.Uint32(data[end:])) : end])
	meta, _ := footer.table(1)
	i := slices.IndexFunc(otherTypes(), func(f arrow.Field) bool { return f.Type.ID() == arrow.STRING_VIEW })
	view := -1 // its place in the file
	for n := range meta.length(1) {
		if meta.element(1, n).text(0) == otherTypes()[i].Name {
			view = n
		}
	}
	batch := footer.structure(3, 0, blockBytes)
	message := root(data[binary.LittleEndian.Uint64(batch)+prefixBytes:])
	for _, tt := range []struct {
		name   string
		change func(t *testing.T)
		want   string // "" is no error
	}{
		{"nothing", func(*testing.T) {}, ""},
		{"keys", func(*testing.T) { setLength(t, meta.element(1, view), 6, 1<<30) }, ""},
		{"type", func(*testing.T) { footer.b[meta.element(1, view).field(2)] = 99 }, "is of type 99, which this program does not know"},
		{"buffers of a view", func(*testing.T) {
			header, _ := message.table(2)
			binary.LittleEndian.PutUint64(header.structure(4, 0, 8), 1<<40)
		}, "1099511627776 buffers of a view"},
		{"name", func(t *testing.T) { setLength(t, meta.element(1, view), 0, 1<<20) }, "a name of 1048576 bytes"},
		{"columns", func(*testing.T) { setLength(t, meta, 1, 1<<30) }, "damaged file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			copy(data, good)
			tt.change(t)
			f, err := open(data, b.Table)
			if err == nil && tt.want == "" {
				sample.CompareFile(t, f, [][]*schema.Batch{{b}})
				return
			}
			if err == nil {
				_, err = f.Next()
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// setLength sets the length of the list in a field, which has to be there.
func setLength(t *testing.T, f flat, field, n uint32) {
	t.Helper()
	list, ok := f.table(field)
	if !ok {
		t.Fatal("no list")
	}
	binary.LittleEndian.PutUint32(list.b[list.at:], n)
}
