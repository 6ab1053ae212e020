package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// addAgent adds an agent to a conversation and reports whether they were not in it before.
// It holds the membership until the transaction ends: a suspension comes either before it,
// and addAgent returns not_active, or after it, and finds the agent in the conversation.
func (s *Service) addAgent(tx *db.Tx, conversation, agent uuid.UUID) (bool, error) {
	if ok, err := s.Agents.HoldAgent(tx, perm.ConversationsView, agent); err != nil {
		return false, err
	} else if !ok {
		return false, fault.New(fault.NotActive)
	}
	return putAgent(tx, conversation, agent, clock.At(tx.Now()))
}

// HoldAgents holds the agents of a conversation whose rows are about to be copied, and
// removes those who are no longer active.
func (s *Service) HoldAgents(tx *db.Tx, conversation uuid.UUID) error {
	list, err := agents(&tx.Reader, conversation)
	if err != nil {
		return err
	}
	for _, a := range list {
		ok, err := s.Agents.HoldAgent(tx, perm.ConversationsView, a.AgentID)
		if err == nil && !ok {
			_, err = DropAgent(tx, conversation, a.AgentID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
