package message

import "github.com/google/uuid"

// Known is a mail that a conversation holds already.
type Known struct {
	ConversationID uuid.UUID
	// Ours: this installation sent it, so its id was never shown to anybody but those
	// who got it. An id of somebody else's making can be guessed or used twice.
	Ours bool
}

// Threads is what the rules of threading ask; all of it within one workspace
// and one account.
type Threads interface {
	// ByMessageID finds the mail of an id.
	ByMessageID(id string) (Known, bool, error)
	// BySubjectToken finds the conversation of a token.
	BySubjectToken(token string) (uuid.UUID, bool, error)
	// TakesPart says whether an address wrote in the conversation or was
	// written to.
	TakesPart(conversation uuid.UUID, addr string) (bool, error)
	// Latest is the newest conversation with an address that is not closed.
	Latest(addr string) (uuid.UUID, bool, error)
}

// The rules by which a mail found its conversation.
const (
	ByReplyAddress = "reply_address"
	ByReference    = "reference"
	BySubject      = "subject"
	ByContinuation = "continuation"
	ByNothing      = "new"
)

// Place is where a mail belongs; no conversation means a new one.
type Place struct {
	ConversationID *uuid.UUID
	Rule           string
}

// Settle finds the conversation of a mail by the five rules, in their order.
// replyTo is the conversation that a reply address named, where there was one.
func Settle(m *Mail, replyTo *uuid.UUID, continues bool, t Threads) (Place, error) {
	if replyTo != nil {
		return Place{replyTo, ByReplyAddress}, nil
	}
	for _, id := range m.AnsweredIDs() {
		k, ok, err := t.ByMessageID(id)
		if err != nil {
			return Place{}, err
		}
		if ok && !k.Ours {
			// A newsletter's id is in everybody's answer to it.
			ok, err = t.TakesPart(k.ConversationID, m.From.Email)
		}
		if err != nil || ok {
			return Place{&k.ConversationID, ByReference}, err
		}
	}
	for _, token := range InSubject(m.Subject) {
		c, ok, err := t.BySubjectToken(token)
		if err == nil && ok {
			ok, err = t.TakesPart(c, m.From.Email)
		}
		if err != nil || ok {
			return Place{&c, BySubject}, err
		}
	}
	if continues {
		c, ok, err := t.Latest(m.From.Email)
		if err != nil || ok {
			return Place{&c, ByContinuation}, err
		}
	}
	return Place{Rule: ByNothing}, nil
}
