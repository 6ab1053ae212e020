package partner_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/partner"
	"konak/internal/crm/template"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	graph "konak/internal/provider/whatsapp"
	pages "konak/internal/sandbox/social"
	numbers "konak/internal/sandbox/whatsapp"
)

const (
	start    = apptest.Channels + "/partner/oauth/start"
	callback = apptest.Channels + "/partner/oauth/callback"
	pageID   = "10001"
	otherID  = "10002"
	business = "20001"
	number   = "20011"
)

// service combines both stand-ins of the provider: numbers behind pages.
type service struct {
	*pages.Server
	numbers *numbers.Server
}

func (s service) Settle() { s.Server.Settle(); s.numbers.Settle() }
func (s service) Close()  { s.Server.Close(); s.numbers.Close() }

type shop struct{ *apptest.Shop[service] }

func run(t *testing.T, fn func(t *testing.T, sh *shop)) {
	t.Helper()
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) service {
		cfg.WhatsAppAddress, cfg.MetaAppID, cfg.MetaAppSecret, cfg.MetaConfigID = address, "4711", "secret", "77"
		box := service{pages.New(c), numbers.New(c)}
		box.Next = box.numbers
		box.AddApp(pages.App{ID: "4711", Secret: "secret"})
		box.Add(pages.Page{ID: pageID, Name: "Demo A.Ş.", Token: "page-token", InstagramID: "ig1", Username: "demo.as", AppID: "4711"})
		box.Add(pages.Page{ID: otherID, Name: "Başka A.Ş.", Token: "other-token", AppID: "4711"})
		box.numbers.Add(numbers.Business{
			ID: business, Token: "nobody", AppSecret: "secret", Numbers: []graph.PhoneNumber{{ID: number, Display: "+90 212 123 45 67", VerifiedName: "Demo A.Ş."}},
			Templates: []*graph.TemplateRecord{{ID: "1", Name: "kargo", Language: "tr", Category: template.Utility, Status: template.Approved, Components: []template.Component{{Type: template.Body, Text: "Yolda"}}}},
		})
		box.AddBusiness(pages.Business{ID: business, Name: "Demo", Grant: func(token string) { box.numbers.Grant(business, token) }})
		return box
	}, func(s *apptest.Shop[service]) { fn(s.T, &shop{s}) })
}

// begins starts a sign-up by the owner and returns its state.
func (sh *shop) begins() string { sh.T.Helper(); return sh.beginsAs(sh.Owner) }

func (sh *shop) beginsAs(who *apptest.Client) string {
	sh.T.Helper()
	var out partner.Started
	who.Get(start).Want(200).Data(&out)
	u, err := url.Parse(out.URL)
	if err != nil || !strings.HasPrefix(out.URL, sh.Provider+"/") || u.Query().Get("client_id") != "4711" || u.Query().Get("config_id") != "77" {
		sh.T.Fatalf("the page is at %s, %v", out.URL, err)
	}
	return u.Query().Get("state")
}

// comesBack opens the callback without a credential.
func (sh *shop) comesBack(query url.Values) *apptest.Response {
	sh.T.Helper()
	return sh.Server.Client("").Get(callback + "?" + query.Encode())
}

func (sh *shop) accounts() (out []string) {
	sh.T.Helper()
	var list []channel.Account
	sh.Owner.Get(apptest.Channels).Want(200).Data(&list)
	for _, a := range list {
		out = append(out, a.Kind+" "+*a.ExternalID)
	}
	slices.Sort(out)
	return out
}

var everything = []string{"instagram ig1", "messenger " + pageID, "whatsapp " + number}

func TestSignUp(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		query := url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, []string{business})}}
		var got partner.Connected
		sh.comesBack(query).Want(200).Data(&got)
		if list := sh.accounts(); len(got.Accounts) != 3 || !slices.Equal(list, everything) {
			t.Fatalf("%d were answered, connected are %v", len(got.Accounts), list)
		}
		if !sh.Box.Subscribed(pageID) || sh.Box.Subscribed(otherID) {
			t.Error("the page that was shared must tell us, another must not")
		}
		var list []template.Template
		if sh.Owner.Get(apptest.Channels + "/templates").Want(200).Data(&list); len(list) != 1 {
			t.Errorf("%d templates were read", len(list))
		}
		// All of them carry messages.
		sh.Box.Say(pageID, pages.Person{ID: "1", Name: "Elif"}, "Sayfadan")
		sh.Box.Say(pageID, pages.Person{ID: "ig2", Name: "Ayşe"}, "Instagram'dan")
		if _, err := sh.Box.numbers.Say(number, numbers.Customer{ID: "905321234567", Name: "Can"}, "WhatsApp'tan"); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if n := len(sh.Inbox()); n != 3 {
			t.Errorf("%d conversations", n)
		}
		// The state is valid once.
		if e := sh.comesBack(query).Refused(409, "conflict"); e.Reason != partner.StepState {
			t.Errorf("a second time: %+v", e)
		}
	})
}

// Disconnected accounts come back with another sign-up: the same accounts, and their
// conversations continue.
func TestSignUpAgainReconnectsAccounts(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		signUp := func() map[string]uuid.UUID {
			t.Helper()
			var got partner.Connected
			sh.comesBack(url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, []string{business})}}).Want(200).Data(&got)
			out := map[string]uuid.UUID{}
			for _, a := range got.Accounts {
				out[a.Kind] = a.ID
			}
			return out
		}
		write := func(text string) {
			t.Helper()
			sh.Box.Say(pageID, pages.Person{ID: "1", Name: "Elif"}, text)
			sh.Box.Say(pageID, pages.Person{ID: "ig2", Name: "Ayşe"}, text)
			if _, err := sh.Box.numbers.Say(number, numbers.Customer{ID: "905321234567", Name: "Can"}, text); err != nil {
				t.Fatal(err)
			}
			sh.Settle()
		}
		first := signUp()
		write("ilk")
		for _, id := range first {
			sh.Owner.Delete(apptest.Channels + "/" + id.String()).Want(200)
		}
		sh.Settle()
		if again := signUp(); len(again) != 3 || !maps.Equal(first, again) {
			t.Fatalf("%v came back as %v", first, again)
		}
		sh.Settle()
		write("ikinci")
		list := sh.Inbox()
		if len(list) != 3 {
			t.Fatalf("%d conversations", len(list))
		}
		for _, c := range list {
			if items := sh.Items(c.ID); len(items) != 2 {
				t.Errorf("%s has %d items", c.Channel, len(items))
			}
			item := sh.Reply(c.ID, "yanıt")
			sh.Settle()
			if got := apptest.DeliveryOf(sh.Item(c.ID, item.ID)); got != "sent" {
				t.Errorf("an answer on %s is %q", c.Channel, got)
			}
		}
	})
}

// A number that cannot send yet is registered with its own PIN. One that can, such as one
// that its owner also uses in the app, is not changed; and a failed sign-up leaves no
// number registered.
func TestRegistration(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		again := func(platform string, shared ...string) *apptest.Response {
			sh.Box.numbers.Add(numbers.Business{
				ID: business, Token: "nobody", AppSecret: "secret",
				Numbers: []graph.PhoneNumber{{ID: number, Display: "+90 212 123 45 67", VerifiedName: "Demo A.Ş.", Platform: platform}},
			})
			return sh.comesBack(url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", shared, []string{business})}})
		}
		// The webhook of another app cannot be set, which fails after the number.
		sh.Box.Add(pages.Page{ID: otherID, Name: "Başka", Token: "other-token", AppID: "4712"})
		again("NOT_APPLICABLE", otherID).Refused(502, "provider_rejected")
		if got := sh.Box.numbers.Platform(number); got != "NOT_APPLICABLE" || len(sh.accounts()) != 0 {
			t.Errorf("after a failure the number is %s, connected are %v", got, sh.accounts())
		}
		again("NOT_APPLICABLE").Want(200)
		if got := sh.Box.numbers.Platform(number); got != "CLOUD_API" {
			t.Errorf("the number is %s", got)
		}
		again("ON_PREMISE").Want(200)
		if got := sh.Box.numbers.Platform(number); got != "ON_PREMISE" {
			t.Errorf("a number that can send is %s", got)
		}
	})
}

// What the caller claims must be listed by the provider.
func TestClaimsMustBeListedByProvider(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		back := func(claim url.Values) *apptest.Response {
			claim.Set("state", sh.begins())
			claim.Set("code", sh.Box.Agree("4711", []string{pageID}, []string{business}))
			return sh.comesBack(claim)
		}
		for field, claim := range map[string]url.Values{
			"page_id": {"page_id": {otherID}}, "phone_number_id": {"phone_number_id": {"20012"}},
		} {
			if e := back(claim).Refused(422, "validation_failed"); e.Fields[field][0] != "not_shared" || e.Reason != partner.StepClaim {
				t.Errorf("another's %s: %+v", field, e)
			}
		}
		back(url.Values{"waba_id": {"404"}}).Refused(422, "validation_failed")
		if list := sh.accounts(); len(list) != 0 {
			t.Fatalf("connected are %v", list)
		}
		back(url.Values{"waba_id": {business}, "phone_number_id": {number}}).Want(200)
		if list := sh.accounts(); !slices.Equal(list, everything[2:]) {
			t.Errorf("connected are %v", list)
		}
		back(url.Values{"page_id": {pageID}}).Want(200)
		if list := sh.accounts(); !slices.Equal(list, everything) {
			t.Errorf("connected are %v", list)
		}
	})
}

// Each failed step is named and leaves nothing half connected.
func TestFailedStepIsNamed(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		for _, c := range []struct {
			step   string
			status int
			code   string
			change func(url.Values)
		}{
			{partner.StepState, 409, "conflict", func(q url.Values) { q.Set("state", "guessed") }},
			{partner.StepState, 409, "conflict", func(q url.Values) { q.Set("state", q.Get("state")+"x") }},
			{partner.StepState, 409, "conflict", func(q url.Values) { q.Set("state", strings.Repeat("A", 22)+".x") }}, // of the workspace zero
			{partner.StepConsent, 409, "conflict", func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }},
			{partner.StepExchange, 502, "provider_rejected", func(q url.Values) { q.Set("code", "guessed") }},
			{partner.StepAssets, 502, "provider_rejected", func(url.Values) { sh.Box.Fail("accounts", 500, 2, 0, 0) }},
			{partner.StepAssets, 409, "conflict", func(q url.Values) { q.Set("code", sh.Box.Agree("4711", nil, nil)) }},
			{partner.StepSubscribe, 502, "provider_rejected", func(url.Values) { sh.Box.Fail("subscribed_apps", 500, 2, 0, 0) }},
			{partner.StepSubscribe, 502, "provider_rejected", func(q url.Values) {
				q.Set("code", sh.Box.Agree("4711", []string{pageID, otherID}, []string{business}))
				sh.Box.Add(pages.Page{ID: otherID, Name: "Başka", Token: "other-token", AppID: "4712"}) // another app's webhook cannot be set
			}},
		} {
			query := url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, []string{business})}}
			c.change(query)
			if e := sh.comesBack(query).Refused(c.status, c.code); e.Reason != c.step {
				t.Errorf("%s: %+v", c.step, e)
			}
			if list := sh.accounts(); len(list) != 0 || sh.Box.Subscribed(pageID) {
				t.Fatalf("%s: connected are %v, and the page tells us: %v", c.step, list, sh.Box.Subscribed(pageID))
			}
		}
		query := url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}}
		sh.Later(15 * time.Minute)
		if e := sh.comesBack(query).Refused(409, "conflict"); e.Reason != partner.StepState {
			t.Errorf("after its time: %+v", e)
		}
	})
}

// The state acts for the session that began it, as long as that session may connect
// channels.
func TestStateNeedsTheSessionThatBeganIt(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.Guest().Get(start).Refused(403, "forbidden")
		query := url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}}
		sh.Owner.Post("/api/v1/auth/sign-out", nil).Want(200)
		if e := sh.comesBack(query).Refused(409, "conflict"); e.Reason != partner.StepSession || !strings.Contains(e.Message, "signed out") {
			t.Errorf("after the sign-out: %+v", e)
		}
		sh.Owner = sh.SignIn("owner@demo.example")
		if list := sh.accounts(); len(list) != 0 {
			t.Errorf("connected are %v", list)
		}
	})
}

// A person who has lost the permission to connect channels when they return connects
// nothing.
func TestLostPermissionConnectsNothing(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		if err := sh.Server.Identity.AddMember(t.Context(), sh.ID, "Ayşe", "ayse@demo.example", apptest.Password, identity.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		ayse := sh.SignIn("ayse@demo.example")
		setLicences := func(list []string) {
			t.Helper()
			if err := sh.Server.Identity.SetLicences(t.Context(), sh.Slug, list); err != nil {
				t.Fatal(err)
			}
		}
		comesBackAfter := func(what string, change func()) {
			t.Helper()
			query := url.Values{"state": {sh.beginsAs(ayse)}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}}
			change()
			if e := sh.comesBack(query).Refused(403, "forbidden"); e.Reason != partner.StepPermission {
				t.Errorf("%s: %+v", what, e)
			}
		}
		comesBackAfter("without the licence", func() { setLicences([]string{"mail"}) })
		setLicences(identity.AllLicences)
		comesBackAfter("without a second step", func() {
			var setup struct{ Secret string }
			sh.Owner.Post("/api/v1/auth/2fa/totp", nil).Want(200).Data(&setup)
			code, err := totp.GenerateCode(setup.Secret, sh.Server.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			sh.Owner.Post("/api/v1/auth/2fa/totp/confirm", map[string]any{"code": code}).Want(200)
			sh.Owner.Put("/api/mail/v1/settings/require-2fa", map[string]any{"required": true}).Want(200)
		})
		sh.Owner.Put("/api/mail/v1/settings/require-2fa", map[string]any{"required": false}).Want(200)
		comesBackAfter("as a guest", func() {
			var list []struct {
				ID   uuid.UUID
				Name string
			}
			sh.Owner.Get("/api/crm/v1/agents").Want(200).Data(&list)
			for _, a := range list {
				if a.Name == "Ayşe" {
					sh.Owner.Put("/api/crm/v1/agents/"+a.ID.String(), map[string]any{"role": identity.RoleGuest}).Want(200)
				}
			}
		})
		if list := sh.accounts(); len(list) != 0 {
			t.Errorf("connected are %v", list)
		}
	})
}

// A state acts for the workspace and the person that it began with, whoever brings it back.
// With the name of another workspace it is invalid.
func TestStateWithOtherWorkspaceNameIsInvalid(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		other := &shop{sh.Another()}
		state, theirs := sh.begins(), other.begins()
		_, rest, _ := strings.Cut(state, ".")
		name, _, _ := strings.Cut(theirs, ".")
		query := url.Values{"state": {name + "." + rest}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}}
		if e := sh.comesBack(query).Refused(409, "conflict"); e.Reason != partner.StepState {
			t.Errorf("under another name: %+v", e)
		}
		query.Set("state", state)
		other.Owner.Get(callback + "?" + query.Encode()).Want(200)
		if ours, list := sh.accounts(), other.accounts(); !slices.Equal(ours, everything[:2]) || len(list) != 0 {
			t.Errorf("connected are %v, and in the other workspace %v", ours, list)
		}
	})
}

// A state is stored for its workspace: it does not exist in another one, whatever the state
// itself says.
func TestStateIsStoredPerWorkspace(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		other := &shop{sh.Another()}
		query := url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}}
		sh.movesTo(other)
		if e := sh.comesBack(query).Refused(409, "conflict"); e.Reason != partner.StepState {
			t.Errorf("kept for another workspace: %+v", e)
		}
		other.movesTo(sh)
		sh.comesBack(query).Want(200)
		sh.comesBack(query).Refused(409, "conflict") // it is valid once
	})
}

// movesTo moves the one stored sign-up to another workspace.
func (sh *shop) movesTo(other *shop) {
	sh.T.Helper()
	var hash []byte
	var session uuid.UUID
	var expires clock.Time
	err := sh.Server.DB.Tenant(sh.ID).InTx(sh.T.Context(), func(tx *db.Tx) error {
		_, err := db.One(&tx.Reader, func(row db.Row) (struct{}, error) { return struct{}{}, row.Scan(&hash, &session, &expires) },
			`DELETE FROM partner_signup WHERE tenant_id = $1 RETURNING state_hash, session_id, expires_at`, sh.ID)
		return err
	})
	if err == nil {
		err = sh.Server.DB.Tenant(other.ID).InTx(sh.T.Context(), func(tx *db.Tx) error {
			return tx.Exec(`INSERT INTO partner_signup (tenant_id, state_hash, session_id, expires_at) VALUES ($1, $2, $3, $4)`, other.ID, hash, session, expires)
		})
	}
	if err != nil {
		sh.T.Fatal(err)
	}
}

// The callback exists on the installation's own host only; a state sent to another host
// stays valid.
func TestCallbackHost(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		query := url.Values{"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}}
		for _, host := range []string{"demo.crm.localhost", "other.example", "localhost.other.example"} {
			for _, accept := range []string{"application/json", "text/html"} {
				sh.Server.Client("").Host(host).Header("Accept", accept).Get(callback+"?"+query.Encode()).Refused(404, "not_found")
			}
		}
		if list := sh.accounts(); len(list) != 0 {
			t.Errorf("connected are %v", list)
		}
		sh.Server.Client("").Host("LOCALHOST:8080").Get(callback + "?" + query.Encode()).Want(200)
	})
}

// The provider's words about a failed step are shown, without secrets.
func TestProviderMessagesAreShownWithoutSecrets(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		sh.Answer(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/oauth/access_token") {
				sh.Box.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"The code the-code is over; secret is not used","code":100}}`))
		})
		e := sh.comesBack(url.Values{"state": {sh.begins()}, "code": {"the-code"}}).Refused(502, "provider_rejected")
		if e.Reason != partner.StepExchange || !strings.Contains(e.Message, "The code *** is over; *** is not used") {
			t.Errorf("the refusal is %+v", e)
		}
	})
}

// visit opens the callback as a browser does, and returns the address it is redirected to.
func (sh *shop) visit(query url.Values) string {
	sh.T.Helper()
	req, err := http.NewRequestWithContext(sh.T.Context(), http.MethodGet, sh.Server.URL+callback+"?"+query.Encode(), http.NoBody)
	if err != nil {
		sh.T.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		sh.T.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		sh.T.Errorf("the status is %d", resp.StatusCode)
	}
	return strings.TrimPrefix(resp.Header.Get("Location"), sh.Server.URL)
}

// A browser is redirected to the panel, whatever the result.
func TestBrowserIsRedirectedToPanel(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		if to := sh.visit(url.Values{"state": {"guessed"}}); to != "/crm/channels?partner=failed&step=state" {
			t.Errorf("after a failure: %s", to)
		}
		// Meta also redirects a person who pressed Cancel.
		if to := sh.visit(url.Values{
			"state": {sh.begins()}, "error": {"access_denied"}, "error_code": {"200"}, "error_description": {"Permissions error"}, "error_reason": {"user_denied"},
		}); to != "/crm/channels?partner=failed&step=consent" {
			t.Errorf("after a refusal: %s", to)
		}
		// Other parameters that the provider adds to the address are ignored.
		if to := sh.visit(url.Values{
			"state": {sh.begins()}, "code": {sh.Box.Agree("4711", []string{pageID}, nil)}, "granted_scopes": {"pages_messaging"},
		}); to != "/crm/channels?partner=connected" {
			t.Errorf("after a success: %s", to)
		}
	})
}

// The provider's words are not part of the address of the panel's page, because a forged
// link could contain any words. They are read by their id, by the session that began the
// sign-up and for 15 minutes.
func TestFailureIsShownOnlyToItsSession(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		fail := func() string {
			t.Helper()
			to, err := url.Parse(sh.visit(url.Values{"state": {sh.begins()}, "code": {"guessed"}}))
			if err != nil {
				t.Fatal(err)
			}
			query := to.Query()
			id := query.Get("failure")
			query.Del("failure")
			if got := query.Encode(); got != "partner=failed&step=exchange" || id == "" {
				t.Fatalf("the browser is sent to %s", to)
			}
			return apptest.Channels + "/partner/oauth/failures/" + id
		}
		at := fail()
		var got partner.Failure
		if sh.Owner.Get(at).Want(200).Data(&got); got.Step != partner.StepExchange || got.Words == "" {
			t.Errorf("the failure is %+v", got)
		}
		sh.SignIn("owner@demo.example").Get(at).Refused(404, "not_found") // the same person elsewhere
		sh.Guest().Get(at).Refused(403, "forbidden")
		sh.Later(15 * time.Minute)
		sh.Owner.Get(at).Refused(404, "not_found")
		at = fail() // expired failures are deleted with the next sign-up
		sh.Owner.Get(at).Want(200)
	})
}

func TestNotConfigured(t *testing.T) {
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *pages.Server {
		cfg.WhatsAppAddress = address
		return pages.New(c)
	}, func(sh *apptest.Shop[*pages.Server]) {
		if e := sh.Owner.Get(start).Refused(409, "conflict"); e.Reason != "not_configured" {
			sh.T.Errorf("the refusal is %+v", e)
		}
	})
}
