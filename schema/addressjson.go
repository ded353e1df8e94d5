package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// exactJSON is where readers of JSON that take numbers for floating-point ones begin to lose bits.
const exactJSON = 1 << 53

// MarshalJSON implements [json.Marshaler]: a number, or from 2⁵³ on a text in hex.
func (a Address) MarshalJSON() ([]byte, error) {
	if a < exactJSON {
		return strconv.AppendUint(nil, uint64(a), 10), nil
	}
	return fmt.Appendf(nil, "%q", a.Hex()), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Address) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '"' {
		return json.Unmarshal(b, (*uint64)(a))
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	v, err := strconv.ParseUint(text, 0, 64)
	*a = Address(v)
	return err
}
