package inboxapi

import (
	"context"

	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/idempotency"
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

// hiding makes a handler whose answer shows a conversation show it with hide, and
// so without its content, to a caller who may not see conversations. The answer
// that is kept under an Idempotency-Key is without it too.
func hiding[In, Out any](hide func(Out) Out, handle func(context.Context, *In) (Out, error)) func(context.Context, *In) (Out, error) {
	return func(ctx context.Context, in *In) (Out, error) {
		if caller.From(ctx).Can(perm.ConversationsView) {
			return handle(ctx, in)
		}
		out, err := handle(idempotency.View(ctx, hide), in)
		return hide(out), err
	}
}

// sets says whether a new conversation's priority is more than the default.
func sets(priority string) bool { return priority != "" && priority != "normal" }
