package conversation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/kit/perm"
)

// Tags that differ only in case are the same: in a conversation, when they are removed, and
// in a list. The four Turkish i's are one letter here.
func TestTagsIgnoreCase(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		in.Owner.Put(path+"/tags", map[string]any{"tags": []string{"İade", "iade", "IADE", "ıade", "Kargo"}}).Want(200)
		if diff := cmp.Diff([]string{"Kargo", "İade"}, in.get(id).Tags); diff != "" {
			t.Error(diff)
		}
		in.Owner.Post(base+"/tags/add", map[string]any{"ids": []uuid.UUID{id}, "tags": []string{"KARGO"}}).Want(200)
		if diff := cmp.Diff([]string{"Kargo", "İade"}, in.get(id).Tags); diff != "" {
			t.Error(diff)
		}
		for _, tag := range []string{"iade", "İADE", "kargo"} {
			var list []conversation.Conversation
			if in.Owner.Get(base + "?tag=" + tag).Want(200).Data(&list); len(list) != 1 {
				t.Errorf("%s finds %d", tag, len(list))
			}
		}
		key := in.Key(false, perm.All()...)
		key.Post(public+"/"+id.String()+"/tags", map[string]any{"remove": []string{"IADE"}}).Want(200)
		if diff := cmp.Diff([]string{"Kargo"}, in.get(id).Tags); diff != "" {
			t.Error(diff)
		}
	})
}

// A body of spaces counts as empty, on every route that opens a conversation.
func TestBlankBody(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		key := in.Key(false, perm.All()...)
		blank := map[string]any{"contact_id": in.customer.ID, "body": " \n\t"}
		for name, got := range map[string]*apptest.Response{"panel": in.Owner.Post(base, blank), "public API": key.Post(public, blank)} {
			if e := got.Refused(422, "validation_failed"); len(e.Fields["body"]) == 0 {
				t.Errorf("%s: %+v", name, e)
			}
		}
	})
}

// Only an emoji can be a reaction, and a message has one reaction of the number that all
// colleagues share.
func TestReactionsOfSharedNumber(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		account := uuid.New()
		s.UseRouter(&reactionRouter{fakeRouter: fakeRouter{account: account}})
		message := in.inbound(account, "wamid.1").Item
		can, canID := in.member("can")
		for _, sign := range []string{"12", "!!", "👍👍", "👍a", "🇹", "©x", "1", "\u200d", "👍\u200d"} {
			if e := in.Owner.Post(itemPath(message)+"/reaction", map[string]any{"emoji": sign}).Refused(422, "validation_failed"); len(e.Fields["emoji"]) == 0 {
				t.Errorf("%q: %+v", sign, e)
			}
		}
		var item conversation.Item
		for _, sign := range []string{"👍🏽", "🇹🇷", "1️⃣", "👨‍👩‍👧", "❤️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"} {
			in.Owner.Post(itemPath(message)+"/reaction", map[string]any{"emoji": sign}).Want(200).Data(&item)
			if len(item.Reactions) != 1 || item.Reactions[0].Emoji != sign {
				t.Errorf("%q: %+v", sign, item.Reactions)
			}
		}
		if err := s.Inbound.CustomerReacted(in.Context(), account, "wamid.1", "🎉"); err != nil {
			t.Fatal(err)
		}
		can.Post(itemPath(message)+"/reaction", map[string]any{"emoji": "🙏"}).Want(200).Data(&item)
		by := map[string]string{}
		for _, re := range item.Reactions {
			by[re.Emoji] = re.AuthorKind
			if re.AuthorKind == "agent" && re.AuthorID != canID {
				t.Errorf("got %+v", re)
			}
		}
		if diff := cmp.Diff(map[string]string{"🎉": "contact", "🙏": "agent"}, by); diff != "" {
			t.Error(diff)
		}
		in.Owner.Post(itemPath(message)+"/reaction", map[string]any{"emoji": ""}).Want(200).Data(&item)
		if len(item.Reactions) != 1 || item.Reactions[0].Emoji != "🎉" {
			t.Errorf("got %+v", item.Reactions)
		}
	})
}

// An address that mail servers do not accept is refused, not stored and lost later.
func TestInvalidCopyAddressIsRefused(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		path := base + "/" + in.begin().String() + "/email-cc"
		for _, a := range []string{"çağrı@example.com", "a@ör_nek.com"} {
			if e := in.Owner.Put(path, map[string]any{"email_cc": []string{"b@example.com", a}}).Refused(422, "validation_failed"); len(e.Fields["email_cc"]) == 0 {
				t.Errorf("%s: %+v", a, e)
			}
		}
		var set struct {
			EmailCC []string `json:"email_cc"`
		}
		in.Owner.Put(path, map[string]any{"email_cc": []string{"b@xn--rnek-4qa.com", "B@Örnek.com", "c@çay.example"}}).Want(200).Data(&set)
		if diff := cmp.Diff([]string{"b@xn--rnek-4qa.com", "c@xn--ay-3ia.example"}, set.EmailCC); diff != "" {
			t.Error(diff)
		}
	})
}

// A null that would be ignored is refused, in every module; a null with a meaning clears
// the field.
func TestNullIsRefusedOrClears(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		in.Owner.Post(base+"/"+id.String()+"/join", nil).Want(200)
		for _, tc := range []struct{ path, field string }{
			{base + "/" + id.String(), "priority"},
			{base + "/" + id.String(), "subject"},
			{"/api/crm/v1/contacts/" + in.customer.ID.String(), "company"},
			{"/api/crm/v1/contacts/" + in.customer.ID.String(), "tags"},
			{"/api/crm/v1/agents/" + in.Member.String(), "presence"},
		} {
			if e := in.Owner.Put(tc.path, map[string]any{tc.field: nil}).Refused(422, "validation_failed"); len(e.Fields[tc.field]) == 0 {
				t.Errorf("%s %s: %+v", tc.path, tc.field, e)
			}
		}
		in.Owner.Post(base+"/"+id.String()+"/assign", map[string]any{"owner_id": nil}).Want(200)
		if owner := in.get(id).OwnerID; owner != nil {
			t.Errorf("the owner is %v", owner)
		}
		in.Owner.Put(base+"/settings", map[string]any{"reopen": true, "reopen_days": 3}).Want(200)
		in.Owner.Put(base+"/settings", map[string]any{"reopen": true, "reopen_days": nil}).Want(200)
		var set conversation.Settings
		if in.Owner.Get(base + "/settings").Want(200).Data(&set); set.ReopenDays != nil {
			t.Errorf("got %+v", set)
		}
	})
}
