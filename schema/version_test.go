package schema_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// A file of another version, or of none, is not read as if it were of
// this one.
func TestReadOtherVersions(t *testing.T) {
	for _, v := range []string{"0", "2", "4", "", "x", "3.0"} {
		want := fmt.Sprintf("has schema version %q, this program reads 3", v)
		if err := schema.CheckVersion(v); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		path := filepath.Join(t.TempDir(), "losses."+format.String())
		writeFile(t, path, &schema.Losses)
		good, err := os.ReadFile(path)
		check(t, err)
		for _, tt := range []struct{ old, new, want string }{
			{"tracelake.schema_version", "tracelake.schema_version", ""},
			{"tracelake.schema_version", "tracelake.schema_versio_", "has no tracelake.schema_version in its metadata"},
		} {
			b := bytes.ReplaceAll(good, []byte(tt.old), []byte(tt.new))
			if format == schema.Parquet {
				_, err = parquetfile.Open(bytes.NewReader(b), int64(len(b)), &schema.Losses)
			} else {
				_, err = arrowfile.Open(bytes.NewReader(b), int64(len(b)), &schema.Losses)
			}
			if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s, want %q", format, got, tt.want)
			}
		}
	}
}
