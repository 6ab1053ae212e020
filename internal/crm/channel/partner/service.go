package partner

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/crm/channel/social"
	"konak/internal/crm/channel/whatsapp"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// App is the operator's app at the provider.
type App struct {
	ID     string
	Secret secret.Text
	// ConfigID selects the permissions that people are asked for.
	ConfigID string
}

// Number is a shared WhatsApp number.
type Number struct{ BusinessID, NumberID string }

// Page is a shared page, with its token.
type Page struct {
	ID        string
	Token     secret.Text
	Instagram bool // it has an Instagram account
}

// Assets are what a person shared.
type Assets struct {
	Numbers []Number
	Pages   []Page
}

// Provider is the service behind the sign-up. It refuses with a *meta.Refusal.
type Provider interface {
	// DialogURL returns the page where people give their consent, with these parameters.
	DialogURL(query url.Values) string
	// Exchange exchanges a code for its token.
	Exchange(ctx context.Context, app App, code, redirect string) (secret.Text, error)
	// Assets lists what the token gives access to.
	Assets(ctx context.Context, app App, token secret.Text) (Assets, error)
}

// Sessions finds the caller of a session.
type Sessions interface {
	SessionCaller(r *db.Reader, id uuid.UUID) (who *caller.Caller, language string, err error)
}

// Config holds what the package needs.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	App      App // sign-up is off without an id
	Provider Provider
	Sessions Sessions
	WhatsApp *whatsapp.Service
	Social   *social.Service
	// BaseURL is the installation's public address, which the provider sends people
	// back to.
	BaseURL string
}

// Service is the sign-up.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// CallbackPath is the path that the provider sends people back to.
const CallbackPath = "/api/crm/v1/channels/partner/oauth/callback"

// signupFor is how long a sign-up may take.
const signupFor = 15 * time.Minute

// accountsMax is the maximum number of accounts that one sign-up can connect.
const accountsMax = 50

// Steps of a sign-up, as reported in a failure.
const (
	StepState = "state"
	// StepSession means that the person has signed out, StepPermission that they may no
	// longer connect channels.
	StepSession    = "session"
	StepPermission = "permission"
	StepConsent    = "consent"
	StepExchange   = "exchange"
	StepAssets     = "assets"
	StepClaim      = "claim"
	StepSubscribe  = "subscribe"
	StepStore      = "store"
)

// Started is a sign-up that was begun.
type Started struct {
	URL       string     `json:"url" example:"https://www.facebook.com/v23.0/dialog/oauth?client_id=4711" doc:"The provider's page to send the browser to"`
	ExpiresAt clock.Time `json:"expires_at" doc:"When the sign-up expires; the person must be back by then"`
}

// Start begins a sign-up for the caller's session. It returns a conflict if the
// installation has no app at the provider.
func (s *Service) Start(ctx context.Context) (out Started, err error) {
	if s.App.ID == "" {
		return out, fault.New(fault.Conflict).Because("not_configured")
	}
	who := caller.From(ctx)
	state := newState(who.TenantID)
	err = s.DB.Tenant(who.TenantID).InTx(ctx, func(tx *db.Tx) error {
		out.ExpiresAt = clock.At(tx.Now().Add(signupFor))
		if err := dropOld(tx); err != nil {
			return err
		}
		return put(tx, secret.Hash(state), who.SessionID, out.ExpiresAt)
	})
	out.URL = s.Provider.DialogURL(url.Values{
		"client_id": {s.App.ID}, "redirect_uri": {s.BaseURL + CallbackPath}, "state": {state}, "config_id": {s.App.ConfigID}, "response_type": {"code"},
	})
	return out, err
}

// newState returns a new state, which begins with the workspace's id.
func newState(tenant uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(tenant[:]) + "." + secret.NewToken("")
}

// tenantOf returns the workspace that a state names. This proves nothing: the state must
// also be stored for that workspace.
func tenantOf(state string) (uuid.UUID, bool) {
	const length = 22 // length of an id in this encoding
	if len(state) < length+1 || state[length] != '.' {
		return uuid.Nil, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(state[:length])
	if err != nil {
		return uuid.Nil, false
	}
	id, err := uuid.FromBytes(raw)
	return id, err == nil && id != uuid.Nil
}

// Return holds the parameters that the provider sends a person back with.
type Return struct {
	State, Code string
	// Error is set by the provider if the person did not consent.
	Error string
	// The assets that the person is said to have shared; all "" means everything they
	// shared.
	BusinessID, NumberID, PageID string
}

// Connected lists the accounts that a sign-up connected.
type Connected struct {
	Accounts []channel.Account `json:"accounts" nullable:"false"`
}

// Finish completes the sign-up of a person who returns. Its faults name the step in their
// reason.
func (s *Service) Finish(ctx context.Context, in Return, ip string) (out Connected, err error) {
	out.Accounts = []channel.Account{}
	who, err := s.consume(ctx, in.State)
	if err != nil {
		return out, err
	}
	who.IP = ip
	ctx = caller.With(ctx, who)
	if in.Error != "" || in.Code == "" {
		return out, fault.New(fault.Conflict).Because(StepConsent)
	}
	token, err := s.Provider.Exchange(ctx, s.App, in.Code, s.BaseURL+CallbackPath)
	if err == nil {
		out.Accounts, err = s.connect(ctx, in, token)
	} else {
		err = stepFault(StepExchange, err)
	}
	err = hideSecrets(err, token.Reveal(), s.App.Secret.Reveal(), in.Code, in.State)
	return out, s.keepFailure(ctx, err)
}

// Failure is the provider's answer to a failed sign-up.
type Failure struct {
	Step  string `json:"step" example:"subscribe" doc:"Step at which the sign-up failed"`
	Words string `json:"words" example:"(#200) Permissions error" doc:"The provider's error message"`
}

// keptFailure is a stored failure that can be read by its id. The fault that it belongs to
// wraps it.
type keptFailure struct {
	id  uuid.UUID
	err error
}

// Error implements error.
func (k *keptFailure) Error() string { return fmt.Sprintf("sign-up failure %s: %v", k.id, k.err) }

// Unwrap returns the underlying error.
func (k *keptFailure) Unwrap() error { return k.err }

// keepFailure stores the provider's words for the session that began the sign-up, and
// returns the same fault. A fault without such words is returned unchanged.
func (s *Service) keepFailure(ctx context.Context, err error) error {
	f, known := fault.As(err)
	if !known || f.Code != fault.ProviderRejected || len(f.Args) == 0 {
		return err
	}
	who := caller.From(ctx)
	kept := &keptFailure{err: f.Unwrap()}
	failed := s.DB.Tenant(who.TenantID).InTx(ctx, func(tx *db.Tx) error {
		kept.id = tx.NewID()
		return putFailure(tx, kept.id, who.SessionID, Failure{Step: f.Reason, Words: fmt.Sprint(f.Args[0])})
	})
	if failed != nil {
		s.Log.WarnContext(ctx, "the provider's refusal of a sign-up could not be stored", "error", failed)
		return err
	}
	return f.Wrap(kept)
}

// Failure returns the provider's answer to a sign-up of the caller's session; not_found if
// it belongs to another session.
func (s *Service) Failure(ctx context.Context, id uuid.UUID) (Failure, error) {
	who := caller.From(ctx)
	return db.Read(ctx, s.DB.Tenant(who.TenantID), func(r *db.Reader) (Failure, error) {
		f, err := failureOf(r, id, who.SessionID, clock.At(s.DB.Clock().Now()))
		return f, db.NotFound(err)
	})
}

// connect connects everything that was shared, or nothing.
func (s *Service) connect(ctx context.Context, in Return, token secret.Text) ([]channel.Account, error) {
	none := []channel.Account{}
	assets, err := s.Provider.Assets(ctx, s.App, token)
	if err != nil {
		return none, stepFault(StepAssets, err)
	}
	if assets, err = claimed(assets, in); err != nil {
		return none, err
	}
	done, err := s.prepare(ctx, token, assets)
	if err != nil {
		s.takeBack(context.WithoutCancel(ctx), done)
		return none, err
	}
	list, err := s.store(ctx, done)
	if err != nil {
		s.takeBack(context.WithoutCancel(ctx), done)
		return none, stepFault(StepStore, err)
	}
	for _, a := range list {
		if a.Kind == whatsapp.Name {
			s.WhatsApp.ReadAfterConnect(ctx, a)
		}
	}
	return list, nil
}

// consume uses up a state, which is valid once, and returns the person who began the
// sign-up, if they are still signed in and may still connect channels.
func (s *Service) consume(ctx context.Context, state string) (who *caller.Caller, err error) {
	tenant, ok := tenantOf(state)
	if !ok {
		return nil, fault.New(fault.Conflict).Because(StepState)
	}
	err = s.DB.Tenant(tenant).InTx(ctx, func(tx *db.Tx) error {
		session, err := take(tx, secret.Hash(state))
		if err != nil {
			return db.IfNoRow(err, fault.New(fault.Conflict).Because(StepState))
		}
		who, _, err = s.Sessions.SessionCaller(&tx.Reader, session)
		return err
	})
	if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Conflict).Because(StepSession).Wrap(err)
	}
	if err != nil {
		return nil, err
	}
	if !who.Perms.Has(perm.ChannelsManage) || !who.Licences["crm"] || who.MustEnrol {
		return nil, fault.New(fault.Forbidden, perm.ChannelsManage).Because(StepPermission)
	}
	return who, nil
}

// claimed returns the part of what was shared that the caller claims, or all of it.
func claimed(all Assets, in Return) (Assets, error) {
	if in.BusinessID == "" && in.NumberID == "" && in.PageID == "" {
		if len(all.Numbers)+len(all.Pages) == 0 {
			return all, fault.New(fault.Conflict).Because(StepAssets)
		}
		return all, nil
	}
	out := Assets{
		Numbers: slices.DeleteFunc(slices.Clone(all.Numbers), func(n Number) bool {
			return in.BusinessID == "" && in.NumberID == "" || in.BusinessID != "" && in.BusinessID != n.BusinessID || in.NumberID != "" && in.NumberID != n.NumberID
		}),
		Pages: slices.DeleteFunc(slices.Clone(all.Pages), func(p Page) bool { return in.PageID != p.ID }),
	}
	switch {
	case (in.BusinessID != "" || in.NumberID != "") && len(out.Numbers) == 0:
		return out, fault.Invalid("phone_number_id", "not_shared").Because(StepClaim)
	case in.PageID != "" && len(out.Pages) == 0:
		return out, fault.Invalid("page_id", "not_shared").Because(StepClaim)
	}
	return out, nil
}

// prepared is an account that was set up at the provider but is not stored yet.
type prepared struct {
	put      func(*db.Tx) (channel.Account, error)
	withdraw func(context.Context) error
	// left is logged if it stays set up although it is not stored.
	left string
}

// prepare sets up everything that was shared at the provider. If it fails, it also returns
// what was set up before.
func (s *Service) prepare(ctx context.Context, token secret.Text, all Assets) (out []prepared, err error) {
	kinds := func(p Page) []string {
		if p.Instagram {
			return []string{social.Messenger, social.Instagram}
		}
		return []string{social.Messenger}
	}
	total := len(all.Numbers)
	for _, p := range all.Pages {
		total += len(kinds(p))
	}
	if total > accountsMax {
		return out, fault.New(fault.LimitReached, accountsMax).Because(StepAssets)
	}
	for _, n := range all.Numbers {
		p, err := s.WhatsApp.Prepare(ctx, whatsapp.ConnectBody{NumberID: n.NumberID, BusinessID: n.BusinessID, Token: token.Reveal(), AppSecret: s.App.Secret.Reveal(), Register: true})
		if err != nil {
			return out, stepFault(StepSubscribe, err)
		}
		out = append(out, prepared{
			func(tx *db.Tx) (channel.Account, error) { return s.WhatsApp.Put(tx, p) },
			func(ctx context.Context) error { return s.WhatsApp.Withdraw(ctx, p) },
			"a number from a failed sign-up is still subscribed",
		})
	}
	for _, page := range all.Pages {
		for _, kind := range kinds(page) {
			p, err := s.Social.Prepare(ctx, social.PageInput{Kind: kind, PageID: page.ID, Token: page.Token.Reveal(), AppSecret: s.App.Secret.Reveal()})
			if err != nil {
				return out, stepFault(StepSubscribe, err)
			}
			out = append(out, prepared{
				func(tx *db.Tx) (channel.Account, error) { return s.Social.Put(tx, p) },
				func(ctx context.Context) error { return s.Social.Withdraw(ctx, p) },
				"a page from a failed sign-up is still subscribed",
			})
		}
	}
	return out, nil
}

// takeBack undoes what was set up at the provider and that no account uses.
func (s *Service) takeBack(ctx context.Context, list []prepared) {
	for _, p := range list {
		if err := p.withdraw(ctx); err != nil {
			s.Log.WarnContext(ctx, p.left, "error", err)
		}
	}
}

// store stores all accounts or none.
func (s *Service) store(ctx context.Context, list []prepared) (out []channel.Account, err error) {
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		out = []channel.Account{}
		for _, p := range list {
			a, err := p.put(tx)
			if err != nil {
				return err
			}
			out = append(out, a)
		}
		return nil
	})
	return out, err
}

// stepFault returns the fault for a sign-up that failed at a step.
func stepFault(step string, err error) error {
	if r, refused := errors.AsType[*meta.Refusal](err); refused {
		return fault.New(fault.ProviderRejected, r.Words()).Because(step).Wrap(err)
	}
	if f, known := fault.As(err); known && f.Code == fault.ValidationFailed && f.Reason != "" {
		// There is no form here in which somebody could correct a field, so only the
		// provider's words about it are reported.
		return fault.New(fault.ProviderRejected, f.Reason).Because(step).Wrap(err)
	}
	if f, known := fault.As(err); known {
		return f.Because(step)
	}
	return fault.New(fault.ProviderRejected, "timeout").Because(step).Wrap(err)
}

// maxWords limits how many bytes of the provider's words are shown.
const maxWords = 300

// hideSecrets replaces secrets in the provider's words that a fault contains.
func hideSecrets(err error, secrets ...string) error {
	f, known := fault.As(err)
	if !known || f.Code != fault.ProviderRejected || len(f.Args) == 0 {
		return err
	}
	words, _ := f.Args[0].(string)
	for _, text := range secrets {
		if text != "" {
			words = strings.ReplaceAll(words, text, "***")
		}
	}
	if len(words) > maxWords {
		words = strings.ToValidUTF8(words[:maxWords], "") + "…"
	}
	f.Args = []any{words}
	return f
}
