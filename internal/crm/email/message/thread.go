package message

import "github.com/google/uuid"

// Known is a mail that is already part of a conversation.
type Known struct {
	ConversationID uuid.UUID
	// Ours means that this installation sent the mail, so only its recipients know its id.
	// An id created by others can be guessed or used twice.
	Ours bool
}

// Threads answers the queries of the threading rules, within one workspace and one account.
type Threads interface {
	// ByMessageID returns the mail with this id.
	ByMessageID(id string) (Known, bool, error)
	// BySubjectToken returns the conversation with this token.
	BySubjectToken(token string) (uuid.UUID, bool, error)
	// TakesPart reports whether an address wrote in the conversation or was written to.
	TakesPart(conversation uuid.UUID, addr string) (bool, error)
	// Latest returns the newest conversation with an address that is not closed.
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

// Place is the conversation that a mail belongs to; nil means a new one.
type Place struct {
	ConversationID *uuid.UUID
	Rule           string
}

// FindConversation finds the conversation of a mail by the five rules, in their order. replyTo is the
// conversation that a reply address named, nil for none.
func FindConversation(m *Mail, replyTo *uuid.UUID, continues bool, t Threads) (Place, error) {
	if replyTo != nil {
		return Place{replyTo, ByReplyAddress}, nil
	}
	for _, id := range m.AnsweredIDs() {
		k, ok, err := t.ByMessageID(id)
		if err != nil {
			return Place{}, err
		}
		if ok && !k.Ours {
			// Everybody who answers a newsletter sends the same id.
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
