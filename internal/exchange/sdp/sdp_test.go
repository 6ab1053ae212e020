package sdp_test

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"konak/internal/exchange/sdp"
)

const phoneOffer = "v=0\r\no=alice 1 1 IN IP4 192.0.2.7\r\ns=-\r\nc=IN IP4 192.0.2.7\r\nt=0 0\r\n" +
	"m=audio 4000 RTP/AVP 9 8 0 101\r\na=rtpmap:9 G722/8000\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:0 PCMU/8000\r\n" +
	"a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=sendrecv\r\n"

func TestReadOffer(t *testing.T) {
	d, err := sdp.Parse([]byte(phoneOffer))
	if err != nil {
		t.Fatal(err)
	}
	if d.Addr != netip.MustParseAddrPort("192.0.2.7:4000") || d.Keys != 101 || d.Direction != sdp.SendRecv ||
		!slices.Equal(d.Codecs, []sdp.Codec{sdp.PCMA, sdp.PCMU}) {
		t.Errorf("read %+v", d)
	}
}

// A hold is signalled by a direction in the stream or before it, or by an address of zeros.
func TestReadHold(t *testing.T) {
	for _, test := range []struct {
		name, from, to string
		want           sdp.Direction
	}{
		{"sendonly", "a=sendrecv", "a=sendonly", sdp.SendOnly},
		{"inactive", "a=sendrecv", "a=inactive", sdp.Inactive},
		{"in the session", "t=0 0\r\n", "t=0 0\r\na=recvonly\r\n", sdp.SendRecv}, // the stream's own direction is used
		{"zeros", "c=IN IP4 192.0.2.7", "c=IN IP4 0.0.0.0", sdp.SendOnly},
	} {
		d, err := sdp.Parse([]byte(strings.Replace(phoneOffer, test.from, test.to, 1)))
		if err != nil || d.Direction != test.want {
			t.Errorf("%s: direction %q, %v", test.name, d.Direction, err)
		}
	}
	d, err := sdp.Parse([]byte(strings.Replace(strings.Replace(phoneOffer, "a=sendrecv\r\n", "", 1), "t=0 0\r\n", "t=0 0\r\na=recvonly\r\n", 1)))
	if err != nil || d.Direction != sdp.RecvOnly {
		t.Errorf("the session's direction: %q, %v", d.Direction, err)
	}
}

func TestUnusableDescriptionsAreRefused(t *testing.T) {
	for _, test := range []struct {
		name, from, to string
		want           error
	}{
		{"encryption", "RTP/AVP 9", "RTP/SAVP 9", sdp.ErrNotAcceptable},
		{"no common codec", "RTP/AVP 9 8 0 101", "RTP/AVP 9 101", sdp.ErrNotAcceptable},
		{"a refused stream", "audio 4000", "audio 0", sdp.ErrNotAcceptable},
		{"a picture", "m=audio", "m=video", sdp.ErrNotAcceptable},
		{"a host", "c=IN IP4 192.0.2.7", "c=IN IP4 phone.example", sdp.ErrInvalid},
		{"a multicast address", "c=IN IP4 192.0.2.7", "c=IN IP4 224.0.0.1", sdp.ErrInvalid},
		{"a zone", "c=IN IP4 192.0.2.7", "c=IN IP6 fe80::1%eth0", sdp.ErrInvalid},
		{"no version", "v=0\r\n", "", sdp.ErrInvalid},
		{"a port beyond all", "audio 4000", "audio 70000", sdp.ErrInvalid},
		{"no letter", "s=-", "s", sdp.ErrInvalid},
		{"a zero byte", "s=-", "s=\x00", sdp.ErrInvalid},
		{"too large", "s=-", "s=" + strings.Repeat("x", 9000), sdp.ErrInvalid},
		{"too many streams", "t=0 0\r\n", "t=0 0\r\n" + strings.Repeat("m=video 0 RTP/AVP 1\r\n", 8), sdp.ErrInvalid},
	} {
		if _, err := sdp.Parse([]byte(strings.Replace(phoneOffer, test.from, test.to, 1))); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// An answer has a line for each stream of the offer, and only the used one has a port.
func TestAnswerRefusesOtherStreams(t *testing.T) {
	offer, err := sdp.Parse([]byte(strings.Replace(phoneOffer, "m=audio", "m=video 5000 RTP/AVP 96\r\nm=audio", 1)))
	if err != nil {
		t.Fatal(err)
	}
	local := sdp.Local{
		Addr: netip.MustParseAddrPort("[2001:db8::1]:6000"), Session: 5, Version: 6,
		Codecs: offer.Codecs[:1], Keys: offer.Keys, Direction: sdp.RecvOnly,
	}
	text := string(local.AnswerTo(offer))
	for _, want := range []string{
		"o=- 5 6 IN IP6 2001:db8::1\r\n", "m=video 0 RTP/AVP 0\r\nm=audio 6000 RTP/AVP 8 101\r\n", "a=recvonly\r\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, text)
		}
	}
	back, err := sdp.Parse([]byte(text))
	if err != nil || back.Addr != local.Addr || back.Keys != 101 || back.Direction != sdp.RecvOnly {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

func TestDirectionsAreAnswered(t *testing.T) {
	for offered, want := range map[sdp.Direction]sdp.Direction{
		sdp.SendRecv: sdp.SendRecv, sdp.SendOnly: sdp.RecvOnly, sdp.RecvOnly: sdp.SendOnly, sdp.Inactive: sdp.Inactive,
	} {
		if got := offered.Answer(); got != want || got.Sends() != offered.Receives() || got.Receives() != offered.Sends() {
			t.Errorf("%s is answered by %s", offered, got)
		}
	}
}

// FuzzParse checks that on any text Parse fails only with its own errors, and that an
// accepted text can be answered and read back.
func FuzzParse(f *testing.F) {
	f.Add([]byte(phoneOffer))
	f.Add([]byte("v=0\r\nc=IN IP6 ::1\r\nm=audio 1/2 RTP/AVP 0\r\na=rtpmap:0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := sdp.Parse(b)
		if err != nil {
			if !errors.Is(err, sdp.ErrInvalid) && !errors.Is(err, sdp.ErrNotAcceptable) {
				t.Fatal(err)
			}
			return
		}
		answer := sdp.Local{
			Addr: netip.MustParseAddrPort("127.0.0.1:4000"), Codecs: d.Codecs, Keys: d.Keys, Direction: d.Direction.Answer(),
		}.AnswerTo(d)
		if _, err := sdp.Parse(answer); err != nil {
			t.Fatalf("the answer to %q cannot be read: %v\n%s", b, err, answer)
		}
	})
}
