package desk

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/perm"
)

// CannedReplies lists the shared canned replies and the caller's own whose words begin with
// the words of q.
func (s *Service) CannedReplies(ctx context.Context, q string, p db.Page) (db.List[CannedReply], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[CannedReply], error) {
		return cannedReplies(r, caller.From(ctx).ID, searchWords(q), p)
	})
}

// CannedRepliesFor is CannedReplies with the texts filled in for a conversation.
func (s *Service) CannedRepliesFor(ctx context.Context, conversation uuid.UUID, q string, p db.Page) (db.List[CannedReply], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[CannedReply], error) {
		preview, err := s.previewFor(r, conversation)
		if err != nil {
			return db.List[CannedReply]{}, err
		}
		list, err := cannedReplies(r, caller.From(ctx).ID, searchWords(q), p)
		for i := range list.Rows {
			list.Rows[i].Body = preview(list.Rows[i].Body)
		}
		return list, err
	})
}

// CannedReply returns one canned reply.
func (s *Service) CannedReply(ctx context.Context, id uuid.UUID) (CannedReply, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (CannedReply, error) {
		c, err := cannedByID(r, caller.From(ctx).ID, id)
		return c, db.NotFound(err)
	})
}

// NewCannedReply is the input for a canned reply.
type NewCannedReply struct {
	Shared   bool
	Shortcut string
	Title    string
	Body     string
	// Assistant releases it for the assistant's answers.
	Assistant bool
}

// maxReleased is the number of canned replies that a workspace may release for its
// assistant.
const maxReleased = 500

// AddCannedReply creates a canned reply.
func (s *Service) AddCannedReply(ctx context.Context, n NewCannedReply) (c CannedReply, err error) {
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &c, func(tx *db.Tx) error {
		c = CannedReply{ID: tx.NewID(), CreatedAt: clock.At(tx.Now())}
		scope, err := n.applyTo(tx, &c)
		if err != nil {
			return err
		}
		if free, err := putCanned(tx, c, scope, nameKey(c.Shortcut)); err != nil {
			return err
		} else if !free {
			return nameTaken("shortcut")
		}
		if err := putCannedTerms(tx, c.ID, c.terms()); err != nil {
			return err
		}
		return s.noteReply(tx, "canned_reply.created", &c, c.Shared)
	})
	return c, err
}

// applyTo checks the input and copies it into a canned reply; it returns the scope, the
// owner's id or the nil UUID if shared.
func (n *NewCannedReply) applyTo(tx *db.Tx, c *CannedReply) (scope uuid.UUID, err error) {
	who := caller.From(tx.Context())
	if n.Shared {
		if f := checkPermission(who, perm.CannedManage); f != nil {
			return scope, f
		}
	} else {
		scope = who.ID
	}
	c.Shared, c.OwnerID = owner(scope)
	c.Shortcut, c.Title, c.Body = strings.TrimPrefix(strings.TrimSpace(n.Shortcut), "/"), strings.TrimSpace(n.Title), strings.TrimSpace(n.Body)
	released := c.Assistant
	c.UpdatedAt, c.Assistant = clock.At(tx.Now()), n.Assistant
	wrong := fault.New(fault.ValidationFailed)
	if !shortcut.MatchString(c.Shortcut) {
		wrong.Field("shortcut", "invalid_format")
	}
	if c.Body == "" {
		wrong.Field("body", "required")
	} else if !placeholdersKnown(c.Body) {
		wrong.Field("body", "unknown_placeholder")
	}
	// Nobody checks the assistant's texts before they are sent, so they have no
	// placeholders and are shared, which needs the permission to manage shared replies.
	if c.Assistant && !c.Shared {
		wrong.Field("assistant", "not_shared")
	} else if c.Assistant && placeholder.MatchString(c.Body) {
		wrong.Field("assistant", "has_placeholder")
	}
	if len(wrong.Fields) > 0 {
		return scope, wrong
	}
	if !c.Assistant || released {
		return scope, nil
	}
	return scope, checkReleased(tx)
}

// checkReleased returns limit_reached if maxReleased replies are already released.
func checkReleased(tx *db.Tx) error {
	now, err := countReleases(&tx.Reader)
	if err == nil && now.count >= maxReleased {
		err = fault.New(fault.LimitReached, maxReleased)
	}
	return err
}

// ReleasedRevision returns a value that changes with the replies released for the
// assistant.
func (s *Service) ReleasedRevision(ctx context.Context) (string, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (string, error) {
		now, err := countReleases(r)
		return fmt.Sprintf("%d-%d", now.count, now.last), err
	})
}

// ReleasedReplies returns the replies released for the assistant.
func (s *Service) ReleasedReplies(ctx context.Context) ([]CannedReply, error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), releasedReplies)
}

// noteReply announces a change to panels and audits it.
func (s *Service) noteReply(tx *db.Tx, action string, c *CannedReply, shared bool) error {
	if err := announce(tx, RepliesChanged, c.ID); err != nil {
		return err
	}
	return s.note(tx, action, c.ID, shared, c.Shortcut)
}

// note writes the audit line for what the workspace shares; an agent's own is private.
func (s *Service) note(tx *db.Tx, action string, id uuid.UUID, shared bool, name string) error {
	if !shared {
		return nil
	}
	return audit.Write(tx, action, id.String(), map[string]any{"name": name})
}

// findOwnReply returns a reply that the caller may change: their own, or a shared one if
// they have the permission.
func (s *Service) findOwnReply(tx *db.Tx, id uuid.UUID) (CannedReply, error) {
	who := caller.From(tx.Context())
	c, err := cannedByID(&tx.Reader, who.ID, id)
	if err != nil {
		return c, db.NotFound(err)
	}
	if c.Shared {
		if f := checkPermission(who, perm.CannedManage); f != nil {
			return c, f
		}
	}
	return c, nil
}

// ChangeCannedReply replaces a canned reply.
func (s *Service) ChangeCannedReply(ctx context.Context, id uuid.UUID, n NewCannedReply) (c CannedReply, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if c, err = s.findOwnReply(tx, id); err != nil {
			return err
		}
		was := c.Shared
		scope, err := n.applyTo(tx, &c)
		if err != nil {
			return err
		}
		if free, err := saveCanned(tx, c, scope, nameKey(c.Shortcut)); err != nil {
			return err
		} else if !free {
			return nameTaken("shortcut")
		}
		if err := putCannedTerms(tx, id, c.terms()); err != nil {
			return err
		}
		return s.noteReply(tx, "canned_reply.changed", &c, was || c.Shared)
	})
	return c, orTaken(err, "shortcut")
}

// DeleteCannedReply removes a canned reply.
func (s *Service) DeleteCannedReply(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		c, err := s.findOwnReply(tx, id)
		if err != nil {
			return err
		}
		if err := dropCanned(tx, id); err != nil {
			return err
		}
		return s.noteReply(tx, "canned_reply.deleted", &c, c.Shared)
	})
}

// Render fills in a canned reply for a conversation.
func (s *Service) Render(ctx context.Context, id, conversation uuid.UUID) (out Rendered, err error) {
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		reply, err := cannedByID(r, caller.From(ctx).ID, id)
		if err != nil {
			return db.NotFound(err)
		}
		c, err := s.Conversations.Find(r, conversation)
		if db.IsNoRow(err) {
			return fault.Invalid("conversation_id", "unknown_conversation")
		}
		if err != nil {
			return err
		}
		out.Body, out.Empty, err = s.render(r, c, reply.Body)
		return err
	})
	return out, err
}
