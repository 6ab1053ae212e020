package message

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/google/uuid"
)

// Keys creates and checks the ids by which others refer to a conversation or a message.
// They are bound to a workspace and not valid in another.
type Keys struct{ key []byte }

// NewKeys returns the keys for a secret of 32 bytes.
func NewKeys(key []byte) Keys { return Keys{key} }

const (
	macBytes  = 10
	subjectID = 5 // bytes of a subject token
)

// The local part of an address may lose its case in transit.
var lower32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func (k Keys) mac(purpose string, tenant, id uuid.UUID, n int) []byte {
	h := hmac.New(sha256.New, k.key)
	_, _ = h.Write([]byte(purpose))
	_, _ = h.Write(tenant[:])
	_, _ = h.Write(id[:])
	return h.Sum(nil)[:n]
}

func (k Keys) seal(purpose string, tenant, id uuid.UUID) string {
	return lower32.EncodeToString(append(append([]byte{}, id[:]...), k.mac(purpose, tenant, id, macBytes)...))
}

func (k Keys) open(purpose string, tenant uuid.UUID, token string) (uuid.UUID, bool) {
	b, err := lower32.DecodeString(strings.ToLower(token))
	if err != nil || len(b) != 16+macBytes {
		return uuid.Nil, false
	}
	id := uuid.UUID(b[:16])
	return id, hmac.Equal(b[16:], k.mac(purpose, tenant, id, macBytes))
}

// ReplyAddress returns the address for answers to a conversation: the account's address at
// the installation, with the conversation in it.
func (k Keys) ReplyAddress(tenant, conversation uuid.UUID, local, domain string) string {
	return local + "+" + k.seal("reply", tenant, conversation) + "@" + domain
}

// Conversation returns the conversation in a reply address of that account.
func (k Keys) Conversation(tenant uuid.UUID, addr, local, domain string) (uuid.UUID, bool) {
	l, d, ok := strings.Cut(addr, "@")
	if !ok || !strings.EqualFold(d, domain) {
		return uuid.Nil, false
	}
	base, token, ok := strings.Cut(l, "+")
	if !ok || !strings.EqualFold(base, local) {
		return uuid.Nil, false
	}
	return k.open("reply", tenant, token)
}

// MessageID returns the id of a message that we send, the same in every attempt.
func (k Keys) MessageID(tenant, item uuid.UUID, domain string) string {
	return "k." + k.seal("message", tenant, item) + "@" + domain
}

// Own returns the message in a Message-ID that this installation created.
func (k Keys) Own(tenant uuid.UUID, messageID string) (uuid.UUID, bool) {
	l, _, _ := strings.Cut(messageID, "@")
	token, ok := strings.CutPrefix(strings.ToLower(l), "k.")
	if !ok {
		return uuid.Nil, false
	}
	return k.open("message", tenant, token)
}

// SubjectToken returns the short name of a conversation for a subject. It proves nothing:
// the sender must also take part in the conversation.
func (k Keys) SubjectToken(tenant, conversation uuid.UUID) string {
	return lower32.EncodeToString(k.mac("subject", tenant, conversation, subjectID))
}

// InSubject returns the tokens in a subject.
func InSubject(subject string) []string {
	var out []string
	for rest := subject; len(out) < 5; {
		_, after, ok := strings.Cut(rest, "[#")
		if !ok {
			return out
		}
		token, tail, ok := strings.Cut(after, "]")
		if !ok {
			return out
		}
		if len(token) == lower32.EncodedLen(subjectID) {
			out = append(out, strings.ToLower(token))
		}
		rest = tail
	}
	return out
}
