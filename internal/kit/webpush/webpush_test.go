package webpush

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func raw(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestVector checks the example of RFC 8291, section 5 and appendix A.
func TestVector(t *testing.T) {
	t.Parallel()
	private, err := ecdh.P256().NewPrivateKey(raw(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	keys := Keys{
		P256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
		Auth:   "BTBZMqHH6r4Tts7J_aSIgg",
	}
	got, err := encrypt(keys, []byte("When I grow up, I want to be a watermelon"), private, raw(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if text := base64.RawURLEncoding.EncodeToString(got); text != want {
		t.Errorf("got %s", text)
	}
}

func TestKeysThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const point, auth = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "BTBZMqHH6r4Tts7J_aSIgg"
	if err := (Keys{point + "=", auth + "=="}).Check(); err != nil {
		t.Errorf("with padding: %v", err)
	}
	for _, k := range []Keys{
		{"", auth},
		{"?", auth},
		{strings.Replace(point, "BCVx", "BCVy", 1), auth}, // not on the curve
		{point, ""},
		{point, "?"},
		{point, "BTBZMqHH6r4Tts7J_aSI"}, // too short
	} {
		if err := k.Check(); !errors.Is(err, ErrKeys) {
			t.Errorf("%+v: %v", k, err)
		}
		if _, err := Encrypt(k, []byte("x")); !errors.Is(err, ErrKeys) {
			t.Errorf("%+v: %v", k, err)
		}
	}
	if _, err := Encrypt(Keys{point, auth}, make([]byte, MaxPlain+1)); err == nil {
		t.Error("a message that is too long was taken")
	}
}

func TestKeyRoundTrip(t *testing.T) {
	t.Parallel()
	k, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	b, err := k.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseKey(b)
	if err != nil || !again.private.Equal(k.private) {
		t.Errorf("the key that was read is another: %v", err)
	}
	if _, err := ParseKey(b[1:]); err == nil {
		t.Error("half a key was read")
	}
}
