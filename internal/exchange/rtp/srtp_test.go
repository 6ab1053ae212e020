package rtp

import (
	"bytes"
	"crypto/aes"
	"encoding/hex"
	"testing"

	"konak/internal/exchange/sdp"
)

// The key of RFC 3711 appendix B.3 gives the derived keys listed there.
func TestKeyDerivationOfRFC3711(t *testing.T) {
	t.Parallel()
	c := sdp.Crypto{Suite: sdp.SHA180}
	master, err := hex.DecodeString("E1F97A0D3E018BE0D64FA32C06DE4139" + "0EC675AD498AFEEBB6960B3AABE6")
	if err != nil {
		t.Fatal(err)
	}
	copy(c.Master[:], master)
	s := newSecured(c)
	if got := hex.EncodeToString(s.salt[:]); got != "30cbbc08863d8c85d49db34a9ae1" {
		t.Errorf("the salt is %s", got)
	}
	block := make([]byte, 16)
	s.block.Encrypt(block, make([]byte, 16))
	want := make([]byte, 16)
	key, err := hex.DecodeString("C61E7A93744F39EE10734AFE3FF7A087")
	if err != nil {
		t.Fatal(err)
	}
	known, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	if known.Encrypt(want, make([]byte, 16)); !bytes.Equal(block, want) {
		t.Error("the key of the cipher is another one")
	}
}

func secureBoth() (sends, receives *secured) {
	c := sdp.NewCrypto(1, sdp.SHA180)
	return newSecured(*c), newSecured(*c)
}

func packetOf(seq uint16, payload string) []byte {
	return Packet{Seq: seq, SSRC: 7, Timestamp: 1, Payload: []byte(payload)}.append(nil)
}

// Encrypted packets can be decrypted, also after the numbers wrapped around and in another
// order; repeated or changed packets are refused.
func TestEncryptedPackets(t *testing.T) {
	t.Parallel()
	sends, receives := secureBoth()
	made := map[uint16][]byte{}
	for _, seq := range []uint16{65530, 65533, 65534, 65535, 0, 1, 2, 40} {
		sealed, ok := sends.protect(packetOf(seq, "some sound"))
		if !ok || bytes.Contains(sealed, []byte("some sound")) {
			t.Fatalf("%d: %v, %q", seq, ok, sealed)
		}
		made[seq] = bytes.Clone(sealed)
	}
	for _, seq := range []uint16{65530, 65533, 65535, 0, 2, 1, 65534, 40} {
		sealed := made[seq]
		again := bytes.Clone(sealed)
		changed := bytes.Clone(sealed)
		changed[13] ^= 1
		if _, ok := receives.open(changed); ok {
			t.Errorf("%d is taken though it was changed", seq)
		}
		got, ok := receives.open(sealed)
		if !ok || !bytes.Equal(got, packetOf(seq, "some sound")) {
			t.Fatalf("%d is read as %q, %v", seq, got, ok)
		}
		if _, ok := receives.open(again); ok {
			t.Errorf("%d is taken twice", seq)
		}
	}
}

// A number is never used for two packets: somebody who sees both could decrypt them.
func TestSequenceNumbersAreUsedOnce(t *testing.T) {
	t.Parallel()
	sends, receives := secureBoth()
	first, _ := sends.protect(packetOf(100, "one"))
	first = bytes.Clone(first)
	if _, ok := sends.protect(packetOf(100, "two")); ok {
		t.Error("a number is used twice")
	}
	for seq := range uint16(100) {
		sends.protect(packetOf(101+seq, "more"))
	}
	if _, ok := sends.protect(packetOf(101, "old")); ok {
		t.Error("a number is used of which it is not known whether it was")
	}
	if _, ok := receives.open(first[:20]); ok {
		t.Error("a packet that was cut off is taken")
	}
	extended := append([]byte{0x90}, first[1:]...) // claims to have an extension
	if _, ok := receives.open(extended); ok {
		t.Error("a packet with a wrong header is taken")
	}
}
