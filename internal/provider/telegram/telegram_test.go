package telegram_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	channel "konak/internal/crm/channel/telegram"
	"konak/internal/kit/clock"
	"konak/internal/kit/hostile"
	"konak/internal/kit/secret"
	wire "konak/internal/provider/telegram"
	sandbox "konak/internal/sandbox/telegram"
)

const botID = 77

var (
	token = secret.Of("77:token")
	elif  = sandbox.Person{ID: 555, Name: "Elif"}
)

func open(t *testing.T) (*wire.Client, *sandbox.Server) {
	t.Helper()
	box := sandbox.New(clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)))
	box.Add(sandbox.Bot{ID: botID, Name: "Demo", Username: "demo_bot", Token: token.Reveal()})
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	t.Cleanup(box.Close)
	return wire.New(server.URL, http.DefaultTransport), box
}

func refusal(t *testing.T, err error, status int) *channel.Refusal {
	t.Helper()
	r, ok := errors.AsType[*channel.Refusal](err)
	if !ok || r.Status != status {
		t.Fatalf("the error is %v, want status %d", err, status)
	}
	return r
}

func TestBotAndWebhook(t *testing.T) {
	t.Parallel()
	c, box := open(t)
	b, err := c.Bot(t.Context(), token)
	if err != nil || b != (channel.Bot{ID: botID, Name: "Demo", Username: "demo_bot"}) {
		t.Errorf("the bot is %+v, %v", b, err)
	}
	_, err = c.Bot(t.Context(), secret.Of("77:old"))
	if refusal(t, err, 401); strings.Contains(err.Error(), "old") {
		t.Errorf("the error shows the token: %v", err)
	}
	if err := c.SetWebhook(t.Context(), token, "http://127.0.0.1:1/x", "geheim_1"); err != nil {
		t.Error(err)
	}
	if address, key := box.Webhook(botID); address != "http://127.0.0.1:1/x" || key != "geheim_1" {
		t.Errorf("registered %s with %s", address, key)
	}
	refusal(t, c.SetWebhook(t.Context(), token, "http://127.0.0.1:1/x", "ğ"), 400)
	_, err = c.Updates(t.Context(), token, 0, 0)
	refusal(t, err, 409)
	if err := c.DeleteWebhook(t.Context(), token); err != nil {
		t.Error(err)
	}
	box.Say(botID, elif, "bir")
	box.Say(botID, elif, "iki")
	if w, err := c.Webhook(t.Context(), token); err != nil || w.URL != "" || w.Pending != 2 {
		t.Errorf("the webhook is %+v, %v", w, err)
	}
	list, err := c.Updates(t.Context(), token, 0, 0)
	if err != nil || len(list) != 2 || list[1].Message.Text != "iki" || list[1].Message.Customer.ID != elif.ID || !list[1].Message.Private {
		t.Fatalf("the updates are %+v, %v", list, err)
	}
	if list, err = c.Updates(t.Context(), token, list[1].ID, 0); err != nil || len(list) != 1 {
		t.Errorf("from the second on: %+v, %v", list, err)
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	c, box := open(t)
	_, err := c.Send(t.Context(), token, channel.Message{Chat: "555", Text: "Merhaba"})
	if r := refusal(t, err, 400); !strings.Contains(r.Text, "chat not found") {
		t.Errorf("a chat that nobody began: %+v", r)
	}
	box.Say(botID, elif, "Merhaba")
	file := func(kind, name string) channel.OutgoingFile {
		return channel.OutgoingFile{Name: name, Kind: kind, Content: strings.NewReader("içerik")}
	}
	for _, tc := range []struct {
		method string
		m      channel.Message
	}{
		{"sendMessage", channel.Message{Text: "Merhaba", Buttons: []channel.Button{{Text: "Evet", Data: "e"}}}},
		{"sendPhoto", channel.Message{Files: []channel.OutgoingFile{file(channel.KindPhoto, "a.png")}}},
		{"sendVideo", channel.Message{Files: []channel.OutgoingFile{file(channel.KindVideo, "a.mp4")}}},
		{"sendAudio", channel.Message{Files: []channel.OutgoingFile{file(channel.KindAudio, "a.mp3")}}},
		{"sendVoice", channel.Message{Files: []channel.OutgoingFile{file(channel.KindVoice, "a.ogg")}}},
		{"sendDocument", channel.Message{Text: "Ekte", Files: []channel.OutgoingFile{file(channel.KindDocument, "fatura ödendi.pdf")}}},
		{"sendMediaGroup", channel.Message{Text: "Albüm", Files: []channel.OutgoingFile{file(channel.KindPhoto, "a.png"), file(channel.KindVideo, "b.mp4")}}},
	} {
		tc.m.Chat = "555"
		ids, err := c.Send(t.Context(), token, tc.m)
		if err != nil {
			t.Errorf("%s: %v", tc.method, err)
			continue
		}
		sent := box.Sent(botID)
		if len(sent) != max(1, len(tc.m.Files)) || len(ids) != len(sent) || ids[0] != sent[0].MessageID || sent[0].Method != tc.method || sent[0].Text != tc.m.Text || len(sent[0].Buttons) != len(tc.m.Buttons) {
			t.Errorf("%s: sent %+v as %v", tc.method, sent, ids)
			continue
		}
		for i, f := range tc.m.Files {
			if got := sent[i].Files[0]; got.Kind != f.Kind || got.Name != f.Name || got.Size != int64(len("içerik")) {
				t.Errorf("%s: the file is %+v", tc.method, got)
			}
		}
	}
	if err := c.React(t.Context(), token, "555", 3, "👍"); err != nil {
		t.Error(err)
	}
	refusal(t, c.React(t.Context(), token, "555", 3, "😂"), 400)
	if err := c.AnswerButton(t.Context(), token, "9"); err != nil || len(box.Answered(botID)) != 1 {
		t.Errorf("answered %v, %v", box.Answered(botID), err)
	}
	box.Fail("sendMessage", 429, "Too Many Requests: retry after 7", 7)
	_, err = c.Send(t.Context(), token, channel.Message{Chat: "555", Text: "Merhaba"})
	if r := refusal(t, err, 429); r.RetryAfter != 7*time.Second {
		t.Errorf("the refusal is %+v", r)
	}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	c, box := open(t)
	content, err := c.Download(t.Context(), token, box.File([]byte("bytes")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil || string(text) != "bytes" {
		t.Errorf("the file is %q, %v", text, err)
	}
	_, err = c.Download(t.Context(), token, box.File(make([]byte, 20<<20+1)))
	if r := refusal(t, err, 400); !strings.Contains(r.Text, "too big") {
		t.Errorf("a huge file: %+v", r)
	}
	_, err = c.Download(t.Context(), token, "none")
	refusal(t, err, 400)
}

// Whatever a peer does, a call ends with its context and reads no more than the limit of an
// answer.
func TestHostilePeers(t *testing.T) {
	t.Parallel()
	hostile.CallEach(t, 64<<20, func(ctx context.Context, address string) error {
		_, err := wire.New(address, &http.Transport{DisableKeepAlives: true}).Bot(ctx, token)
		return err
	})
}
