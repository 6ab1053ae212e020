package message

import "io"

// ParseWithWindow is Parse with a different window size.
func ParseWithWindow(src io.ReaderAt, size int64, envelopeFrom string, window int) (*Mail, error) {
	return parse(&source{from: src, size: size, window: window}, envelopeFrom)
}
