// Package sdp reads and writes the descriptions of sound that telephones exchange in
// SIP messages (RFC 8866, offers and answers by RFC 3264).
//
// It supports one stream of sound, both codecs of G.711, and pressed keys (RFC 4733).
// Every other stream of an offer is refused in the answer. It refuses descriptions that
// are larger than maxSize, that name a host instead of an address, or that require
// encryption other than SRTP with keys in the description (RFC 4568). Reading takes time
// in proportion to the description.
package sdp

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// maxSize and maxStreams limit a description.
const (
	maxSize    = 8 << 10
	maxStreams = 8
)

// ErrInvalid means that a text is not a valid description.
var ErrInvalid = errors.New("sdp: invalid description")

// ErrNotAcceptable means that a description has no sound stream that we support.
var ErrNotAcceptable = errors.New("sdp: no common audio format")

// Codec is an encoding of sound.
type Codec uint8

// The codecs, with their payload types in RTP.
const (
	PCMU Codec = 0
	PCMA Codec = 8
)

// Direction is which way sound flows, as seen by the writer of the description.
type Direction string

// The directions.
const (
	SendRecv Direction = "sendrecv"
	SendOnly Direction = "sendonly"
	RecvOnly Direction = "recvonly"
	Inactive Direction = "inactive"
)

// Sends reports whether the writer of the direction sends sound.
func (d Direction) Sends() bool { return d == SendRecv || d == SendOnly }

// Receives reports whether the writer of the direction receives sound.
func (d Direction) Receives() bool { return d == SendRecv || d == RecvOnly }

// Answer returns the direction that answers an offered one, if the answering side sends and
// receives as much as the offer allows.
func (d Direction) Answer() Direction {
	switch d {
	case SendOnly:
		return RecvOnly
	case RecvOnly:
		return SendOnly
	case Inactive:
		return Inactive
	}
	return SendRecv
}

// NoKeys is the value of Keys for a side that does not support pressed keys in RTP.
const NoKeys = -1

// Description is one side's description of its sound.
type Description struct {
	// Addr is where it receives RTP.
	Addr netip.AddrPort
	// Codecs are those that we support, in its order of preference.
	Codecs []Codec
	// Keys is the payload type of pressed keys, or NoKeys.
	Keys      int
	Direction Direction
	// Crypto is the key that it encrypts its sound with; nil for none.
	Crypto *Crypto
	// Secure is set if the stream must be encrypted.
	Secure bool
	// streams are the kinds and protocols of all streams; audio is the index of the chosen
	// one.
	streams []string
	audio   int
}

// stream is one m= line and the lines after it.
type stream struct {
	kind, proto string
	port        int
	formats     []int
	names       map[int]string
	addr        netip.Addr
	direction   Direction
	crypto      *Crypto
}

// The supported protocols of streams: plain, and encrypted.
const (
	plainProto  = "RTP/AVP"
	secureProto = "RTP/SAVP"
)

// Parse parses a description. It returns ErrInvalid for an invalid one, and
// ErrNotAcceptable if none of its streams can be used.
func Parse(b []byte) (Description, error) {
	if len(b) == 0 || len(b) > maxSize || bytes.IndexByte(b, 0) >= 0 {
		return Description{}, ErrInvalid
	}
	session := stream{direction: SendRecv}
	var streams []*stream
	sawVersion := false
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if len(line) < 2 || line[1] != '=' {
			return Description{}, ErrInvalid
		}
		current := &session
		if len(streams) > 0 {
			current = streams[len(streams)-1]
		}
		value := line[2:]
		var err error
		switch line[0] {
		case 'v':
			sawVersion = value == "0"
		case 'm':
			if len(streams) == maxStreams {
				return Description{}, ErrInvalid
			}
			var s *stream
			if s, err = parseMedia(value); err == nil {
				s.addr, s.direction = session.addr, session.direction
				streams = append(streams, s)
			}
		case 'c':
			current.addr, err = parseConnection(value)
		case 'a':
			err = current.addAttribute(value)
		}
		if err != nil {
			return Description{}, err
		}
	}
	if !sawVersion {
		return Description{}, ErrInvalid
	}
	return choose(streams)
}

// choose returns the first stream that can be used.
func choose(streams []*stream) (Description, error) {
	d := Description{audio: -1}
	for i, s := range streams {
		d.streams = append(d.streams, s.kind+" 0 "+s.proto+" 0")
		if d.audio >= 0 || s.kind != "audio" || !s.isUsable() || s.port == 0 || !s.addr.IsValid() {
			continue
		}
		codecs, keys := s.understood()
		if len(codecs) == 0 {
			continue
		}
		d.audio, d.Codecs, d.Keys, d.Direction = i, codecs, keys, s.direction
		d.Crypto, d.Secure = s.crypto, s.proto == secureProto
		d.Addr = netip.AddrPortFrom(s.addr, uint16(s.port))
		// In old SIP, without directions, the address 0.0.0.0 puts a call on hold.
		if s.addr.IsUnspecified() && d.Direction == SendRecv {
			d.Direction = SendOnly
		}
	}
	if d.audio < 0 {
		return Description{}, ErrNotAcceptable
	}
	return d, nil
}

// isUsable reports whether a stream's protocol is supported, and it has a key if it needs
// one. A plain stream may have a key too: its sender encrypts if the other side does.
func (s *stream) isUsable() bool {
	return s.proto == plainProto || s.proto == secureProto && s.crypto != nil
}

// understood returns the codecs of a stream that we support, and the payload type of
// pressed keys.
func (s *stream) understood() (codecs []Codec, keys int) {
	keys = NoKeys
	for _, f := range s.formats {
		name := s.names[f]
		switch {
		case strings.HasPrefix(name, "TELEPHONE-EVENT/8000"):
			keys = f
		case f == int(PCMU) || f == int(PCMA):
			if c := Codec(f); !slices.Contains(codecs, c) {
				codecs = append(codecs, c)
			}
		}
	}
	return codecs, keys
}

// parseMedia parses the value of an m= line: kind, port, protocol, formats.
func parseMedia(value string) (*stream, error) {
	fields := strings.Fields(value)
	if len(fields) < 4 || len(fields) > 64 || !isToken(fields[0]) || !isToken(strings.ReplaceAll(fields[2], "/", "")) {
		return nil, ErrInvalid
	}
	number, _, _ := strings.Cut(fields[1], "/")
	port, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return nil, ErrInvalid
	}
	s := &stream{kind: fields[0], proto: fields[2], port: int(port), names: map[int]string{}}
	for _, f := range fields[3:] {
		// Formats of other kinds of streams are not numbers.
		if n, err := strconv.ParseUint(f, 10, 7); err == nil {
			s.formats = append(s.formats, int(n))
		}
	}
	return s, nil
}

// isToken reports whether s consists of letters, digits and hyphens, so that it is safe to
// repeat in an answer.
func isToken(s string) bool {
	return s != "" && len(s) <= 32 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	}) < 0
}

// parseConnection reads the value of a c= line.
func parseConnection(value string) (netip.Addr, error) {
	fields := strings.Fields(value)
	if len(fields) != 3 || fields[0] != "IN" {
		return netip.Addr{}, ErrInvalid
	}
	text, _, _ := strings.Cut(fields[2], "/")
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Zone() != "" || addr.IsMulticast() {
		return netip.Addr{}, ErrInvalid
	}
	return addr.Unmap(), nil
}

// addAttribute reads the value of an a= line.
func (s *stream) addAttribute(value string) error {
	name, rest, _ := strings.Cut(value, ":")
	switch d := Direction(name); d {
	case SendRecv, SendOnly, RecvOnly, Inactive:
		s.direction = d
		return nil
	}
	if name == "crypto" && s.crypto == nil {
		s.crypto = parseCrypto(rest)
	}
	if name != "rtpmap" || s.names == nil {
		return nil
	}
	number, coding, ok := strings.Cut(rest, " ")
	format, err := strconv.ParseUint(number, 10, 7)
	if !ok || err != nil {
		return ErrInvalid
	}
	s.names[int(format)] = strings.ToUpper(strings.TrimSpace(coding))
	return nil
}

// A Local is the description of our own sound.
type Local struct {
	Addr      netip.AddrPort
	Session   uint64 // stays the same in a call
	Version   uint64 // grows with every description of a call
	Codecs    []Codec
	Keys      int
	Direction Direction
	// Crypto is the key with which our sound is encrypted; nil for none. Secure is set if
	// it must be.
	Crypto *Crypto
	Secure bool
}

// Offer returns a description that is an offer.
func (l Local) Offer() []byte { return l.write(nil, 0) }

// AnswerTo returns a description that answers an offer: the same number of streams, all but
// the chosen one refused.
func (l Local) AnswerTo(offer Description) []byte { return l.write(offer.streams, offer.audio) }

func (l Local) write(streams []string, audio int) []byte {
	family := "IP4"
	if l.Addr.Addr().Is6() {
		family = "IP6"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "v=0\r\no=- %d %d IN %s %s\r\ns=-\r\nc=IN %s %s\r\nt=0 0\r\n",
		l.Session, l.Version, family, l.Addr.Addr(), family, l.Addr.Addr())
	for i := range max(len(streams), 1) {
		if i == audio {
			l.writeAudio(&b)
		} else {
			fmt.Fprintf(&b, "m=%s\r\n", streams[i])
		}
	}
	return b.Bytes()
}

var codecNames = map[Codec]string{PCMU: "PCMU", PCMA: "PCMA"}

func (l Local) writeAudio(b *bytes.Buffer) {
	proto := plainProto
	if l.Secure {
		proto = secureProto
	}
	fmt.Fprintf(b, "m=audio %d %s", l.Addr.Port(), proto)
	for _, c := range l.Codecs {
		fmt.Fprintf(b, " %d", c)
	}
	if l.Keys != NoKeys {
		fmt.Fprintf(b, " %d", l.Keys)
	}
	b.WriteString("\r\n")
	for _, c := range l.Codecs {
		fmt.Fprintf(b, "a=rtpmap:%d %s/8000\r\n", c, codecNames[c])
	}
	if l.Keys != NoKeys {
		fmt.Fprintf(b, "a=rtpmap:%d telephone-event/8000\r\na=fmtp:%d 0-15\r\n", l.Keys, l.Keys)
	}
	if l.Crypto != nil {
		fmt.Fprintf(b, "a=crypto:%s\r\n", l.Crypto)
	}
	fmt.Fprintf(b, "a=ptime:20\r\na=%s\r\n", l.Direction)
}
