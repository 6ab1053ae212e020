package identity

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/fault"
)

type sessionIn struct {
	ID api.ID `path:"id" record:"session"`
}

type profileIn struct {
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Defne Yılmaz"`
		Language *string `json:"language,omitempty" enum:"tr,en" doc:"Language of mail to this person"`
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

// Revoked holds the number of sessions that were ended.
type Revoked struct {
	Revoked int `json:"revoked" example:"2"`
}

// DeviceOf describes the device that a request comes from. Without a name, the browser and
// its platform are the name.
func DeviceOf(ctx context.Context, name string) Device {
	browser, platform := agent(api.UserAgent(ctx))
	if name == "" {
		name = strings.Trim(browser+" / "+platform, " /")
	}
	return Device{Name: name, Platform: platform, IP: api.ClientIP(ctx)}
}

// agent extracts the browser and the platform from a User-Agent. If several browsers match,
// the most specific one wins.
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
	signOut := Route("POST", "/sign-out", "sign-out", "Sign out")
	signOut.Delegable = true
	api.Handle(a, signOut, func(ctx context.Context, _ *struct{}) (api.Done, error) {
		a.SetSessionCookie(ctx, "", time.Time{})
		return api.Done{Done: true}, s.SignOut(ctx)
	})

	me := Route("GET", "/me", "me", "Get the signed-in user, workspace and permissions")
	me.Delegable = true
	api.Handle(a, me, func(ctx context.Context, _ *struct{}) (Me, error) { return s.Me(ctx) })

	profile := Route("PATCH", "/me", "change-profile", "Change your name and language")
	profile.Doc = "Applies to all your workspaces. Omitted fields stay unchanged."
	api.Handle(a, profile, func(ctx context.Context, in *profileIn) (User, error) {
		return s.ChangeProfile(ctx, ProfileChange{Name: in.Body.Name, Language: in.Body.Language})
	})

	api.HandlePage(a, Route("GET", "/sessions", "list-sessions", "List your open sessions and devices"), s.Sessions)

	api.Handle(a, Route("DELETE", "/sessions/{id}", "revoke-session", "End one of your sessions"),
		func(ctx context.Context, in *sessionIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.RevokeSession(ctx, in.ID.UUID)
		})

	api.Handle(a, Route("DELETE", "/sessions", "revoke-other-sessions", "End all your other sessions"),
		func(ctx context.Context, _ *struct{}) (Revoked, error) {
			n, err := s.RevokeOthers(ctx)
			return Revoked{n}, err
		})

	change := Route("POST", "/app/switch-workspace", "switch-workspace", "Switch to another workspace")
	change.Doc = "Opens a session in the other workspace and closes this one atomically. " +
		"The new session keeps the old one's absolute expiry and joins its family. " +
		"An app can switch only where the person granted it at least the same scopes."
	change.Refusals, change.Delegable, change.ShowsSecret = []int{404}, true, true
	api.Handle(a, change, func(ctx context.Context, in *switchIn) (SignedIn, error) {
		if in.Body.WorkspaceID == uuid.Nil {
			return SignedIn{}, fault.New(fault.NotFound)
		}
		out, err := s.SwitchWorkspace(ctx, in.Body.WorkspaceID, api.ClientIP(ctx))
		if err == nil {
			out.SetCookie(ctx, a)
		}
		return out, err
	})
	s.registerHandover(a)
}

// registerHandover adds the switch for a panel that is served on a workspace's own host:
// the cookie of one host does not reach the other.
func (s *Service) registerHandover(a *api.API) {
	give := Route("POST", "/handover", "hand-over", "Create a code that moves this session to another workspace's host")
	give.Doc = "The code is valid once, for one minute, and only from the IP address that requested it. The session does not change until the code is used; this host's cookie is removed at once."
	give.Status, give.Refusals, give.ShowsSecret = 201, []int{404}, true
	api.Handle(a, give, func(ctx context.Context, in *switchIn) (Handover, error) {
		out, err := s.HandOver(ctx, in.Body.WorkspaceID)
		if err == nil {
			// A tab that stays here would send it again later, which looks like theft.
			a.SetSessionCookie(ctx, "", time.Time{})
		}
		return out, err
	})

	take := Route("POST", "/handover/claim", "take-over", "Claim a session from another host")
	take.Access, take.Permission, take.Limit, take.ShowsSecret = api.Public, "", api.Credentials, true
	take.Doc = "Switches the workspace like POST /app/switch-workspace and sets this host's cookie. 422 if the code was already used, has expired or is for another host."
	api.Handle(a, take, func(ctx context.Context, in *takeOverIn) (SignedIn, error) {
		out, err := s.TakeOver(ctx, in.Body.Code, api.HostSlug(ctx), api.ClientIP(ctx))
		if err == nil {
			out.SetCookie(ctx, a)
		}
		return out, err
	})
}

// SetCookie sets the browser's cookie for the session that was opened.
func (in SignedIn) SetCookie(ctx context.Context, a *api.API) {
	a.SetSessionCookie(ctx, in.Token, in.Session.ExpiresAt.Time)
}
