package whatsapp_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/reply"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

func (sh *shop) template(id uuid.UUID) (t template.Template) {
	sh.T.Helper()
	sh.Owner.Get(templates + "/" + id.String()).Want(200).Data(&t)
	return t
}

func (sh *shop) templates(query string) (out []template.Template) {
	sh.T.Helper()
	sh.Owner.Get(templates + "?limit=100" + query).Want(200).Data(&out)
	return out
}

func (sh *shop) patch(t template.Template, text string) *apptest.Response {
	sh.T.Helper()
	return sh.Owner.Do("PATCH", templates+"/"+t.ID.String(), map[string]any{"components": []any{map[string]any{"type": "BODY", "text": text}}})
}

func TestTemplateReview(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		var made template.Template
		sh.Owner.Post(templates, sh.parcelNews("stays_pending")).Want(201).Data(&made)
		if made.Status != template.Pending || made.Sendable || made.Editable || made.ProviderID == nil {
			t.Errorf("a new template: %+v", made)
		}
		sh.patch(made, "Başka bir metin.").Refused(409, "template_locked")
		made = sh.approved("kargo_bilgisi")
		if !made.Sendable || len(made.Variables.Body) != 2 {
			t.Errorf("a reviewed template: %+v", made)
		}
		var rejected template.Template
		sh.Owner.Post(templates, sh.parcelNews("reject_me")).Want(201).Data(&rejected)
		sh.Settle()
		rejected = sh.template(rejected.ID)
		if rejected.Status != template.Rejected || rejected.Reason == nil || *rejected.Reason != "INVALID_FORMAT" || rejected.Sendable || !rejected.Editable {
			t.Errorf("a rejected template: %+v", rejected)
		}
		sh.Owner.Post(templates, sh.parcelNews("kargo_bilgisi")).Refused(409, "conflict")

		// The provider changes its mind on its own.
		sh.Box.Decide(businessID, "kargo_bilgisi", "tr", "PAUSED", map[string]any{"reason": "NONE", "other_info": map[string]any{
			"title": "FIRST_PAUSE", "description": "Paused for 3 hours.",
		}})
		sh.Box.Rate(businessID, "kargo_bilgisi", "tr", "RED")
		sh.Settle()
		made = sh.template(made.ID)
		if made.Status != template.Paused || made.Detail == nil || !strings.Contains(*made.Detail, "FIRST_PAUSE") || made.Quality != "RED" || made.Sendable || made.Reason != nil {
			t.Errorf("a paused template: %+v", made)
		}
		sh.Box.Decide(businessID, "kargo_bilgisi", "tr", "REINSTATED", nil)
		sh.Settle()
		if made = sh.template(made.ID); made.Status != template.Approved || !made.Sendable || made.Detail != nil {
			t.Errorf("a template that is back: %+v", made)
		}
		sh.Box.Decide(businessID, "kargo_bilgisi", "tr", "FLAGGED", nil)
		sh.Settle()
		if made = sh.template(made.ID); !made.Sendable || made.Editable {
			t.Errorf("a flagged template: %+v", made)
		}
		sh.Box.Decide(businessID, "kargo_bilgisi", "tr", "DISABLED", map[string]any{"reason": "NONE"})
		sh.Settle()
		sh.Owner.Delete(templates+"/"+made.ID.String()).Refused(409, "template_locked")
		sh.patch(made, "Başka bir metin.").Refused(409, "template_locked")
		if !slices.Contains(sh.Events(), template.StatusChanged) {
			t.Error("nobody was told")
		}
	})
}

func TestTemplateFields(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		body := func(text string, samples ...string) map[string]any {
			c := map[string]any{"type": "BODY", "text": text}
			if len(samples) > 0 {
				c["example"] = map[string]any{"body_text": [][]string{samples}}
			}
			return c
		}
		good := body("Merhaba, siparişiniz yolda.")
		buttons := func(list ...any) map[string]any { return map[string]any{"type": "BUTTONS", "buttons": list} }
		for field, parts := range map[string][]any{
			"components":                          {map[string]any{"type": "FOOTER", "text": "Demo"}},
			"components.0.example":                {body("Merhaba {{1}}, hoş geldiniz.")},
			"components.0.text":                   {body("{{1}} hoş geldiniz.", "Elif")},
			"components.1.type":                   {good, good},
			"components.1.format":                 {good, map[string]any{"type": "HEADER"}},
			"components.1.text":                   {good, map[string]any{"type": "HEADER", "format": "TEXT", "text": strings.Repeat("a", 61)}},
			"components.1.example.header_handle":  {good, map[string]any{"type": "HEADER", "format": "IMAGE"}},
			"components.1.buttons.0.url":          {good, buttons(map[string]any{"type": "URL", "text": "Aç", "url": "ftp://x"})},
			"components.1.buttons.0.example":      {good, buttons(map[string]any{"type": "URL", "text": "Aç", "url": "https://demo.example/{{1}}"})},
			"components.1.buttons.0.phone_number": {good, buttons(map[string]any{"type": "PHONE_NUMBER", "text": "Ara"})},
			"components.1.buttons.0.type":         {good, buttons(map[string]any{"type": "OTP", "text": "Kod"})},
			"components.1.buttons":                {good, buttons(map[string]any{"type": "PHONE_NUMBER", "text": "Ara", "phone_number": "1"}, map[string]any{"type": "PHONE_NUMBER", "text": "Ara", "phone_number": "2"})},
		} {
			in := sh.parcelNews("bir_ad")
			in["components"] = parts
			if f := sh.Owner.Post(templates, in).Refused(422, "validation_failed"); f.Fields[field] == nil {
				t.Errorf("%s: %v", field, f.Fields)
			}
		}
		for field, value := range map[string]any{"name": "Büyük Harf", "language": "Türkçe", "channel_account_id": uuid.New()} {
			in := sh.parcelNews("bir_ad")
			in[field] = value
			if f := sh.Owner.Post(templates, in).Refused(422, "validation_failed"); f.Fields[field] == nil {
				t.Errorf("%s: %v", field, f.Fields)
			}
		}
		if list := sh.templates(""); len(list) != 0 {
			t.Errorf("a refused template was kept: %v", list)
		}
	})
}

// The provider's own refusal is reported in its words, and nothing remains.
func TestTemplateRefused(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		in := sh.parcelNews("resimli")
		in["components"] = []any{
			map[string]any{"type": "HEADER", "format": "IMAGE", "example": map[string]any{"header_handle": []string{"made up"}}},
			map[string]any{"type": "BODY", "text": "Yeni ürünümüz burada."},
		}
		if f := sh.Owner.Post(templates, in).Refused(422, "template_rejected"); !strings.Contains(f.Reason, "header handle") {
			t.Errorf("the refusal: %+v", f)
		}
		if list := sh.templates(""); len(list) != 0 {
			t.Errorf("it was kept: %v", list)
		}
		// If a category can no longer change, the template stays as it was.
		made := sh.approved("kargo_bilgisi")
		sh.Owner.Do("PATCH", templates+"/"+made.ID.String(), map[string]any{"category": "MARKETING"}).Refused(422, "template_rejected")
		if now := sh.template(made.ID); now.Status != template.Approved || now.Category != template.Utility || !now.Editable {
			t.Errorf("it became %+v", now)
		}
	})
}

// A template that is deleted here while the provider accepts it is also deleted at the
// provider, unless another language of its name is kept.
func TestTemplateDeletedMeanwhile(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		for name, kept := range map[string]bool{"tek_dil": false, "iki_dil": true} {
			if kept {
				sh.approved(name)
			}
			english := sh.parcelNews(name)
			english["language"] = "en"
			var once sync.Once
			before := func(r *http.Request) {
				if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/message_templates") {
					once.Do(func() { sh.forgetTemplate(name, "en") })
				}
			}
			sh.Before.Store(&before)
			sh.Owner.Post(templates, english).Refused(409, "conflict")
			sh.Before.Store(nil)
			sh.Settle()
			sh.Owner.Post(templates+"/sync", nil).Want(200)
			want := 0
			if kept {
				want = 2
			}
			list := slices.DeleteFunc(sh.templates(""), func(t template.Template) bool { return t.Name != name })
			if len(list) != want {
				t.Errorf("%s: the provider has %+v", name, list)
			}
		}
	})
}

// forgetTemplate deletes a template here, but not at the provider.
func (sh *shop) forgetTemplate(name, language string) {
	sh.T.Helper()
	err := sh.Server.DB.Tenant(sh.Workspace.ID).InTx(sh.T.Context(), func(tx *db.Tx) error {
		return tx.Exec(`DELETE FROM message_template WHERE tenant_id = $1 AND name = $2 AND language = $3`, tx.Tenant(), name, language)
	})
	if err != nil {
		sh.T.Error(err)
	}
}

func TestSampleMedia(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		raw := sh.Owner.Header("Content-Type", "application/octet-stream")
		at := templates + "/media?channel_account_id=" + sh.Account.ID.String() + "&filename=" + url.QueryEscape("ürün.png")
		var h template.Handle
		raw.Post(at, string(picture(t))).Want(200).Data(&h)
		if h.HeaderHandle == "" {
			t.Fatal("no handle")
		}
		raw.Post(at, "just words").Refused(422, "validation_failed")
		raw.Post(at, "").Refused(422, "validation_failed")
		raw.Post(at, strings.Repeat("x", template.MaxSample+1)).Refused(413, "body_too_large")
		raw.Post(templates+"/media?filename=a.png&channel_account_id="+uuid.NewString(), string(picture(t))).Refused(422, "validation_failed")
		in := sh.parcelNews("resimli")
		in["components"] = []any{
			map[string]any{"type": "HEADER", "format": "IMAGE", "example": map[string]any{"header_handle": []string{h.HeaderHandle}}},
			map[string]any{"type": "BODY", "text": "Yeni ürünümüz burada."},
		}
		var made template.Template
		sh.Owner.Post(templates, in).Want(201).Data(&made)
		if made.Variables.HeaderMedia != "IMAGE" {
			t.Errorf("it wants %+v", made.Variables)
		}
	})
}

func TestDraft(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		in := sh.parcelNews("taslak")
		in["draft"] = true
		var draft template.Template
		sh.Owner.Post(templates, in).Want(201).Data(&draft)
		if draft.Status != template.Draft || draft.ProviderID != nil || !draft.Editable {
			t.Errorf("the draft is %+v", draft)
		}
		for range 3 { // drafts have no limits
			sh.patch(draft, "Yeni metin burada.").Want(200)
		}
		sh.Owner.Do("PATCH", templates+"/"+draft.ID.String(), map[string]any{"submit": true}).Want(200)
		sh.Settle()
		if got := sh.template(draft.ID); got.Status != template.Approved || got.ProviderID == nil || got.Components[0].Text != "Yeni metin burada." {
			t.Errorf("submitted: %+v", got)
		}
		in["name"] = "taslak_iki"
		sh.Owner.Post(templates, in).Want(201).Data(&draft)
		sh.Owner.Delete(templates + "/" + draft.ID.String()).Want(200)
		sh.Owner.Post(templates, in).Want(201) // a draft's name is not barred
	})
}

// An approved template can be edited once a day and ten times in thirty days.
func TestEditLimits(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		made := sh.approved("kargo_bilgisi")
		for n := range 10 {
			sh.patch(made, fmt.Sprintf("Metin %d burada.", n)).Want(200)
			sh.Settle()
			sh.Later(23 * time.Hour)
			sh.patch(made, "Çok erken oldu.").Refused(409, "template_edit_limit")
			sh.Later(time.Hour)
		}
		if f := sh.patch(made, "On birinci kez.").Refused(409, "template_edit_limit"); f.Reason == "" {
			t.Error("it does not say until when")
		}
		now := sh.template(made.ID)
		if now.Editable || now.EditableAt == nil || !now.EditableAt.Equal(made.CreatedAt.Add(30*24*time.Hour)) {
			t.Errorf("editable: %+v", now.EditableAt)
		}
		sh.Later(20 * 24 * time.Hour)
		sh.patch(made, "Otuz gün sonra.").Want(200)
	})
}

// All languages of a name are deleted, and the name is barred for four weeks.
func TestDeleteTemplate(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		made := sh.approved("kargo_bilgisi")
		english := sh.parcelNews("kargo_bilgisi")
		english["language"] = "en"
		sh.Owner.Post(templates, english).Want(201)
		sh.Settle()
		sh.Owner.Delete(templates + "/" + made.ID.String()).Want(200)
		if list := sh.templates(""); len(list) != 0 {
			t.Errorf("left: %v", list)
		}
		sh.Owner.Delete(templates+"/"+made.ID.String()).Refused(404, "not_found")
		sh.Owner.Post(templates, english).Refused(409, "name_barred")
		sh.Later(28*24*time.Hour - time.Second)
		sh.Owner.Post(templates, english).Refused(409, "name_barred")
		sh.Later(time.Second)
		// Now the provider refuses, because it bars the name a little longer.
		sh.Owner.Post(templates, english).Refused(422, "template_rejected")
		sh.Later(3 * 24 * time.Hour)
		sh.Owner.Post(templates, english).Want(201)
	})
}

// A sync makes the list match the provider's, page by page.
func TestSync(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		for n := range 103 {
			sh.Owner.Post(templates, sh.parcelNews(fmt.Sprintf("sablon_%03d", n))).Want(201)
		}
		sh.Settle()
		gone := sh.templates("&q=sablon_007")[0]
		in := sh.parcelNews("taslak")
		in["draft"] = true
		sh.Owner.Post(templates, in).Want(201)
		// The other workspace reads what this one submitted.
		other := &shop{Shop: sh.Another()}
		other.connect(nil).Want(201).Data(&other.Account)
		if list := other.templates(""); len(list) != 100 {
			t.Errorf("%d on the first page", len(list))
		}
		sh.Server.Clock.Advance(time.Minute)
		other.Owner.Delete(templates + "/" + other.templates("&q=sablon_007")[0].ID.String()).Want(200)
		var found template.Synced
		sh.Owner.Post(templates+"/sync", nil).Want(200).Data(&found)
		if found != (template.Synced{Removed: 1, Total: 102}) {
			t.Errorf("found %+v", found)
		}
		sh.Owner.Get(templates+"/"+gone.ID.String()).Refused(404, "not_found")
		if list := sh.templates("&status=DRAFT"); len(list) != 1 {
			t.Errorf("the draft is gone: %v", list)
		}
		sh.Owner.Post(templates+"/sync", map[string]any{}).Want(200)
		sh.Owner.Post(templates+"/sync", map[string]any{"channel_account_id": uuid.New()}).Refused(422, "validation_failed")
		for query, want := range map[string]int{"&language=tr": 100, "&language=en": 0, "&category=MARKETING": 0, "&q=sablon_01": 10, "&q=%25": 0, "&channel_account_id=" + sh.Account.ID.String(): 100} {
			if n := len(sh.templates(query)); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		first := sh.Owner.Get(templates + "?limit=60").Want(200)
		var rest []template.Template
		sh.Owner.Get(templates + "?limit=60&cursor=" + first.NextCursor()).Want(200).Data(&rest)
		if len(rest) != 43 {
			t.Errorf("the second page has %d", len(rest))
		}
	})
}

func (sh *shop) send(c uuid.UUID, use map[string]any) (out reply.SentTemplate) {
	sh.T.Helper()
	sh.Owner.Post(conversations+"/"+c.String()+"/messages", use).Want(200).Data(&out)
	return out
}

func TestSendTemplateIntoConversation(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		sh.says("Merhaba")
		c := sh.Only()
		var choice reply.ChatTemplates
		sh.Owner.Get(conversations + "/" + c.ID.String() + "/chat-templates").Want(200).Data(&choice)
		if !choice.WindowOpen || len(choice.Templates) != 1 {
			t.Errorf("the choice is %+v", choice)
		}
		sh.Later(48 * time.Hour) // templates need no window
		use := map[string]any{"template_id": news.ID, "body": []string{"Elif", "4711"}}
		sent := sh.send(c.ID, use)
		if sent.Delivery != conversation.Sent || sent.Item.V == nil || sent.Item.V.Body != "Merhaba Elif, 4711 numaralı siparişiniz yola çıktı.\n\nDemo A.Ş." || sent.Item.V.Template.V.Name != "kargo_bilgisi" {
			t.Errorf("sent: %+v", sent)
		}
		out := sh.Box.Sent()
		if len(out) != 1 || out[0].Template == nil || out[0].Template.Name != "kargo_bilgisi" || len(out[0].Template.Components[0].Parameters) != 2 {
			t.Errorf("the provider got %+v", out)
		}
		// The job behind it has nothing left to do.
		sh.Server.Clock.Advance(5 * time.Minute)
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 0 {
			t.Errorf("sent again: %+v", out)
		}
		// A wrong request is an error.
		at := conversations + "/" + c.ID.String() + "/messages"
		for field, wrong := range map[string]map[string]any{
			"body.1":       {"template_id": news.ID, "body": []string{"Elif"}},
			"body":         {"template_id": news.ID, "body": []string{"Elif", "4711", "x"}},
			"body.0":       {"template_id": news.ID, "body": []string{"Elif\nKaya", "4711"}},
			"header_media": {"template_id": news.ID, "body": []string{"Elif", "4711"}, "header_media": "https://x.example/a.png"},
			"buttons":      {"template_id": news.ID, "body": []string{"Elif", "4711"}, "buttons": []any{map[string]any{"index": 0, "value": "1"}}},
			"template_id":  {"template_id": uuid.New(), "body": []string{}},
		} {
			if f := sh.Owner.Post(at, wrong).Refused(422, "validation_failed"); f.Fields[field] == nil {
				t.Errorf("%s: %v", field, f.Fields)
			}
		}
		// A failure to send it is not.
		sh.Box.Fail(400, 132015, 0)
		if got := sh.send(c.ID, use); got.Delivery != conversation.Failed || got.Error == nil || !strings.Contains(*got.Error, "132015") {
			t.Errorf("refused: %+v", got)
		} else {
			sh.Owner.Post(conversations+"/"+c.ID.String()+"/items/"+got.Item.V.ID.String()+"/retry", nil).Want(200)
			sh.Settle()
			if out := sh.Box.Sent(); len(out) != 1 || out[0].Template == nil {
				t.Errorf("a retried template went out as %+v", out)
			}
		}
		sh.Box.Fail(503, 131016, 0)
		if got := sh.send(c.ID, use); got.Delivery != conversation.Queued {
			t.Errorf("a busy provider: %+v", got)
		}
		sh.Server.Clock.Advance(3 * time.Minute)
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 1 {
			t.Errorf("after a busy provider: %+v", out)
		}
		sh.Box.Decide(businessID, "kargo_bilgisi", "tr", "PAUSED", nil)
		sh.Settle()
		if got := sh.send(c.ID, use); got.Delivery != conversation.Failed || *got.Error != reply.TemplateNotSendable || got.Item.V != nil {
			t.Errorf("paused: %+v", got)
		}
	})
}

func TestSendTemplateToSomebody(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		use := func(more map[string]any) map[string]any {
			out := map[string]any{"template_id": news.ID, "body": []string{"Elif", "4711"}}
			for k, v := range more {
				out[k] = v
			}
			return out
		}
		var sent reply.SentTemplate
		sh.Owner.Post(channels+"/send-template", use(map[string]any{"phone": "+90 532 123 45 67", "name": "Elif Kaya"})).Want(200).Data(&sent)
		if sent.Delivery != conversation.Sent || sent.Conversation.V == nil || sent.Conversation.V.ContactName != "Elif Kaya" {
			t.Fatalf("sent: %+v", sent)
		}
		if out := sh.Box.Sent(); len(out) != 1 || out[0].To != elif.ID {
			t.Errorf("the provider got %+v", out)
		}
		// Her answer comes into the same conversation.
		sh.says("Teşekkürler")
		if c := sh.Only(); c.ID != sent.Conversation.V.ID {
			t.Error("the answer began another conversation")
		}
		for field, wrong := range map[string]map[string]any{
			"phone": use(map[string]any{"phone": "12"}), "contact_id": use(nil), "template_id": {"template_id": uuid.New(), "phone": "+905321234567"},
		} {
			if f := sh.Owner.Post(channels+"/send-template", wrong).Refused(422, "validation_failed"); f.Fields[field] == nil {
				t.Errorf("%s: %v", field, f.Fields)
			}
		}
		if f := sh.Owner.Post(channels+"/send-template", use(map[string]any{"contact_id": uuid.New()})).Refused(422, "validation_failed"); f.Fields["contact_id"] == nil {
			t.Errorf("an unknown contact: %v", f.Fields)
		}
		// A number that nobody has is accepted first and fails later.
		lost := sh.customer("+905321230000")
		sh.Owner.Post(channels+"/send-template", use(map[string]any{"contact_id": lost.ID})).Want(200).Data(&sent)
		sh.Settle()
		if got := sh.Item(sent.Conversation.V.ID, sent.Item.V.ID); apptest.DeliveryOf(got) != conversation.Failed || !strings.Contains(*got.DeliveryError, "131026") {
			t.Errorf("the lost one: %+v", got)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Owner.Post(channels+"/send-template", use(map[string]any{"contact_id": lost.ID})).Want(200).Data(&sent)
		if sent.Delivery != conversation.Failed || *sent.Error != "channel_unavailable" {
			t.Errorf("over a paused number: %+v", sent)
		}
	})
}

func TestNewAsAgentWithTemplate(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		news := sh.approved("kargo_bilgisi")
		who := sh.customer("+905321234567")
		in := map[string]any{"contact_id": who.ID, "channel": "whatsapp", "template": map[string]any{"template_id": news.ID, "body": []string{"Elif", "4711"}}}
		var begun struct {
			Data     conversation.Conversation `json:"data"`
			Delivery string                    `json:"delivery"`
			Channel  *string                   `json:"delivery_channel"`
		}
		sh.Owner.Post(conversations+"/new-as-agent", in).Want(201).Whole(&begun)
		if begun.Delivery != conversation.Sent || begun.Channel == nil || *begun.Channel != "whatsapp" || *begun.Data.ChannelAccountID != sh.Account.ID {
			t.Errorf("begun: %+v", begun)
		}
		in["body"] = "ve bir metin"
		sh.Owner.Post(conversations+"/new-as-agent", in).Refused(422, "validation_failed")
		delete(in, "body")
		for _, other := range []string{"email", "telegram"} {
			in["channel"] = other
			if f := sh.Owner.Post(conversations+"/new-as-agent", in).Refused(422, "validation_failed"); f.Fields["channel"] == nil {
				t.Errorf("over %s: %v", other, f.Fields)
			}
		}
		in["channel"] = "whatsapp"
		in["template"] = map[string]any{"template_id": news.ID}
		sh.Owner.Post(conversations+"/new-as-agent", in).Refused(422, "validation_failed")
	})
}

// Marketing needs consent, everything else is sent unless the customer refused.
func TestConsent(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		in := sh.parcelNews("kampanya")
		in["category"] = "MARKETING"
		var ad template.Template
		sh.Owner.Post(templates, in).Want(201).Data(&ad)
		news := sh.approved("kargo_bilgisi")
		sh.says("Merhaba")
		c := sh.Only()
		use := func(t template.Template) map[string]any {
			return map[string]any{"template_id": t.ID, "body": []string{"Elif", "4711"}}
		}
		if got := sh.send(c.ID, use(ad)); got.Delivery != conversation.Failed || *got.Error != reply.ConsentMissing {
			t.Errorf("without consent: %+v", got)
		}
		key := sh.FullKey()
		const public = "/api/crm/public/v1/channels/consent"
		key.Post(public, map[string]any{"phone": "+905321234567", "source": "ödeme formu"}).Want(200)
		var choice reply.ChatTemplates
		sh.Owner.Get(conversations + "/" + c.ID.String() + "/chat-templates").Want(200).Data(&choice)
		if len(choice.Templates) != 2 {
			t.Errorf("the choice is %+v", choice)
		}
		if got := sh.send(c.ID, use(ad)); got.Delivery != conversation.Sent {
			t.Errorf("with consent: %+v", got)
		}
		for _, purpose := range []string{"marketing", "utility"} {
			sh.Owner.Post(channels+"/consent", map[string]any{"contact_id": c.ContactID, "purpose": purpose, "status": "revoked"}).Want(200)
		}
		for _, tpl := range []template.Template{ad, news} {
			if got := sh.send(c.ID, use(tpl)); got.Delivery != conversation.Failed || *got.Error != reply.ConsentRevoked {
				t.Errorf("revoked: %+v", got)
			}
		}
		if n := strings.Count(strings.Join(sh.Events(), " "), "contact.consent_changed"); n != 3 {
			t.Errorf("%d events of consent", n)
		}
		for field, wrong := range map[string]map[string]any{
			"contact_id": {"contact_id": uuid.New()}, "phone": {"phone": "12"},
		} {
			if f := key.Post(public, wrong).Refused(422, "validation_failed"); f.Fields[field] == nil {
				t.Errorf("%s: %v", field, f.Fields)
			}
		}
		key.Post(public, map[string]any{}).Refused(422, "validation_failed")
		// A key of the test environment has a separate address book and triggers nothing.
		sh.Box.Sent()
		test := sh.Key(true, perm.All()...)
		var mirror contact.Contact
		test.Post(public, map[string]any{"phone": "+905321234567"}).Want(200).Data(&mirror)
		if mirror.ID == c.ContactID || !mirror.Test {
			t.Errorf("a test key changed %+v", mirror)
		}
		if got := sh.send(c.ID, use(ad)); *got.Error != reply.ConsentRevoked {
			t.Errorf("a test key's consent counts: %+v", got)
		}
		sh.Settle()
		if out := sh.Box.Sent(); len(out) != 0 {
			t.Errorf("sent: %+v", out)
		}
		// A number that nobody has creates a contact.
		key.Post(public, map[string]any{"phone": "+905329998877", "name": "Yeni Kişi"}).Want(200)
	})
}
