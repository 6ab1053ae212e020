package helpcenter

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Minimum and maximum age of a contact form when it is sent. A person needs longer than the
// minimum to write a message; a robot that posts at once must send it again.
const (
	minFormAge = 3 * time.Second
	maxFormAge = 12 * time.Hour
)

const (
	formHead = 24 // bytes: the time in milliseconds and a random id
	formMac  = 16 // bytes
)

// newFormToken returns the signed token of a workspace's contact form that is shown now.
// The token holds the time and an id of the form, and can be used for one message.
func (s *Service) newFormToken(tenant uuid.UUID) string {
	clock := s.cfg.DB.Clock()
	id := clock.NewCapability()
	token := binary.BigEndian.AppendUint64(nil, uint64(clock.Now().UnixMilli()))
	token = append(token, id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(token, s.signForm(tenant, token)...))
}

// readFormToken returns the id and the age of a form; false if this installation did not
// sign the token for the workspace.
func (s *Service) readFormToken(tenant uuid.UUID, token string) (id uuid.UUID, age time.Duration, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != formHead+formMac || !hmac.Equal(b[formHead:], s.signForm(tenant, b[:formHead])) {
		return id, 0, false
	}
	shown := time.UnixMilli(int64(binary.BigEndian.Uint64(b)))
	return uuid.UUID(b[8:formHead]), s.cfg.DB.Clock().Now().Sub(shown), true
}

func (s *Service) signForm(tenant uuid.UUID, head []byte) []byte {
	m := hmac.New(sha256.New, s.cfg.FormKey)
	m.Write(tenant[:])
	m.Write(head)
	return m.Sum(nil)[:formMac]
}
