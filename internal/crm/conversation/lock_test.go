package conversation_test

import (
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// A conversation can be written only in the transaction that has locked it: not if it was
// only read, and not if an earlier transaction locked it.
func TestWriteNeedsTheLock(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		var earlier conversation.Conversation
		write := func(read func(*db.Tx) (conversation.Conversation, error)) error {
			return s.DB.Tenant(in.ID).InTx(in.Context(), func(tx *db.Tx) error {
				c, err := read(tx)
				if err != nil {
					t.Error(err)
				}
				c.Subject = "Changed"
				return conversation.Save(tx, &c, c.State)
			})
		}
		if err := write(func(tx *db.Tx) (c conversation.Conversation, err error) {
			earlier, err = conversation.Lock(tx, id)
			return earlier, err
		}); err != nil {
			t.Error(err)
		}
		if err := write(func(tx *db.Tx) (conversation.Conversation, error) { return conversation.ByID(&tx.Reader, id) }); err == nil {
			t.Error("what was only read is written")
		}
		if err := write(func(*db.Tx) (conversation.Conversation, error) { return earlier, nil }); err == nil {
			t.Error("what an earlier transaction locked is written")
		}
	})
}

// A key of the test environment cannot write a live conversation, however it got it.
func TestTestKeysCannotWriteLiveConversations(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		var made conversation.Conversation
		in.Key(true, perm.All()...).Post(public, map[string]any{"contact": map[string]any{"email": "x@y.example"}, "body": "deneme"}).Want(201).Data(&made)
		ctx := caller.With(t.Context(), &caller.Caller{Kind: caller.APIKey, TenantID: in.ID, Test: true})
		for _, test := range []bool{true, false} {
			err := s.DB.Tenant(in.ID).InTx(ctx, func(tx *db.Tx) error {
				c, err := conversation.Lock(tx, made.ID)
				if err != nil {
					t.Error(err)
				}
				c.Test = test
				return conversation.Save(tx, &c, c.State)
			})
			if test && err != nil || !test && !fault.Is(err, fault.NotFound) {
				t.Errorf("test %v: %v", test, err)
			}
		}
	})
}
