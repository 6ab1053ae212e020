package apptest

import (
	"crypto/rand"
	"crypto/rsa"
	"sync"
	"sync/atomic"
)

// keysAtHand are the RSA keys of all mail domains of a test program: making one takes longer
// than most tests. There are several, so that a domain's new key is not the one it had.
var (
	keysAtHand = [4]func() (*rsa.PrivateKey, error){makeOnce(), makeOnce(), makeOnce(), makeOnce()}
	keysGiven  atomic.Uint64
)

func makeOnce() func() (*rsa.PrivateKey, error) {
	return sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })
}

// keyAtHand gives the keys in turns.
func keyAtHand() (*rsa.PrivateKey, error) {
	return keysAtHand[keysGiven.Add(1)%uint64(len(keysAtHand))]()
}
