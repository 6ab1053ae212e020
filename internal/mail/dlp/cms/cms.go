// Package cms extracts the signed, unencrypted content of a cryptographic message (RFC
// 5652), as written by mail programs that sign without a clear-text copy.
package cms

import (
	"bytes"
	"encoding/base64"
	"io"
	"unicode"
)

// The object identifiers of a signed message and of plain data.
var (
	signedData = []byte{0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02}
	plainData  = []byte{0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01}
)

const (
	tagOctets   = 0x04
	tagObject   = 0x06
	tagSequence = 0x30
	tagSet      = 0x31
	tagFirst    = 0xA0
	constructed = 0x20
	maxDepth    = 16
)

// element is one ASN.1 value; rest is what follows it.
type element struct {
	tag     byte
	content []byte
	rest    []byte
}

// next reads the element at the beginning of b. If its length is indefinite, it ends with
// two zero bytes.
func next(b []byte, depth int) (e element, ok bool) {
	if len(b) < 2 || b[0]&0x1F == 0x1F || depth > maxDepth {
		return e, false
	}
	e.tag = b[0]
	length, at := int(b[1]), 2
	switch {
	case length == 0x80:
		return open(b, depth)
	case length > 0x84:
		return e, false
	case length > 0x80:
		n := length - 0x80
		if len(b) < at+n {
			return e, false
		}
		length = 0
		for _, c := range b[at : at+n] {
			length = length<<8 | int(c)
		}
		at += n
	}
	if length < 0 || length > len(b)-at {
		return e, false
	}
	e.content, e.rest = b[at:at+length], b[at+length:]
	return e, true
}

// open reads an element of indefinite length.
func open(b []byte, depth int) (e element, ok bool) {
	rest := b[2:]
	for !bytes.HasPrefix(rest, []byte{0, 0}) {
		inner, ok := next(rest, depth+1)
		if !ok {
			return e, false
		}
		rest = inner.rest
	}
	return element{tag: b[0], content: b[2 : len(b)-len(rest)], rest: rest[2:]}, true
}

// Signed returns the content of a signed message, in binary or in base64. It returns false
// for anything else, in particular for an encrypted message.
func Signed(raw []byte) (content []byte, ok bool) {
	if len(raw) > 0 && raw[0] != tagSequence {
		decoded, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(bytes.Map(dropSpace, raw))))
		if err != nil {
			return nil, false
		}
		raw = decoded
	}
	info, ok := object(raw, signedData)
	if !ok || info.tag != tagFirst {
		return nil, false
	}
	signed, ok := next(info.content, 0)
	if !ok || signed.tag != tagSequence {
		return nil, false
	}
	version, ok := next(signed.content, 0)
	if !ok {
		return nil, false
	}
	digests, ok := next(version.rest, 0)
	if !ok || digests.tag != tagSet {
		return nil, false
	}
	wrapped, ok := object(digests.rest, plainData)
	if !ok || wrapped.tag != tagFirst {
		return nil, false
	}
	return octets(nil, wrapped.content, 0)
}

// dropSpace is a mapping function that removes white space from base64.
func dropSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}

// object reads a sequence of an object identifier and a value, and returns the value.
func object(b, id []byte) (value element, ok bool) {
	sequence, ok := next(b, 0)
	if !ok || sequence.tag != tagSequence {
		return value, false
	}
	name, ok := next(sequence.content, 0)
	if !ok || name.tag != tagObject || !bytes.Equal(name.content, id) {
		return value, false
	}
	return next(name.rest, 0)
}

// octets appends the bytes of octet strings, which may be split into pieces.
func octets(out, b []byte, depth int) ([]byte, bool) {
	for len(b) > 0 {
		e, ok := next(b, depth)
		switch {
		case !ok || depth > maxDepth:
			return nil, false
		case e.tag == tagOctets:
			out = append(out, e.content...)
		case e.tag == tagOctets|constructed:
			if out, ok = octets(out, e.content, depth+1); !ok {
				return nil, false
			}
		default:
			return nil, false
		}
		b = e.rest
	}
	return out, true
}
