package parquetfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// A Codec is how pages are compressed. The zero value is the default.
type Codec uint8

// The codecs. The numbers of the zstd codecs are levels of the reference
// implementation, which compress about as well.
const (
	ZSTD1 Codec = iota
	ZSTD3
	ZSTD7
	ZSTD11
	Snappy
	None
)

// CodecNames are the names of the codecs, by value.
func CodecNames() []string { return []string{"zstd1", "zstd3", "zstd7", "zstd11", "snappy", "none"} }

func (c Codec) String() string { return CodecNames()[c] }

// ParseCodec returns the codec of that name.
func ParseCodec(name string) (Codec, error) {
	i := slices.Index(CodecNames(), name)
	if i < 0 {
		return 0, fmt.Errorf("unknown codec %q for parquet: use one of %s", name, strings.Join(CodecNames(), ", "))
	}
	return Codec(i), nil
}

func (c Codec) format() format.CompressionCodec {
	switch c {
	case None:
		return format.Uncompressed
	case Snappy:
		return format.Snappy
	}
	return format.Zstd
}

// level returns the level of a zstd codec.
func (c Codec) level() zstd.EncoderLevel {
	switch c {
	case ZSTD3:
		return zstd.SpeedDefault
	case ZSTD7:
		return zstd.SpeedBetterCompression
	case ZSTD11:
		return zstd.SpeedBestCompression
	}
	return zstd.SpeedFastest
}

// A compressor compresses pages, each independently.
type compressor struct {
	codec Codec
	zstd  *zstd.Encoder
	buf   []byte
}

// windowBytes is how far back a match may be: most pages are shorter, and what is further
// back is no longer in the cache. An encoder for each table has as much memory.
const windowBytes = 1 << 20

func newCompressor(c Codec) compressor {
	p := compressor{codec: c}
	if c.format() == format.Zstd {
		// The manifest has a checksum of the whole file, so frames need none.
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(c.level()), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true), zstd.WithWindowSize(windowBytes),
			zstd.WithLowerEncoderMem(true), zstd.WithAllLitEntropyCompression(true))
		if err != nil {
			panic(err) // the options are constants
		}
		p.zstd = e
	}
	return p
}

// compress returns src compressed. The result holds until the next call.
func (p *compressor) compress(src []byte) []byte {
	switch p.codec.format() {
	case format.Uncompressed:
		return src
	case format.Snappy:
		p.buf = s2.EncodeSnappy(p.buf[:cap(p.buf)], src)
	default:
		p.buf = p.zstd.EncodeAll(src, p.buf[:0])
	}
	return p.buf
}
