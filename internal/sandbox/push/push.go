// Package push is a stand-in for the push services of browsers. It issues subscriptions,
// checks each push against RFC 8030, 8188, 8291 and 8292 as a push service and a browser
// do, and keeps what a browser would have received.
package push

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/webpush"
)

// Subscription is what a browser gives to a page.
type Subscription struct {
	Endpoint string       `json:"endpoint"`
	Keys     webpush.Keys `json:"keys"`
}

// Service is a push service with its browsers.
type Service struct {
	server *httptest.Server
	clock  clock.Source

	mu       sync.Mutex
	browsers map[string]*browser // by path
	answer   int                 // what it answers instead of accepting a push; 0 accepts it
	stop     chan struct{}       // closed when it answers again; nil while it does
	waiting  chan struct{}       // signals the callers who wait meanwhile
}

type browser struct {
	private *ecdh.PrivateKey
	auth    []byte
	sender  string // the only key whose pushes it accepts
	got     []string
	refused []string
}

// Start starts a service that answers until Close.
func Start(c clock.Source) *Service {
	s := &Service{clock: c, browsers: map[string]*browser{}}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close stops the service.
func (s *Service) Close() {
	s.Resume()
	s.server.Close()
}

// Subscribe opens a browser that accepts pushes signed by a sender's public key.
func (s *Service) Subscribe(sender string) (Subscription, error) {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return Subscription{}, err
	}
	auth := make([]byte, 16)
	if _, err := rand.Read(auth); err != nil {
		return Subscription{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path := "/push/" + strconv.Itoa(len(s.browsers)+1)
	s.browsers[path] = &browser{private: private, auth: auth, sender: sender}
	encode := base64.RawURLEncoding.EncodeToString
	return Subscription{s.server.URL + path, webpush.Keys{P256dh: encode(private.PublicKey().Bytes()), Auth: encode(auth)}}, nil
}

// Answer makes the service answer every push with a status; 0 accepts pushes again.
func (s *Service) Answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = status
}

// Hang makes the service keep its callers waiting until Resume. The returned channel
// signals each caller.
func (s *Service) Hang() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop, s.waiting = make(chan struct{}), make(chan struct{}, 100)
	return s.waiting
}

// Resume ends a Hang.
func (s *Service) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		close(s.stop)
		s.stop = nil
	}
}

// Received returns what the browser of a subscription has received and forgets it. Refused
// returns why pushes to it were refused.
func (s *Service) Received(sub Subscription) (got, refused []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.browsers[strings.TrimPrefix(sub.Endpoint, s.server.URL)]
	got, refused = b.got, b.refused
	b.got, b.refused = nil, nil
	return got, refused
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4097))
	s.mu.Lock()
	stop, waiting, answer, b := s.stop, s.waiting, s.answer, s.browsers[r.URL.Path]
	s.mu.Unlock()
	if stop != nil {
		waiting <- struct{}{}
		select {
		case <-stop:
		case <-r.Context().Done():
		}
		return
	}
	switch {
	case err != nil || b == nil:
		w.WriteHeader(http.StatusNotFound)
		return
	case answer != 0:
		w.WriteHeader(answer)
		return
	}
	plain, err := b.receive(r, body, "http://"+r.Host, s.clock.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		b.refused = append(b.refused, err.Error())
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	b.got = append(b.got, string(plain))
	w.WriteHeader(http.StatusCreated)
}

// receive checks a push and decrypts it.
func (b *browser) receive(r *http.Request, body []byte, origin string, now time.Time) ([]byte, error) {
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	switch {
	case r.Method != http.MethodPost || err != nil || ttl < 0:
		return nil, errors.New("no push: it needs a POST and a TTL")
	case r.Header.Get("Content-Encoding") != "aes128gcm":
		return nil, errors.New("the encoding is not aes128gcm")
	case len(body) > 4096:
		return nil, errors.New("a push has at most 4096 bytes")
	}
	if err := checkSender(r.Header.Get("Authorization"), b.sender, origin, now); err != nil {
		return nil, err
	}
	return b.decrypt(body)
}

// checkSender checks an Authorization header against RFC 8292.
func checkSender(header, sender, origin string, now time.Time) error {
	rest, ok := strings.CutPrefix(header, "vapid t=")
	token, key, both := strings.Cut(rest, ", k=")
	parts := strings.Split(token, ".")
	if !ok || !both || len(parts) != 3 {
		return errors.New("the sender does not say who it is")
	}
	if key != sender {
		return errors.New("the sender is not the one that was subscribed to")
	}
	var decoded [4][]byte
	for i, part := range append(parts, key) {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return err
		}
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decoded[3])
	if err != nil {
		return err
	}
	signature, hash := decoded[2], sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	if len(signature) != 64 || !ecdsa.Verify(public, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return errors.New("the signature is wrong")
	}
	var head struct{ Typ, Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := errors.Join(json.Unmarshal(decoded[0], &head), json.Unmarshal(decoded[1], &claims)); err != nil {
		return err
	}
	left := time.Unix(claims.Exp, 0).Sub(now)
	if head.Alg != "ES256" || claims.Aud != origin || claims.Sub == "" || left <= 0 || left > 24*time.Hour {
		return fmt.Errorf("the claims are wrong: %+v", claims)
	}
	return nil
}

// decrypt decrypts a body of one record (RFC 8188) with the browser's keys.
func (b *browser) decrypt(body []byte) ([]byte, error) {
	const head = 16 + 4 + 1
	if len(body) < head || len(body) < head+int(body[20]) || binary.BigEndian.Uint32(body[16:20]) < uint32(len(body)-head-int(body[20])) {
		return nil, errors.New("the body is cut off")
	}
	salt, sender, sealed := body[:16], body[head:head+int(body[20])], body[head+int(body[20]):]
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := b.private.ECDH(public)
	if err != nil {
		return nil, err
	}
	gcm, nonce, err := webpush.Cipher(shared, b.auth, b.private.PublicKey().Bytes(), sender, salt)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return nil, err
	}
	if len(plain) == 0 || plain[len(plain)-1] != 2 {
		return nil, errors.New("the record has no end")
	}
	return plain[:len(plain)-1], nil
}
