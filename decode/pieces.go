package decode

import (
	"errors"
	"io"
)

// EachPiece calls do with each piece of a stream, and what is before it. The next piece takes its place. do
// ends it with io.EOF, which is no error.
func EachPiece(s Stream, do func(p *Piece, before Break) error) error {
	var p Piece
	for {
		p.Clear()
		before, err := s.Next(&p)
		if err == nil {
			err = do(&p, before)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// ReadAll returns all of a stream in one piece.
func ReadAll(s Stream) (p Piece, err error) {
	for err == nil {
		_, err = s.Next(&p)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return p, err
}
