package identity

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

type signInIn struct {
	Body struct {
		Email      string `json:"email" minLength:"1" maxLength:"254" example:"owner@demo.localhost"`
		Password   string `json:"password" minLength:"1" maxLength:"1024" example:"konak-demo-password"`
		Captcha    string `json:"captcha_token,omitempty" maxLength:"8192" doc:"Needed while GET /captcha says required_now"`
		DeviceName string `json:"device_name,omitempty" maxLength:"100" example:"Firefox on Linux"`
	}
}

type secondStepIn struct {
	Body struct {
		Token      string          `json:"mfa_token" minLength:"1" maxLength:"100" example:"mfa_…"`
		Method     string          `json:"method" enum:"totp,recovery,passkey"`
		Code       string          `json:"code,omitempty" maxLength:"32" example:"123456" doc:"For totp and recovery"`
		Credential json.RawMessage `json:"credential,omitempty" doc:"For passkey: what navigator.credentials.get gave, as JSON"`
	}
}

type sessionIn struct {
	ID api.ID `path:"id" record:"session"`
}

type sessionsIn struct{ api.Paged }

type profileIn struct {
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Defne Yılmaz"`
		Language *string `json:"language,omitempty" enum:"tr,en" doc:"What mail to this person is written in"`
	}
}

type reauthIn struct {
	Body struct {
		Password string `json:"password" minLength:"1" maxLength:"1024" example:"konak-demo-password"`
		Code     string `json:"code,omitempty" maxLength:"32" example:"123456" doc:"Needed when the second step is on; a recovery code will do"`
	}
}

type switchIn struct {
	Body struct {
		WorkspaceID uuid.UUID `json:"workspace_id" format:"uuid"`
	}
}

type takeOverIn struct {
	Body struct {
		Code string `json:"code" minLength:"1" maxLength:"100" example:"hov_…"`
	}
}

// Revoked says how many were ended.
type Revoked struct {
	Revoked int `json:"revoked" example:"2"`
}

// public makes a route one that needs no credential.
func public(rt api.Route) api.Route {
	rt.Access, rt.Permission = api.Public, ""
	return rt
}

// showsSecret marks a route whose answer must not be kept.
func showsSecret(rt api.Route) api.Route {
	rt.ShowsSecret = true
	return rt
}

// stepUp makes a route one that needs a fresh proof of the password.
func stepUp(rt api.Route) api.Route {
	rt.StepUp = true
	return rt
}

// guessed marks a route where each call is a guess of a secret.
func guessed(rt api.Route) api.Route {
	rt.Limit = api.Credentials
	return rt
}

// mailing marks a route that makes us write to an address that a stranger names.
func mailing(rt api.Route) api.Route {
	rt.Limit = api.Mailing
	return rt
}

// device describes where a request comes from.
func device(ctx context.Context, name string) Device {
	browser, platform := agent(api.UserAgent(ctx))
	if name == "" {
		name = strings.Trim(browser+" / "+platform, " /")
	}
	return Device{Name: name, Platform: platform, IP: api.ClientIP(ctx)}
}

// agent reads the two things that a person recognises out of a User-Agent.
// What names several browsers is told by the most particular one.
func agent(ua string) (browser, platform string) {
	find := func(marks [][2]string) string {
		for _, m := range marks {
			if strings.Contains(ua, m[0]) {
				return m[1]
			}
		}
		return ""
	}
	return find([][2]string{
			{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		}), find([][2]string{
			{"iPhone", "iOS"},
			{"iPad", "iPadOS"},
			{"Android", "Android"},
			{"Windows", "Windows"},
			{"Mac OS X", "macOS"},
			{"Linux", "Linux"},
		})
}

func (s *Service) registerSessions(a *api.API) {
	signIn := guessed(showsSecret(public(route("POST", "/sign-in", "sign-in", "Sign in with e-mail and password"))))
	signIn.Doc = "Opens a session and sets the panel's cookie, or asks for the second step. " +
		"A wrong e-mail or password is a 422, never a 401."
	api.Handle(a, signIn, func(ctx context.Context, in *signInIn) (SignInAnswer, error) {
		out, err := s.SignIn(ctx, Proof{
			Email: in.Body.Email, Password: in.Body.Password, Captcha: in.Body.Captcha,
			Device: device(ctx, in.Body.DeviceName), Slug: api.HostSlug(ctx), DeviceToken: a.Cookie(ctx, deviceCookie),
		})
		if err == nil && out.Session != nil {
			a.SetSessionCookie(ctx, out.Token, out.Session.ExpiresAt.Time)
			s.rememberDevice(ctx, a, out.User.Email)
		}
		return out, err
	})

	second := guessed(showsSecret(public(route("POST", "/sign-in/2fa", "sign-in-second-step", "Take the second step of a sign-in"))))
	second.Doc = "A wrong code is a 422. After five tries or five minutes the sign-in starts anew."
	api.Handle(a, second, func(ctx context.Context, in *secondStepIn) (SignedIn, error) {
		out, err := entered(ctx, a)(s.FinishSignIn(ctx, SecondStep{
			Token: in.Body.Token, Method: in.Body.Method, Code: in.Body.Code, Credential: in.Body.Credential,
			Device: device(ctx, ""),
		}))
		if err == nil {
			s.rememberDevice(ctx, a, out.User.Email)
		}
		return out, err
	})

	signOut := route("POST", "/sign-out", "sign-out", "End the session")
	signOut.Delegable = true
	api.Handle(a, signOut, func(ctx context.Context, _ *struct{}) (api.Done, error) {
		a.SetSessionCookie(ctx, "", time.Time{})
		return api.Done{Done: true}, s.SignOut(ctx)
	})

	me := route("GET", "/me", "me", "Who is signed in, where, and what they may do")
	me.Delegable = true
	api.Handle(a, me, func(ctx context.Context, _ *struct{}) (Me, error) { return s.Me(ctx) })

	profile := route("PATCH", "/me", "change-profile", "Change one's own name and language")
	profile.Doc = "A person is the same in all their workspaces. What a field does not name stays."
	api.Handle(a, profile, func(ctx context.Context, in *profileIn) (User, error) {
		return s.ChangeProfile(ctx, ProfileChange{Name: in.Body.Name, Language: in.Body.Language})
	})

	api.HandleList(a, route("GET", "/sessions", "list-sessions", "One's own open sessions and devices"),
		func(ctx context.Context, in *sessionsIn) (db.List[OwnSession], error) {
			return s.Sessions(ctx, in.Page())
		})

	api.Handle(a, route("DELETE", "/sessions/{id}", "revoke-session", "End one of one's own sessions"),
		func(ctx context.Context, in *sessionIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.RevokeSession(ctx, in.ID.UUID)
		})

	api.Handle(a, route("DELETE", "/sessions", "revoke-other-sessions", "End all of one's own sessions but this one"),
		func(ctx context.Context, _ *struct{}) (Revoked, error) {
			n, err := s.RevokeOthers(ctx)
			return Revoked{n}, err
		})

	reauth := guessed(route("POST", "/app/reauth", "reauth", "Prove the password again"))
	reauth.Doc = "Stamps the session, so that calls which need a fresh proof work for 15 minutes. " +
		"A wrong password or code is a 422, never a 401."
	reauth.Delegable = true
	api.Handle(a, reauth, func(ctx context.Context, in *reauthIn) (Reauthenticated, error) {
		return s.Reauth(ctx, in.Body.Password, in.Body.Code)
	})

	change := showsSecret(route("POST", "/app/switch-workspace", "switch-workspace", "Go on in another workspace"))
	change.Doc = "Opens a session in the other workspace and closes this one in one statement. " +
		"The new session keeps the old one's absolute end and joins its family. " +
		"An app may follow only where the person granted it as much."
	change.Refusals, change.Delegable = []int{404}, true
	api.Handle(a, change, func(ctx context.Context, in *switchIn) (SignedIn, error) {
		if in.Body.WorkspaceID == uuid.Nil {
			return SignedIn{}, fault.New(fault.NotFound)
		}
		if err := s.mayFollow(ctx, in.Body.WorkspaceID); err != nil {
			return SignedIn{}, err
		}
		return entered(ctx, a)(s.SwitchWorkspace(ctx, in.Body.WorkspaceID, api.ClientIP(ctx)))
	})
	s.registerHandover(a)
}

// registerHandover adds the switch for a panel that is served at a workspace's
// own host: the cookie of one host does not reach the other.
func (s *Service) registerHandover(a *api.API) {
	give := showsSecret(route("POST", "/handover", "hand-over", "Make a code that takes this session to another workspace's host"))
	give.Doc = "The code is good for a minute, once, and for the address that asked for it. The session stays as it is until the code is used; the cookie of this host goes at once."
	give.Status, give.Refusals = 201, []int{404}
	api.Handle(a, give, func(ctx context.Context, in *switchIn) (Handover, error) {
		out, err := s.HandOver(ctx, in.Body.WorkspaceID)
		if err == nil {
			// A tab that stays here would show it later, as a thief would.
			a.SetSessionCookie(ctx, "", time.Time{})
		}
		return out, err
	})

	take := guessed(showsSecret(public(route("POST", "/handover/claim", "take-over", "Go on with a session that comes from another host"))))
	take.Doc = "Switches the workspace as POST /app/switch-workspace does, and sets the cookie of this host. A code that is used, too old, or another host's is a 422."
	api.Handle(a, take, func(ctx context.Context, in *takeOverIn) (SignedIn, error) {
		return entered(ctx, a)(s.TakeOver(ctx, in.Body.Code, api.HostSlug(ctx), api.ClientIP(ctx)))
	})
}

// deviceCookie holds what newDeviceToken made.
const deviceCookie = "konak_device"

// rememberDevice leaves a token on a device on which somebody signed in.
func (s *Service) rememberDevice(ctx context.Context, a *api.API, email string) {
	token := a.Cookie(ctx, deviceCookie)
	if _, known := s.knownDevice(token, address.Fold(email)); !known {
		token = s.newDeviceToken(email)
	}
	a.SetCookie(ctx, deviceCookie, token, s.db.Clock().Now().Add(deviceTokenFor))
}

// entered gives the browser its cookie when a session was opened.
func entered(ctx context.Context, a *api.API) func(SignedIn, error) (SignedIn, error) {
	return func(out SignedIn, err error) (SignedIn, error) {
		if err == nil {
			a.SetSessionCookie(ctx, out.Token, out.Session.ExpiresAt.Time)
		}
		return out, err
	}
}
