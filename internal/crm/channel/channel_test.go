package channel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

const base = "/api/crm/v1/channels"

// pigeon is a kind of channel that records what it is given.
type pigeon struct {
	refuse  error
	taken   []conversation.Outgoing
	changes []string
}

func (p *pigeon) Route(_ *db.Reader, a channel.Account, to contact.Contact) (*conversation.Route, error) {
	i, ok := channel.IdentityOn(to, a.ID)
	if !ok || p.refuse != nil {
		return nil, p.refuse
	}
	return &conversation.Route{Address: i.ExternalID}, nil
}

func (p *pigeon) Take(_ *db.Tx, m conversation.Outgoing) error {
	p.taken = append(p.taken, m)
	return nil
}

func (p *pigeon) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.Sent}, nil
}

// Capabilities limits a pigeon to small texts.
func (p *pigeon) Capabilities() channel.Capabilities {
	return channel.Capabilities{Files: []channel.FileRule{{Types: []string{"text/plain"}, MaxSize: 10}}, MaxText: 100}
}

func (p *pigeon) AfterChange(_ *db.Tx, a channel.Account, before string) error {
	p.changes = append(p.changes, before+">"+a.Status)
	return nil
}

// loft is a workspace with an extra kind of channel and an account on it.
type loft struct {
	*apptest.Workspace
	t       *testing.T
	s       *apptest.Server
	kind    *pigeon
	account channel.Account
}

func open(t *testing.T, s *apptest.Server) *loft {
	t.Helper()
	l := &loft{Workspace: s.Workspace("demo"), t: t, s: s, kind: &pigeon{}}
	s.Kinds["telegram"] = l.kind
	l.account = l.connect("Posta güvercini")
	return l
}

func (l *loft) connect(name string) (a channel.Account) {
	l.t.Helper()
	err := l.s.DB.Tenant(l.ID).InTx(l.Context(), func(tx *db.Tx) (err error) {
		a, err = l.s.Channels.Connect(tx, channel.Account{Kind: "telegram", Name: name, Status: channel.Active})
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func (l *loft) path(tail string) string { return base + "/" + l.account.ID.String() + tail }

// wrote lets a customer write on the account.
func (l *loft) wrote() inbound.Ingested {
	l.t.Helper()
	out, err := l.s.Inbound.Ingest(l.Context(), inbound.Inbound{
		Channel: "telegram", Body: "Merhaba",
		From: contact.Sender{Channel: "telegram", AccountID: l.account.ID, ExternalID: "4711", Name: "Elif Kaya"},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		l := open(t, s)
		second := l.connect("İkinci")
		var list []channel.Account
		l.Owner.Get(base + "?limit=1").Want(200).Data(&list)
		next := l.Owner.Get(base + "?limit=1").NextCursor()
		if len(list) != 1 || list[0].ID != second.ID || next == "" {
			t.Fatalf("got %+v, %q", list, next)
		}
		l.Owner.Get(base + "?limit=1&cursor=" + next).Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != l.account.ID {
			t.Errorf("got %+v", list)
		}
		l.Owner.Get(base + "?kind=email").Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("got %+v", list)
		}
		l.Owner.Get(base+"?status=gone").Refused(422, "validation_failed")

		var a channel.Account
		l.Owner.Do("PATCH", l.path("/ai"), map[string]any{"enabled": true}).Want(200).Data(&a)
		if !a.AI {
			t.Errorf("got %+v", a)
		}
		if err := s.Identity.SetLicences(t.Context(), l.Slug, []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		if e := l.Owner.Do("PATCH", l.path("/ai"), map[string]any{"enabled": true}).Refused(409, "conflict"); e.Reason != "ai_not_licensed" {
			t.Errorf("got %+v", e)
		}
		l.Owner.Do("PATCH", l.path("/ai"), map[string]any{"enabled": false}).Want(200)
		l.Owner.Do("PATCH", l.path("/status"), map[string]any{"status": "paused"}).Want(200).Data(&a)
		if a.Status != channel.Paused {
			t.Errorf("got %+v", a)
		}
		l.Owner.Do("PATCH", l.path("/status"), map[string]any{"status": "paused"}).Want(200) // nothing happens
		l.Owner.Do("PATCH", l.path("/status"), map[string]any{"status": "attention"}).Refused(422, "validation_failed")
		// A status that Konak detects does not undo a person's pause.
		l.set(channel.Attention, channel.TokenExpired)
		l.Owner.Get(l.path("")).Want(200).Data(&a)
		if a.Status != channel.Paused {
			t.Errorf("got %+v", a)
		}
		l.Owner.Do("PATCH", l.path("/status"), map[string]any{"status": "active"}).Want(200)
		l.set(channel.Attention, channel.TokenExpired)
		l.Owner.Get(l.path("")).Want(200).Data(&a)
		if a.Status != channel.Attention || a.Reason == nil || *a.Reason != channel.TokenExpired {
			t.Errorf("got %+v", a)
		}
		changed := []string{channel.StatusChanged, channel.StatusChanged, channel.StatusChanged, channel.StatusChanged, channel.StatusChanged}
		if diff := cmp.Diff(changed, l.Events()); diff != "" {
			t.Error(diff)
		}
		want := []string{"active>paused", "paused>active", "active>attention"}
		if diff := cmp.Diff(want, l.kind.changes); diff != "" {
			t.Error(diff)
		}
	})
}

func (l *loft) set(status, reason string) {
	l.t.Helper()
	err := l.s.DB.Tenant(l.ID).InTx(l.Context(), func(tx *db.Tx) error {
		_, err := l.s.Channels.Set(tx, l.account.ID, status, &reason)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

func TestDisconnect(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		l := open(t, s)
		var key string
		err := s.DB.Tenant(l.ID).InTx(l.Context(), func(tx *db.Tx) (err error) {
			if key, err = s.Channels.NewKey(tx, l.account.ID); err != nil {
				return err
			}
			return s.Channels.SetCredentials(tx, l.account.ID, []byte("token"))
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Channels.ByKey(t.Context(), key)
		if err != nil || found.TenantID != l.ID || found.Account.ID != l.account.ID {
			t.Fatalf("got %+v, %v", found, err)
		}
		secret := func() (b []byte) {
			err := s.DB.Tenant(l.ID).Read(l.Context(), func(r *db.Reader) (err error) {
				b, err = s.Channels.Credentials(r, l.account.ID)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		if string(secret()) != "token" {
			t.Error("the credentials are not what was sealed")
		}
		if body := l.Owner.Get(base).Want(200).Body; strings.Contains(string(body), key) || strings.Contains(string(body), "token") {
			t.Error("a secret is in the list")
		}
		l.Owner.Delete(l.path("")).Want(200)
		l.Owner.Delete(l.path("")).Want(200)
		if _, err := s.Channels.ByKey(t.Context(), key); !fault.Is(err, fault.NotFound) {
			t.Errorf("the key of a disconnected account: %v", err)
		}
		if secret() != nil {
			t.Error("a disconnected account keeps its credentials")
		}
		var list []channel.Account
		l.Owner.Get(base).Want(200).Data(&list)
		if len(list) != 0 {
			t.Errorf("got %+v", list)
		}
		l.Owner.Get(base + "?status=disconnected").Want(200).Data(&list)
		if len(list) != 1 {
			t.Errorf("got %+v", list)
		}
		for _, tail := range []string{"/status", "/ai"} {
			body := map[string]any{"status": "active"}
			if tail == "/ai" {
				body = map[string]any{"enabled": true}
			}
			l.Owner.Do("PATCH", l.path(tail), body).Refused(409, "channel_unavailable")
		}
		if diff := cmp.Diff([]string{channel.StatusChanged, channel.StatusChanged}, l.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRouting(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		l := open(t, s)
		got := l.wrote()
		reply := "/api/crm/v1/conversations/" + got.Conversation.ID.String() + "/reply-as-agent"
		l.Owner.Post(reply, map[string]any{"body": "Buyurun"}).Want(200)
		if len(l.kind.taken) != 1 || l.kind.taken[0].Route.Address != "4711" || l.kind.taken[0].Route.AccountID != l.account.ID {
			t.Fatalf("got %+v", l.kind.taken)
		}
		var sources []conversation.Source
		connected := func() (out []string) {
			l.Owner.Get("/api/crm/v1/conversations/channels").Want(200).Data(&sources)
			for _, src := range sources {
				if src.Connected {
					out = append(out, src.Key)
				}
			}
			return out
		}
		if diff := cmp.Diff([]string{"telegram", "api", "panel"}, connected()); diff != "" {
			t.Error(diff)
		}
		l.kind.refuse = fault.New(fault.WindowClosed)
		l.Owner.Post(reply, map[string]any{"body": "Buyurun"}).Refused(422, "window_closed")
		l.kind.refuse = nil
		l.set(channel.Attention, channel.NumberFlagged) // it still carries
		l.Owner.Post(reply, map[string]any{"body": "Buyurun"}).Want(200)
		l.Owner.Do("PATCH", l.path("/status"), map[string]any{"status": "paused"}).Want(200)
		l.Owner.Post(reply, map[string]any{"body": "Buyurun"}).Refused(409, "channel_unavailable")
		if diff := cmp.Diff([]string{"api", "panel"}, connected()); diff != "" {
			t.Error(diff)
		}
		// An agent's new conversation finds the account by itself.
		l.Owner.Do("PATCH", l.path("/status"), map[string]any{"status": "active"}).Want(200)
		var begun struct {
			Delivery string `json:"delivery"`
			Reused   bool   `json:"reused"`
		}
		l.Owner.Post("/api/crm/v1/conversations/new-as-agent", map[string]any{
			"contact_id": got.Conversation.ContactID, "channel": "telegram", "body": "Nasılsınız?",
		}).Want(201).Whole(&begun)
		if begun.Delivery != "sent" || !begun.Reused {
			t.Errorf("got %+v", begun)
		}
		// Without the permission to view, nothing is shown.
		if p := l.Guest().Get(base).Refused(403, "forbidden").Permission; p != string(perm.ChannelsView) {
			t.Errorf("got %q", p)
		}
	})
}

// A message that a kind cannot carry is refused with the reason, before anything of it is
// written.
func TestUnsupportedMessagesAreRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		l := open(t, s)
		got := l.wrote()
		at := "/api/crm/v1/conversations/" + got.Conversation.ID.String()
		send := func(name, content string) *apptest.Response {
			var f struct{ ID uuid.UUID }
			l.Owner.Header("Content-Type", "application/octet-stream").Post("/api/crm/v1/attachments?filename="+name, content).Want(201).Data(&f)
			return l.Owner.Post(at+"/reply-as-agent", map[string]any{"body": "Ekte", "attachments": []uuid.UUID{f.ID}})
		}
		for name, want := range map[string][2]string{"a.txt": {"eleven byte", "too_large"}, "a.pdf": {"%PDF-1.4", "type_unsupported"}} {
			if e := send(name, want[0]).Refused(422, "validation_failed"); e.Fields["attachments"][0] != want[1] {
				t.Errorf("%s: %+v", name, e)
			}
		}
		reply := func(length int) *apptest.Response {
			return l.Owner.Post(at+"/reply-as-agent", map[string]any{"body": strings.Repeat("ş", length)})
		}
		if e := reply(101).Refused(422, "validation_failed"); e.Fields["body"][0] != "too_long" {
			t.Errorf("a long text: %+v", e)
		}
		if len(l.kind.taken) != 0 {
			t.Errorf("taken %+v", l.kind.taken)
		}
		reply(100).Want(200)
		l.kind.taken = nil
		send("b.txt", "ten bytes.").Want(200)
		if len(l.kind.taken) != 1 || len(l.kind.taken[0].Attachments) != 1 {
			t.Errorf("taken %+v", l.kind.taken)
		}
	})
}

// One address at a provider is one account of a workspace, until it is
// disconnected.
func TestExternalID(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		l := open(t, s)
		address := "destek@demo.example"
		connect := func(w *apptest.Workspace) (id uuid.UUID, err error) {
			err = s.DB.Tenant(w.ID).InTx(w.Context(), func(tx *db.Tx) error {
				a, err := s.Channels.Connect(tx, channel.Account{Kind: "email", Name: "Destek", Status: channel.Connecting, ExternalID: &address})
				id = a.ID
				return err
			})
			return id, err
		}
		id, err := connect(l.Workspace)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := connect(l.Workspace); !fault.Is(err, fault.Conflict) {
			t.Errorf("the same address twice: %v", err)
		}
		l.Owner.Do("PATCH", base+"/"+id.String()+"/status", map[string]any{"status": "active"}).Refused(409, "channel_unavailable")
		other := s.Workspace("other")
		if _, err := connect(other); err != nil {
			t.Error(err)
		}
		found, err := s.Channels.ByExternal(t.Context(), "email", address)
		if err != nil || len(found) != 2 || found[0].TenantID != l.ID || found[1].TenantID != other.ID {
			t.Errorf("got %+v, %v", found, err)
		}
		l.Owner.Delete(base + "/" + id.String()).Want(200)
		if _, err := connect(l.Workspace); err != nil {
			t.Errorf("after disconnecting: %v", err)
		}
	})
}
