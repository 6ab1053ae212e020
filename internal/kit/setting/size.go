package setting

import (
	"errors"
	"strconv"
	"strings"
)

// Size is a number of bytes. In settings it may have a unit: 50GiB.
type Size int64

var errSize = errors.New("write bytes, or a number with MiB, GiB or TiB, such as 50GiB")

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	number, shift := string(text), 0
	for unit, bits := range map[string]int{"MiB": 20, "GiB": 30, "TiB": 40} {
		if rest, ok := strings.CutSuffix(number, unit); ok {
			number, shift = strings.TrimSpace(rest), bits
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n<<shift>>shift != n {
		return errSize
	}
	*s = Size(n << shift)
	return nil
}
