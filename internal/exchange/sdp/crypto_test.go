package sdp_test

import (
	"errors"
	"strings"
	"testing"

	"konak/internal/exchange/sdp"
)

const cryptoLine = "a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj|2^31\r\n"

// A key is taken from an encrypted stream, and from a plain one that offers it; unknown
// ones before it are skipped.
func TestReadCryptoKeys(t *testing.T) {
	t.Parallel()
	for proto, secure := range map[string]bool{"RTP/SAVP": true, "RTP/AVP": false} {
		offer := strings.Replace(phoneOffer, "RTP/AVP", proto, 1) + "a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:x\r\n" + cryptoLine
		d, err := sdp.Parse([]byte(offer))
		if err != nil || d.Secure != secure || d.Crypto == nil || d.Crypto.Tag != 2 || d.Crypto.Suite != sdp.SHA180 || string(d.Crypto.Master[:3]) != "wDf" {
			t.Fatalf("%s is read as %+v, %v", proto, d, err)
		}
		answer := string(sdp.Local{Addr: d.Addr, Codecs: d.Codecs, Keys: sdp.NoKeys, Direction: sdp.SendRecv, Crypto: d.Crypto, Secure: d.Secure}.AnswerTo(d))
		if !strings.Contains(answer, "m=audio 4000 "+proto+" ") || !strings.Contains(answer, "a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n") {
			t.Errorf("%s is answered by %s", proto, answer)
		}
	}
}

// An encrypted stream without a supported key is refused.
func TestUnsupportedCryptoKeysAreRefused(t *testing.T) {
	t.Parallel()
	secure := strings.Replace(phoneOffer, "RTP/AVP", "RTP/SAVP", 1)
	for _, line := range []string{
		"", "a=crypto:x AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n",
		"a=crypto:1 F8_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n",
		"a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:dG9vIHNob3J0\r\n",
		"a=crypto:1 AES_CM_128_HMAC_SHA1_80 uri:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n",
		strings.Replace(cryptoLine, "|2^31", "|2^31|1:4", 1), strings.Replace(cryptoLine, "\r\n", " UNENCRYPTED_SRTP\r\n", 1),
	} {
		if d, err := sdp.Parse([]byte(secure + line)); !errors.Is(err, sdp.ErrNotAcceptable) {
			t.Errorf("%q is read as %+v, %v", line, d, err)
		}
	}
}
