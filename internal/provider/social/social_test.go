package social_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	channel "konak/internal/crm/channel/social"
	"konak/internal/kit/clock"
	"konak/internal/kit/hostile"
	"konak/internal/kit/secret"
	wire "konak/internal/provider/social"
	sandbox "konak/internal/sandbox/social"
)

var access = channel.Access{Kind: channel.Messenger, PageID: "1", Token: secret.Of("token")}

func open(t *testing.T) (*wire.Client, *sandbox.Server, string) {
	t.Helper()
	box := sandbox.New(clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)))
	box.AddApp(sandbox.App{ID: "4711", Secret: "secret"})
	box.Add(sandbox.Page{ID: "1", Name: "Demo", Token: "token", InstagramID: "ig1", Username: "demo", AppID: "4711"})
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	t.Cleanup(box.Close)
	return wire.New(server.URL, http.DefaultTransport, http.DefaultTransport), box, server.URL
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	if r, ok := errors.AsType[*channel.Refusal](err); !ok || r.Code != code || strings.Contains(err.Error(), "token") && strings.Contains(err.Error(), "wrong") {
		t.Errorf("the error is %v, want code %d", err, code)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t)
	p, err := c.Page(t.Context(), access)
	if err != nil || p != (channel.Page{ID: "1", Name: "Demo", InstagramID: "ig1", Username: "demo", AppID: "4711"}) {
		t.Errorf("the page is %+v, %v", p, err)
	}
	_, err = c.Page(t.Context(), channel.Access{PageID: "1", Token: secret.Of("wrong")})
	wantCode(t, err, 190)
	_, err = c.Page(t.Context(), channel.Access{PageID: "404", Token: access.Token})
	wantCode(t, err, 100)
}

func TestSend(t *testing.T) {
	t.Parallel()
	c, box, _ := open(t)
	_, err := c.Send(t.Context(), access, channel.Message{To: "5", Text: "Merhaba"})
	wantCode(t, err, 100)
	box.Say("1", sandbox.Person{ID: "5", Name: "Elif"}, "Merhaba")
	id, err := c.Send(t.Context(), access, channel.Message{To: "5", Text: "Buyurun", Human: true, Mark: "mark", Choices: []channel.Choice{{Text: "Evet", Data: "YES"}}})
	if err != nil || id == "" {
		t.Fatalf("sent as %q, %v", id, err)
	}
	file, err := c.Upload(t.Context(), access, channel.OutgoingFile{Name: "fatura ödendi.pdf", Type: "application/pdf", Kind: channel.FileOther, Content: strings.NewReader("%PDF")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), access, channel.Message{To: "5", AttachmentID: file, FileKind: channel.FileOther}); err != nil {
		t.Fatal(err)
	}
	sent := box.Sent("1")
	if m := sent[0]; m.Tag != wire.TagHuman || m.Message.Metadata != "mark" || m.Message.QuickReplies[0].Payload != "YES" {
		t.Errorf("the text was sent as %+v", m)
	}
	if f := sent[1].File; f.Name != "fatura ödendi.pdf" || string(f.Content) != "%PDF" {
		t.Errorf("the file was sent as %+v", f)
	}
	who, err := c.Profile(t.Context(), access, "5")
	if err != nil || who.Name != "Elif" {
		t.Errorf("the customer is %+v, %v", who, err)
	}
}

// The address of a file gets no token, wherever it leads.
func TestDownloadSendsNoToken(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t)
	var header http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		w.Header().Set("Content-Type", "image/png")
		_, _ = io.WriteString(w, "content")
	}))
	defer other.Close()
	kind, content, err := c.Download(t.Context(), other.URL+"/a.png")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil || kind != "image/png" || string(text) != "content" || header.Get("Authorization") != "" {
		t.Errorf("the file is %q of %s with %v, %v", text, kind, header, err)
	}
	for _, address := range []string{"file:///etc/passwd", "//host/a", "", "ftp://host/a"} {
		if _, _, err := c.Download(t.Context(), address); err == nil {
			t.Errorf("%q was opened", address)
		}
	}
}

// A server that misbehaves costs a bounded time and memory.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	hostile.CallEach(t, 64<<20, func(ctx context.Context, address string) error {
		_, err := wire.New(address, &http.Transport{DisableKeepAlives: true}, nil).Send(ctx, access, channel.Message{To: "5", Text: "a"})
		return err
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t)
	for _, text := range []string{"", "{", `{"object":"user"}`, `[]`, `{"object":"page","entry":"x"}`} {
		if _, err := c.Read([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	got, err := c.Read([]byte(`{"object":"page","entry":[{"id":"1","time":5,"changes":[]},{"id":"1","messaging":[{"sender":{"id":"5"},"timestamp":1000,
		"message":{"mid":"m","is_echo":true,"app_id":4711,"text":"a"},"unknown":{}},{"sender":{"id":"5"},"postback":{"payload":"GO"},"timestamp":7}]}]}`))
	if err != nil || len(got) != 3 {
		t.Fatalf("%d events, %v", len(got), err)
	}
	if m := got[1].Message; !m.OfPage || m.AppID != "4711" || !got[1].At.Equal(time.UnixMilli(1000)) {
		t.Errorf("the copy is %+v", m)
	}
	if m := got[2].Message; m.ID != "postback/5/7" || m.Text != "GO" {
		t.Errorf("the button is %+v", m)
	}
}
