package inboxapi

import (
	"context"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/perm"
)

// needs says what a request does beyond what its route is for. Each of these
// needs its own permission, whichever route does it.
type needs struct {
	assign bool // names the owner or the group
	manage bool // sets the subject, customer, priority or tags of a conversation that is there, or a priority or tags that are not the default
	reply  bool // writes a note
}

// check refuses a caller who lacks a permission that the request needs. It looks
// at nothing else, so a refusal says nothing about the conversation.
func (n needs) check(ctx context.Context) error {
	who := caller.From(ctx)
	for _, row := range []struct {
		asked bool
		need  perm.Permission
	}{{n.assign, perm.ConversationsAssign}, {n.manage, perm.ConversationsManage}, {n.reply, perm.ConversationsReply}} {
		if row.asked && !who.Can(row.need) {
			return conversation.Forbidden(row.need)
		}
	}
	return nil
}

// sets says whether a new conversation's priority is more than the default.
func sets(priority string) bool { return priority != "" && priority != "normal" }
