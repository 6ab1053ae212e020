package apptest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app"
	"konak/internal/crm/channel"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

// API paths that tests of channels use.
const (
	Channels      = "/api/crm/v1/channels"
	Conversations = "/api/crm/v1/conversations"
)

// StandIn is an outside service that the server under test talks to.
type StandIn interface {
	http.Handler
	// Settle waits until every webhook that is due was posted.
	Settle()
	Close()
}

// Shop is a workspace with an account on a channel, and the service that hosts the account.
type Shop[S StandIn] struct {
	*Workspace
	T       *testing.T
	Server  *Server
	Account channel.Account
	Box     S
	// Provider is the address of the service.
	Provider string
	// Instead answers calls in place of the service while it is set.
	Instead atomic.Pointer[http.HandlerFunc]
	// Before is called with each call of the service, before it answers, while it is
	// set.
	Before atomic.Pointer[func(*http.Request)]
	// impatient reports that the server soon gives up a silent service.
	impatient atomic.Bool
}

// RunShop gives a test its own server on both databases, with its own service and a
// workspace. start creates the service for an address, and sets the server up to use it.
func RunShop[S StandIn](t *testing.T, start func(address string, cfg *app.Config, c clock.Source) S, fn func(sh *Shop[S])) {
	t.Helper()
	t.Parallel()
	onBoth(t, func(t *testing.T, d db.Dialect) {
		sh := &Shop[S]{T: t}
		sh.Server = NewCalledBack(t, d, func(cfg *app.Config, c clock.Source) {
			server := httptest.NewServer(http.HandlerFunc(sh.serve))
			t.Cleanup(server.Close)
			sh.Provider, cfg.PeerPatience = server.URL, sh.patience
			sh.Box = start(server.URL, cfg, c)
			t.Cleanup(sh.Box.Close)
		})
		sh.Workspace = sh.Server.Workspace("demo")
		fn(sh)
	})
}

func (sh *Shop[S]) serve(w http.ResponseWriter, r *http.Request) {
	if before := sh.Before.Load(); before != nil {
		(*before)(r)
	}
	if other := sh.Instead.Load(); other != nil {
		(*other)(w, r)
		return
	}
	sh.Box.ServeHTTP(w, r)
}

// Another is a second workspace on the same server, with the same service.
func (sh *Shop[S]) Another() *Shop[S] {
	sh.T.Helper()
	return &Shop[S]{Workspace: sh.Server.Workspace("other"), T: sh.T, Server: sh.Server, Box: sh.Box, Provider: sh.Provider}
}

// FilesFolder returns the folder of the files' contents.
func (s *Server) FilesFolder() string { return s.cfg.FilesFolder() }

// patience returns how long the service may be silent.
func (sh *Shop[S]) patience() time.Duration {
	if sh.impatient.Load() {
		return shortPatience
	}
	return longPatience
}

// Answer replaces the service by a handler; nil lets the service answer again.
func (sh *Shop[S]) Answer(fn http.HandlerFunc) {
	if fn == nil {
		sh.impatient.Store(false)
		sh.Instead.Store(nil)
		return
	}
	sh.Instead.Store(&fn)
}

// Settle waits until everything under way has arrived.
func (sh *Shop[S]) Settle() {
	sh.T.Helper()
	sh.Box.Settle()
	sh.Server.Settle()
	sh.Box.Settle()
	sh.Server.Settle()
}

// Later lets time pass and signs the owner in again.
func (sh *Shop[S]) Later(d time.Duration) {
	sh.T.Helper()
	sh.Server.Clock.Advance(d)
	sh.Owner = sh.SignIn("owner@demo.example")
}

// Inbox lists the conversations.
func (sh *Shop[S]) Inbox() (out []conversation.Conversation) {
	sh.T.Helper()
	sh.Owner.Get(Conversations + "?limit=100").Want(200).Data(&out)
	return out
}

// Only returns the only conversation.
func (sh *Shop[S]) Only() conversation.Conversation {
	sh.T.Helper()
	list := sh.Inbox()
	if len(list) != 1 {
		sh.T.Fatalf("%d conversations, want one", len(list))
	}
	return list[0]
}

// Items lists a conversation's items, newest first.
func (sh *Shop[S]) Items(c uuid.UUID) (out []conversation.Item) {
	sh.T.Helper()
	sh.Owner.Get(Conversations + "/" + c.String() + "/items?limit=100").Want(200).Data(&out)
	return out
}

// Item returns one of them.
func (sh *Shop[S]) Item(c, id uuid.UUID) conversation.Item {
	sh.T.Helper()
	for _, i := range sh.Items(c) {
		if i.ID == id {
			return i
		}
	}
	sh.T.Fatal("the item is gone")
	return conversation.Item{}
}

// Reply sends an answer as the owner.
func (sh *Shop[S]) Reply(c uuid.UUID, body string, files ...uuid.UUID) conversation.Item {
	sh.T.Helper()
	var out conversation.Written
	sh.TryReply(c, body, files...).Want(200).Data(&out)
	return out.Item
}

// TryReply is Reply for an answer that may be refused.
func (sh *Shop[S]) TryReply(c uuid.UUID, body string, files ...uuid.UUID) *Response {
	sh.T.Helper()
	return sh.Owner.Post(Conversations+"/"+c.String()+"/reply-as-agent", map[string]any{"body": body, "attachments": files})
}

// Upload stores a file of the owner.
func (sh *Shop[S]) Upload(name, content string) uuid.UUID {
	sh.T.Helper()
	var a file.Attachment
	sh.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename="+name, content).Want(201).Data(&a)
	return a.ID
}

// ReadAccount reads an account again.
func (sh *Shop[S]) ReadAccount(id uuid.UUID) (a channel.Account) {
	sh.T.Helper()
	sh.Owner.Get(Channels + "/" + id.String()).Want(200).Data(&a)
	return a
}

// DeliveryOf returns the delivery status of a message, "" if it has none.
func DeliveryOf(i conversation.Item) string {
	if i.Delivery == nil {
		return ""
	}
	return *i.Delivery
}
