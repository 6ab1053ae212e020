package captcha

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/clock"
)

// solved is a challenge that ALTCHA's own library created and solved.
const solved = `{"challenge":{"parameters":{"algorithm":"PBKDF2/SHA-256","cost":50,"expiresAt":1799999999,"keyLength":32,` +
	`"keyPrefix":"6874819d01cd5f00ae2360a67c232469",` +
	`"keySignature":"1ec587d7ba2d230da75eb52533c3e41b3fb7862e6f3d1bc440daac468a315ac1",` +
	`"nonce":"3d8d32e7d78d951d1025728a0c536859","salt":"4d9f7f6f0ca4fc99dc159d916273c748"},` +
	`"signature":"ef3492617a7fd7c701c68fb6a69c1899563e2127689f3bc822f39fd6bdcce7a2"},` +
	`"solution":{"counter":7,"derivedKey":"6874819d01cd5f00ae2360a67c232469441258c1bf4eab38a814ea1cab7dd567","time":5}}`

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestOnlyUnchangedSolutionIsAccepted(t *testing.T) {
	t.Parallel()
	c := clock.NewFake(time.Unix(1_799_999_900, 0))
	w := NewWork(c, []byte("signature key"), []byte("key signature key"), leastWork)
	nonce, expires, ok := w.Check(encode(solved))
	if !ok || nonce != "3d8d32e7d78d951d1025728a0c536859" || expires.Unix() != 1_799_999_999 {
		t.Fatalf("%s, %v, %v", nonce, expires, ok)
	}
	for what, text := range map[string]string{
		"an easier task":   strings.Replace(solved, `"cost":50`, `"cost":1`, 1),
		"a longer life":    strings.Replace(solved, "1799999999", "1899999999", 1),
		"another key":      strings.Replace(solved, `"derivedKey":"68`, `"derivedKey":"69`, 1),
		"no key":           strings.Replace(solved, `"derivedKey":"6874819d01cd5f00ae2360a67c232469441258c1bf4eab38a814ea1cab7dd567"`, `"derivedKey":""`, 1),
		"another's answer": strings.Replace(solved, `"signature":"ef`, `"signature":"ee`, 1),
		"nothing":          "",
		"no JSON":          "{",
	} {
		if _, _, ok := w.Check(encode(text)); ok {
			t.Errorf("%s is taken", what)
		}
	}
	if _, _, ok := w.Check("not base64!"); ok {
		t.Error("what is no base64 is taken")
	}
	if _, _, ok := NewWork(c, []byte("k"), []byte("key signature key"), leastWork).Check(encode(solved)); ok {
		t.Error("another installation's challenge is taken")
	}
	c.Set(time.Unix(1_799_999_999, 0))
	if _, _, ok := w.Check(encode(solved)); ok {
		t.Error("an old answer is taken")
	}
}

// Under attack an answer takes five times as many keys.
func TestWorkIsHarderUnderAttack(t *testing.T) {
	t.Parallel()
	const least = 3
	w := NewWork(clock.NewFake(time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)), []byte("a"), []byte("b"), least)
	for attack, want := range map[bool]int{false: least, true: 5 * least} {
		ch, err := w.Challenge(attack)
		if err != nil {
			t.Fatal(err)
		}
		keys := 0
		for ; ; keys++ {
			key, err := Derive(ch.Parameters, uint32(keys))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(hex.EncodeToString(key), ch.Parameters.KeyPrefix) {
				break
			}
		}
		if keys < want || keys >= 2*want {
			t.Errorf("attack %v: the answer is %d, want one from %d on", attack, keys, want)
		}
	}
}

// Our challenges can be solved as the widget does it.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	c := clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	w := NewWork(c, []byte("a"), []byte("b"), leastWork)
	ch, err := w.challenge(37, 10)
	if err != nil {
		t.Fatal(err)
	}
	a := Answer{Challenge: ch}
	for a.Solution.Counter = 0; ; a.Solution.Counter++ {
		key, err := Derive(ch.Parameters, a.Solution.Counter)
		if err != nil {
			t.Fatal(err)
		}
		if a.Solution.DerivedKey = hex.EncodeToString(key); strings.HasPrefix(a.Solution.DerivedKey, ch.Parameters.KeyPrefix) {
			break
		}
	}
	if a.Solution.Counter != 37 {
		t.Errorf("solved at %d", a.Solution.Counter)
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := w.Check(encode(string(text))); !ok {
		t.Error("a right answer is refused")
	}
	for _, attack := range []bool{false, true} {
		ch, err := w.Challenge(attack)
		if err != nil || ch.Parameters.Cost != cost || len(ch.Parameters.KeyPrefix) != 32 {
			t.Errorf("%+v, %v", ch, err)
		}
	}
}
