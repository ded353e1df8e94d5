package parquetfile

import (
	"bytes"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Row groups as they are encoded make the file that they are from; those of another schema, or of
// a file that is cut off, are refused.
func TestGroups(t *testing.T) {
	data := write(t, &schema.Instructions, ZSTD1, [][]*schema.Batch{sample.Walk(20, 1, true), sample.Walk(7, 2, false)})
	groups, err := OpenGroups(bytes.NewReader(data), int64(len(data)), &schema.Instructions)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	f, err := Create(&out, &schema.Instructions, []schema.Meta{{Key: "tracelake.test", Value: "yes"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range groups.Len() {
		chunks, err := groups.Read(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.WriteRowGroup(chunks); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil || groups.Len() != 2 || !bytes.Equal(out.Bytes(), data) {
		t.Errorf("%d row groups make another file, %v", groups.Len(), err)
	}
	if _, err := OpenGroups(bytes.NewReader(data), int64(len(data)), &schema.Blocks); err == nil {
		t.Error("row groups of another table")
	}
	if _, err := OpenGroups(bytes.NewReader(data), int64(len(data))-1, &schema.Instructions); err == nil {
		t.Error("row groups of a file that is cut off")
	}
}
