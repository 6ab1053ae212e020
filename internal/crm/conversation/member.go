package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// addAgent lets an agent into a conversation and says whether they were not in
// it before. The membership is held until the transaction ends, so that a
// suspension comes before it, and is refused here with not_active, or after it,
// and finds the agent in the conversation.
func (s *Service) addAgent(tx *db.Tx, conversation, agent uuid.UUID) (bool, error) {
	if ok, err := s.agents.HoldAgent(tx, perm.ConversationsView, agent); err != nil {
		return false, err
	} else if !ok {
		return false, fault.New(fault.NotActive)
	}
	return putAgent(tx, conversation, agent, clock.At(tx.Now()))
}

// HoldAgents holds the agents of a conversation whose rows are about to be
// copied, and takes those out who are not active any more.
func (s *Service) HoldAgents(tx *db.Tx, conversation uuid.UUID) error {
	list, err := agents(&tx.Reader, conversation)
	if err != nil {
		return err
	}
	for _, a := range list {
		ok, err := s.agents.HoldAgent(tx, perm.ConversationsView, a.AgentID)
		if err == nil && !ok {
			_, err = DropAgent(tx, conversation, a.AgentID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Forbidden is the refusal for a permission that is missing.
func Forbidden(p perm.Permission) *fault.Fault {
	f := fault.New(fault.Forbidden, string(p))
	f.Permission = string(p)
	return f
}
