package social_test

import (
	"testing"
	"time"

	"konak/internal/crm/channel/social"
	wire "konak/internal/provider/social"
	sandbox "konak/internal/sandbox/social"
)

// Changes that arrive before their message wait for it, in order.
func TestChangesBeforeTheirMessage(t *testing.T) {
	for kind, who := range map[string]sandbox.Person{social.Messenger: elif, social.Instagram: ayse} {
		t.Run(kind, func(t *testing.T) { changesBeforeTheirMessage(t, kind, who) })
	}
}

func changesBeforeTheirMessage(t *testing.T, kind string, who sandbox.Person) {
	t.Helper()
	connected(t, kind, func(t *testing.T, sh *shop) {
		sh.says(who, "Merhaba")
		c := sh.Only()
		sh.does(who, wire.Messaging{Reaction: &wire.Reaction{ID: "m_liked", Action: "react", Reaction: "love"}})
		sh.does(who, wire.Messaging{Reaction: &wire.Reaction{ID: "m_liked", Action: "unreact"}})
		sh.does(who, wire.Messaging{Reaction: &wire.Reaction{ID: "m_liked", Action: "react", Reaction: "smile", Emoji: "😀"}})
		sh.does(who, wire.Messaging{Reaction: &wire.Reaction{ID: "m_unliked", Action: "react", Reaction: "love"}})
		sh.does(who, wire.Messaging{Reaction: &wire.Reaction{ID: "m_unliked", Action: "unreact"}})
		liked := sh.writes(who, wire.Incoming{ID: "m_liked", Text: "Beğendim"})
		if len(liked.Reactions) != 1 || liked.Reactions[0].Emoji != "😀" {
			t.Errorf("the reactions are %+v", liked.Reactions)
		}
		if got := sh.writes(who, wire.Incoming{ID: "m_unliked", Text: "Beğenmedim"}); len(got.Reactions) != 0 {
			t.Errorf("a reaction that was taken away: %+v", got.Reactions)
		}

		sh.Box.Write(pageID, who, wire.Incoming{ID: "m_gone", Deleted: true})
		sh.Settle()
		if got := sh.writes(who, wire.Incoming{ID: "m_gone", Text: "Yanlış yazdım"}); got.Body != "Beğenmedim" {
			t.Errorf("a message that was taken back before it came is shown: %+v", got)
		}
		if now := sh.Only(); now.Preview != "Beğenmedim" {
			t.Errorf("the preview is %q", now.Preview)
		}

		// After a day waiting changes are dropped.
		sh.Box.Write(pageID, who, wire.Incoming{ID: "m_old", Deleted: true})
		sh.Settle()
		sh.Later(25 * time.Hour)
		sh.Settle()
		if got := sh.writes(who, wire.Incoming{ID: "m_old", Text: "Geç geldi"}); got.Body != "Geç geldi" || got.ConversationID != c.ID {
			t.Errorf("a message that was taken back long ago: %+v", got)
		}
	})
}

// A page's own message that was edited before its copy came shows the edited text.
func TestCopyAfterItsChange(t *testing.T) {
	connected(t, social.Messenger, func(t *testing.T, sh *shop) {
		sh.says(elif, "Merhaba")
		at := sh.Server.Clock.Now().UnixMilli()
		call := func(m wire.Messaging) string {
			m.Sender, m.Recipient, m.Timestamp = wire.Ref{ID: pageID}, wire.Ref{ID: elif.ID}, at
			return asText(wire.Webhook{Object: wire.ObjectPage, Entry: []wire.Entry{{ID: pageID, Messaging: []wire.Messaging{m}}}})
		}
		sh.post(appSecret, call(wire.Messaging{Edit: &wire.Edit{ID: "m_page", Text: "Açığız, buyurun"}})).Want(200)
		sh.post(appSecret, call(wire.Messaging{Message: &wire.Incoming{ID: "m_page", Text: "Açığız", Echo: true}})).Want(200)
		if got := sh.Items(sh.Only().ID)[0]; got.Body != "Açığız, buyurun" || got.EditedAt == nil {
			t.Errorf("the copy is %+v", got)
		}
	})
}
