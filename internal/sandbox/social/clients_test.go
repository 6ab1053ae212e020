package social_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/tooltest"
	"konak/internal/sandbox/social"
)

// A third-party client for Messenger works with the stand-in as with Meta. No stock client
// of Instagram is known.
func TestMessengerClient(t *testing.T) {
	t.Parallel()
	s := social.New(clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)))
	t.Cleanup(s.Close)
	s.Add(social.Page{ID: "109", Name: "Demo A.Ş.", AppID: "7", Token: "token"})
	s.Say("109", social.Person{ID: "4711", Name: "Elif Kaya"}, "Merhaba")
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	var got map[string]any
	out := tooltest.RunNode(t, "../../..", "messaging-api-messenger", "testdata/messenger.cjs", server.URL, "token", "4711")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"page": "Demo A.Ş.", "profile": "Elif Kaya", "sent": "4711", "unknown": 100.0, "wrongToken": 190.0}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it understood %v, want %v", got, want)
	}
	sent := s.Sent("109")
	if len(sent) != 5 {
		t.Fatalf("sent %+v", sent)
	}
	if sent[0].Message.Text != "Merhaba" || sent[1].Message.QuickReplies[0].Payload != "refund" || sent[2].File.Name != "a.png" ||
		sent[3].Message.Attachment.Payload.URL != "https://example.com/b.png" || sent[4].Message.Attachment.Payload.TemplateType != "button" {
		t.Errorf("sent %+v", sent)
	}
	if seen := s.Seen("109"); len(seen) != 1 {
		t.Errorf("seen %v", seen)
	}
}
