package apptest

import (
	"crypto/rand"
	"crypto/rsa"
	"sync"
	"sync/atomic"
)

// rsaKeys are the RSA keys of all mail domains of a test program: making one takes longer
// than most tests. There are several, so that a domain's new key is not the one it had.
var rsaKeys = [8]func() (*rsa.PrivateKey, error){makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce(), makeOnce()}

func makeOnce() func() (*rsa.PrivateKey, error) {
	return sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })
}

// keysInTurns returns what gives a server the keys in turns. Each server has turns of its own,
// whatever other tests run beside it.
func keysInTurns() func() (*rsa.PrivateKey, error) {
	var given atomic.Uint64
	return func() (*rsa.PrivateKey, error) { return rsaKeys[given.Add(1)%uint64(len(rsaKeys))]() }
}
