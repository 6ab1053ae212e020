package apptest

import (
	"crypto/rand"
	"crypto/rsa"
	"sync"
	"sync/atomic"
)

// rsaKeys are the RSA keys of all mail domains of a test program: generating one takes
// longer than most tests. There are several, so that a domain's new key differs from its
// old one.
var rsaKeys = [8]func() (*rsa.PrivateKey, error){makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce()}

func makeOnce() func() (*rsa.PrivateKey, error) {
	return sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })
}

// keysInTurns returns a function that gives a server the keys in turn. Each server has its
// own sequence, independent of parallel tests.
func keysInTurns() func() (*rsa.PrivateKey, error) {
	var given atomic.Uint64
	return func() (*rsa.PrivateKey, error) { return rsaKeys[given.Add(1)%uint64(len(rsaKeys))]() }
}
