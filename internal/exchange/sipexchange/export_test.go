package sipexchange

import "github.com/google/uuid"

// CanSend says whether requests can leave by the port of SIP.
func (x *Exchange) CanSend() bool {
	c, err := x.network.GetConnection("udp", x.listen.String())
	return err == nil && c != nil
}

// IsEncrypted says whether the sound of a leg is encrypted in both directions.
func (x *Exchange) IsEncrypted(id uuid.UUID) bool {
	x.mu.Lock()
	l := x.legs[id]
	x.mu.Unlock()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.crypto != nil && l.hasRemote && l.remote.Crypto != nil
}
