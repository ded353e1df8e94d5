package arrowfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// A Codec is how the buffers of a record batch are compressed. The zero value
// is the default: not at all, so that readers can map the file.
type Codec uint8

// The codecs.
const (
	None Codec = iota
	LZ4
	ZSTD
)

// CodecNames are the names of the codecs, by value.
func CodecNames() []string { return []string{"none", "lz4", "zstd"} }

func (c Codec) String() string { return CodecNames()[c] }

// ParseCodec returns the codec of that name.
func ParseCodec(name string) (Codec, error) {
	i := slices.Index(CodecNames(), name)
	if i < 0 {
		return 0, fmt.Errorf("unknown codec %q for arrow: use one of %s", name, strings.Join(CodecNames(), ", "))
	}
	return Codec(i), nil
}

func (c Codec) options() []ipc.Option {
	switch c {
	case LZ4:
		return []ipc.Option{ipc.WithLZ4()}
	case ZSTD:
		return []ipc.Option{ipc.WithZstd()}
	}
	return nil
}
