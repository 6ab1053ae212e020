package widget_test

import (
	"regexp"
	"strings"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel/widget"
	"konak/internal/crm/conversation"
)

// A visitor without a name gets one that agents can distinguish, and their browser's
// details are shown to those who may see the conversation.
func TestVisitorInfo(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		c := open(t, s, nil)
		page := s.Client("").Header("Origin", site).Header("User-Agent", "Mozilla/5.0 (X11; Linux) Firefox/143.0 "+strings.Repeat("ş", 300))
		var in widget.Session
		page.Post(c.path("/session"), map[string]any{"language": "tr", "page": site + "/a"}).Want(200).Data(&in)
		v := s.Client(*in.Token).Header("Origin", site)
		var out widget.Written
		v.Post(c.path("/messages"), map[string]any{"body": "Merhaba", "page": site + "/b"}).Want(200).Data(&out)
		var chat conversation.Conversation
		c.Owner.Get(conversations + "/" + out.Session.ConversationID.String()).Want(200).Data(&chat)
		if !regexp.MustCompile(`^Ziyaretçi \pL+ \pL+$`).MatchString(chat.ContactName) {
			t.Errorf("the visitor is called %q", chat.ContactName)
		}
		path := channels + "/widget/visitors/" + chat.ID.String()
		var got widget.VisitorInfo
		c.Owner.Get(path).Want(200).Data(&got)
		if got.Page != site+"/b" || got.Origin != site || got.Language != "tr" || !strings.HasPrefix(got.Browser, "Mozilla/5.0 (X11; Linux) Firefox") || len(got.Browser) > 400 {
			t.Errorf("got %+v", got)
		}
		if strings.Contains(got.Browser, "\uFFFD") {
			t.Errorf("a letter was cut in two: %q", got.Browser)
		}
		s.Workspace("other").Owner.Get(path).Refused(404, "not_found")
		c.Guest().Get(path).Refused(403, "forbidden")
	})
}
