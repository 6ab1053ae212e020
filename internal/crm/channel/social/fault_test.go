package social_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/social"
	wire "konak/internal/provider/social"
	sandbox "konak/internal/sandbox/social"
)

// faults returns the faults for a kind, whose account the provider calls by this name.
func (sh *shop) faults(who sandbox.Person, object, account string) apptest.Faults {
	return apptest.Faults{
		Say:   func(text string) { sh.says(who, text) },
		Sends: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/messages") },
		Sent: func() (out []string) {
			for _, m := range sh.Box.Sent(pageID) {
				out = append(out, m.Message.Text)
			}
			return out
		},
		Busy:         apptest.BusyGraph,
		SilentReason: channel.ProviderUnreachable,
		SendPicture: func(content []byte) {
			var a wire.Attachment
			a.Type, a.Payload.URL = "image", sh.Box.File(sh.Provider, "image/png", content)
			sh.Box.Write(pageID, who, wire.Incoming{Attachments: []wire.Attachment{a}})
		},
		Fetches: func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/sandbox/social/") },
		Post: func(m apptest.PostedMessage, proved bool) int {
			key := "guessed"
			if proved {
				key = appSecret
			}
			return sh.post(key, asText(wire.Webhook{Object: object, Entry: []wire.Entry{{ID: account, Messaging: []wire.Messaging{{
				Sender: wire.Ref{ID: who.ID}, Recipient: wire.Ref{ID: account}, Timestamp: m.At.UnixMilli(), Message: &wire.Incoming{ID: fmt.Sprint("m_", m.Number), Text: m.Text},
			}}}}})).Status
		},
		Unproved: http.StatusNotFound,
	}
}

// eachKind runs a test on both kinds.
func eachKind(t *testing.T, fn func(t *testing.T, sh *shop, f apptest.Faults)) {
	t.Helper()
	t.Run(social.Messenger, func(t *testing.T) {
		connected(t, social.Messenger, func(t *testing.T, sh *shop) { fn(t, sh, sh.faults(elif, wire.ObjectPage, pageID)) })
	})
	t.Run(social.Instagram, func(t *testing.T) {
		connected(t, social.Instagram, func(t *testing.T, sh *shop) { fn(t, sh, sh.faults(ayse, wire.ObjectInstagram, "ig1")) })
	})
}

func TestFaults(t *testing.T) {
	eachKind(t, func(t *testing.T, sh *shop, f apptest.Faults) {
		sh.MeetFaults(f, picture(t))
	})
}

func TestPostFaults(t *testing.T) {
	eachKind(t, func(_ *testing.T, sh *shop, f apptest.Faults) { sh.MeetPostFaults(f) })
}
