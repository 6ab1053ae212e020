package whatsapp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	channel "konak/internal/crm/channel/whatsapp"
	"konak/internal/crm/template"
	"konak/internal/kit/clock"
	"konak/internal/kit/hostile"
	"konak/internal/kit/secret"
	"konak/internal/provider/graph"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

var access = channel.Access{NumberID: "11", BusinessID: "1", Token: secret.Of("token")}

func open(t *testing.T) (*wire.Client, *sandbox.Server, *clock.Fake) {
	t.Helper()
	now := clock.NewFake(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	box := sandbox.New(now)
	box.Add(sandbox.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: "11", Display: "+90 212 123 45 67", VerifiedName: "Demo"}}})
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	t.Cleanup(box.Close)
	return wire.New(server.URL, http.DefaultTransport), box, now
}

func refusal(t *testing.T, err error, code int) *channel.Refusal {
	t.Helper()
	r, ok := errors.AsType[*channel.Refusal](err)
	if !ok || r.Code != code {
		t.Fatalf("the error is %v, want code %d", err, code)
	}
	return r
}

// A server that misbehaves costs a bounded time and memory, whichever call it answers.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *wire.Client) error{
		"send": func(ctx context.Context, c *wire.Client) error {
			_, err := c.Send(ctx, access, channel.Message{To: "905321234567", Kind: channel.KindText, Text: "a"})
			return err
		},
		"upload": func(ctx context.Context, c *wire.Client) error {
			_, err := c.Upload(ctx, access, "a.txt", "text/plain", strings.NewReader("a"))
			return err
		},
		"file": func(ctx context.Context, c *wire.Client) error {
			_, _, err := c.Download(ctx, access, "1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hostile.CallEach(t, 64<<20, func(ctx context.Context, address string) error {
				return call(ctx, wire.New(address, &http.Transport{DisableKeepAlives: true}))
			})
		})
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	c, _, _ := open(t)
	n, err := c.Number(t.Context(), access)
	if err != nil || n.VerifiedName != "Demo" {
		t.Errorf("the number is %+v, %v", n, err)
	}
	if _, err := c.Number(t.Context(), channel.Access{NumberID: "12", BusinessID: "1", Token: access.Token}); !errors.Is(err, channel.ErrNoNumber) {
		t.Errorf("another number: %v", err)
	}
	_, err = c.Number(t.Context(), channel.Access{NumberID: "11", BusinessID: "1", Token: secret.Of("old")})
	if r := refusal(t, err, 190); r.Status != 401 || r.Trace == "" || strings.Contains(err.Error(), "old") {
		t.Errorf("an old token: %+v", r)
	}
	_, err = c.Number(t.Context(), channel.Access{NumberID: "11", BusinessID: "2", Token: access.Token})
	if r := refusal(t, err, 100); r.Subcode != 33 {
		t.Errorf("another business: %+v", r)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	c, box, _ := open(t)
	id, err := c.Upload(t.Context(), access, "fatura ödendi.pdf", "application/pdf", strings.NewReader("%PDF-1.4"))
	if err != nil {
		t.Fatal(err)
	}
	kind, content, err := c.Download(t.Context(), access, id)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil || kind != "application/pdf" || string(text) != "%PDF-1.4" {
		t.Errorf("the file is %q of %s, %v", text, kind, err)
	}
	if _, _, err := c.Download(t.Context(), access, "404"); err == nil {
		t.Error("a file that is not there was downloaded")
	}
	if _, err := c.Send(t.Context(), access, channel.Message{To: "905321234567", Kind: channel.KindDocument, MediaID: id, Filename: "fatura.pdf", Text: "Ekte"}); err != nil {
		t.Error(err)
	}
	want := &wire.Media{ID: id, Caption: "Ekte", Filename: "fatura.pdf"}
	if sent := box.Sent(); len(sent) != 1 || cmp.Diff(want, sent[0].Document) != "" {
		t.Errorf("sent %+v", sent)
	}
	if err := c.MarkRead(t.Context(), access, "wamid.1"); err != nil {
		t.Error(err)
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	c, box, _ := open(t)
	tpl := template.Template{Name: "kargo", Language: "tr", Category: template.Utility, ParameterFormat: template.Named, Components: []template.Component{
		{Type: template.Body, Text: "Merhaba {{ad}}, paketiniz yolda.", Example: &template.Example{BodyNamed: []template.NamedValue{{Name: "ad", Example: "Elif"}}}},
		{Type: template.Buttons, Buttons: []template.Button{{Type: template.CopyCode, Example: []string{"KIS15"}}}},
	}}
	g, err := c.CreateTemplate(t.Context(), access, &tpl)
	if err != nil || g.Status != template.Pending || g.ProviderID == "" {
		t.Fatalf("created %+v, %v", g, err)
	}
	_, err = c.CreateTemplate(t.Context(), access, &tpl)
	if r := refusal(t, err, 100); r.Subcode != 2388024 || !strings.Contains(r.Words(), "already") {
		t.Errorf("a second one: %+v", r)
	}
	list, err := c.Templates(t.Context(), access)
	if err != nil || len(list) != 1 || list[0].Status != template.Approved || list[0].ParameterFormat != template.Named || cmp.Diff(tpl.Components, list[0].Components) != "" {
		t.Errorf("the list is %+v, %v", list, err)
	}
	use := &template.Filled{
		Name: "kargo", Language: "tr", Body: []template.Value{{Name: "ad", Text: "Elif"}},
		Buttons: []template.FilledButton{{Index: 0, Type: template.CopyCode, Value: "KIS15"}},
	}
	if _, err := c.Send(t.Context(), access, channel.Message{To: "905321234567", Kind: channel.KindTemplate, Template: use}); err != nil {
		t.Error(err)
	}
	want := []wire.TemplateComponent{
		{Type: "body", Parameters: []wire.Parameter{{Type: "text", Name: "ad", Text: "Elif"}}},
		{Type: "button", SubType: "copy_code", Index: "0", Parameters: []wire.Parameter{{Type: "coupon_code", CouponCode: "KIS15"}}},
	}
	if sent := box.Sent(); len(sent) != 1 || cmp.Diff(want, sent[0].Template.Components) != "" {
		t.Errorf("sent %+v", sent)
	}
	use.Body = nil
	_, err = c.Send(t.Context(), access, channel.Message{To: "905321234567", Kind: channel.KindTemplate, Template: use})
	refusal(t, err, 132000)
	use.Language = "en"
	_, err = c.Send(t.Context(), access, channel.Message{To: "905321234567", Kind: channel.KindTemplate, Template: use})
	refusal(t, err, 132001)
	if err := c.DeleteTemplate(t.Context(), access, "kargo"); err != nil {
		t.Error(err)
	}
	refusal(t, c.DeleteTemplate(t.Context(), access, "kargo"), 100)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	c, box, _ := open(t)
	box.Fail(429, 130429, 7)
	_, err := c.Send(t.Context(), access, channel.Message{To: "905321234567", Kind: channel.KindText, Text: "Merhaba"})
	if r := refusal(t, err, 130429); r.RetryAfter != 7*time.Second {
		t.Errorf("the refusal is %+v", r)
	}
	if _, err := c.Send(t.Context(), access, channel.Message{To: "1", Kind: channel.KindText, Text: "Merhaba"}); err == nil {
		t.Error("a message to nobody was accepted")
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	c := wire.New("", http.DefaultTransport)
	body := []byte(`{"object":"whatsapp_business_account"}`)
	good := graph.Sign("secret", body)
	for signature, want := range map[string]bool{good: true, "": false, "sha256=": false, strings.ToUpper(good): false, graph.Sign("other", body): false} {
		if got := c.Signed(secret.Of("secret"), body, signature); got != want {
			t.Errorf("%q: %v", signature, got)
		}
	}
	if c.Signed(secret.Of(""), body, graph.Sign("", body)) {
		t.Error("no secret signs nothing")
	}
}

// A webhook as Meta's reference shows them, with a field that we do not know.
func TestRead(t *testing.T) {
	t.Parallel()
	c := wire.New("", http.DefaultTransport)
	calls, err := c.Read([]byte(`{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[
		{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"11"},
			"contacts":[{"profile":{"name":"Elif"},"wa_id":"905321234567"}],
			"messages":[
				{"from":"905321234567","id":"a","timestamp":"1749416383","type":"audio","audio":{"mime_type":"audio/ogg; codecs=opus","id":"9","voice":true}},
				{"from":"905321234567","id":"b","timestamp":"1749416383","type":"contacts","contacts":[{"name":{"formatted_name":"Can"},"phones":[{"phone":"+905320000001","wa_id":"905320000001"}]}]},
				{"from":"905321234567","id":"c","timestamp":"1749416383","type":"unsupported","errors":[{"code":131051,"title":"Message type unknown"}]},
				{"from":"905321234567","id":"d","timestamp":"1749416383","type":"reaction","reaction":{"message_id":"x","emoji":""}}]}},
		{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"phone_number_id":"11"},
			"statuses":[{"id":"x","status":"failed","timestamp":"1","recipient_id":"905321234567","biz_opaque_callback_data":"mark",
				"errors":[{"code":131047,"title":"Re-engagement message","message":"Re-engagement message","error_data":{"details":"More than 24 hours."}}]}]}},
		{"field":"message_template_status_update","value":{"event":"REJECTED","message_template_id":77,"message_template_name":"kargo",
			"message_template_language":"tr","reason":"INVALID_FORMAT","rejection_info":{"reason":"Bad.","recommendation":"Do better."}}},
		{"field":"template_category_update","value":{"message_template_id":"77","message_template_name":"kargo","message_template_language":"tr","previous_category":"UTILITY","new_category":"MARKETING"}},
		{"field":"account_review_update","value":{"decision":"APPROVED"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1749416383, 0).UTC()
	in := func(r channel.Received) channel.Call {
		r.From, r.Name, r.At, r.Detail = "905321234567", "Elif", at, map[string]any{}
		return channel.Call{NumberID: "11", BusinessID: "1", Message: &r}
	}
	want := []channel.Call{
		in(channel.Received{ID: "a", Kind: "audio", MediaID: "9", MediaType: "audio/ogg; codecs=opus"}),
		in(channel.Received{ID: "b", Kind: "contacts", Text: "Can +905320000001"}),
		in(channel.Received{ID: "c", Kind: "unsupported", Unsupported: true}),
		in(channel.Received{ID: "d", Kind: "reaction", ReactTo: "x"}),
		{NumberID: "11", BusinessID: "1", Status: &channel.Status{MessageID: "x", Status: "failed", At: time.Unix(1, 0).UTC(), Mark: "mark", Error: "More than 24 hours. (131047)"}},
		{BusinessID: "1", Template: &template.Given{ProviderID: "77", Name: "kargo", Language: "tr", Status: "REJECTED", Reason: "INVALID_FORMAT", Detail: "Bad. Do better."}},
		{BusinessID: "1", Template: &template.Given{ProviderID: "77", Name: "kargo", Language: "tr", Category: "MARKETING"}},
		{BusinessID: "1"}, // signed by the provider, but with nothing for us
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Read([]byte(`[`)); err == nil {
		t.Error("no JSON was read")
	}
}
