package inboxapi

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// needs lists what a request does beyond the purpose of its route. Each of these needs its
// own permission, whichever route does it.
type needs struct {
	assign bool // names the owner or the group
	manage bool // sets the subject, customer, priority or tags of an existing conversation, or a priority or tags other than the default
	reply  bool // writes a note
}

// check refuses a caller who lacks a permission that the request needs. It checks nothing
// else, so a refusal reveals nothing about the conversation.
func (n needs) check(ctx context.Context) error {
	who := caller.From(ctx)
	for _, row := range []struct {
		asked bool
		need  perm.Permission
	}{{n.assign, perm.ConversationsAssign}, {n.manage, perm.ConversationsManage}, {n.reply, perm.ConversationsReply}} {
		if row.asked && !who.Can(row.need) {
			return fault.Lacking(row.need)
		}
	}
	return nil
}

// hiding wraps a handler whose answer shows a conversation: for a caller who may not see
// conversations, hide removes its content. The answer stored under an Idempotency-Key lacks
// it too.
func hiding[In, Out any](hide func(Out) Out, handle func(context.Context, *In) (Out, error)) func(context.Context, *In) (Out, error) {
	return func(ctx context.Context, in *In) (Out, error) {
		if caller.From(ctx).Can(perm.ConversationsView) {
			return handle(ctx, in)
		}
		out, err := handle(idempotency.View(ctx, hide), in)
		return hide(out), err
	}
}

// onConversation returns a handler that calls fn with the conversation of the path.
func onConversation[Out any](fn func(context.Context, uuid.UUID) (Out, error)) func(context.Context, *conversationIn) (Out, error) {
	return func(ctx context.Context, in *conversationIn) (Out, error) { return fn(ctx, in.ID.UUID) }
}

// onItem returns a handler that calls fn with the conversation and the item of the path.
func onItem[Out any](fn func(ctx context.Context, id, item uuid.UUID) (Out, error)) func(context.Context, *itemIn) (Out, error) {
	return func(ctx context.Context, in *itemIn) (Out, error) { return fn(ctx, in.ID.UUID, in.ItemID.UUID) }
}

// sets reports whether a new conversation's priority differs from the default.
func sets(priority string) bool { return priority != "" && priority != "normal" }
