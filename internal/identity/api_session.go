package identity

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

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

// DeviceOf describes where a request comes from. Without a name the browser and
// its platform are the name.
func DeviceOf(ctx context.Context, name string) Device {
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

	change := route("POST", "/app/switch-workspace", "switch-workspace", "Go on in another workspace")
	change.Doc = "Opens a session in the other workspace and closes this one in one statement. " +
		"The new session keeps the old one's absolute end and joins its family. " +
		"An app may follow only where the person granted it as much."
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

// registerHandover adds the switch for a panel that is served at a workspace's
// own host: the cookie of one host does not reach the other.
func (s *Service) registerHandover(a *api.API) {
	give := route("POST", "/handover", "hand-over", "Make a code that takes this session to another workspace's host")
	give.Doc = "The code is good for a minute, once, and for the address that asked for it. The session stays as it is until the code is used; the cookie of this host goes at once."
	give.Status, give.Refusals, give.ShowsSecret = 201, []int{404}, true
	api.Handle(a, give, func(ctx context.Context, in *switchIn) (Handover, error) {
		out, err := s.HandOver(ctx, in.Body.WorkspaceID)
		if err == nil {
			// A tab that stays here would show it later, as a thief would.
			a.SetSessionCookie(ctx, "", time.Time{})
		}
		return out, err
	})

	take := route("POST", "/handover/claim", "take-over", "Go on with a session that comes from another host")
	take.Access, take.Permission, take.Limit, take.ShowsSecret = api.Public, "", api.Credentials, true
	take.Doc = "Switches the workspace as POST /app/switch-workspace does, and sets the cookie of this host. A code that is used, too old, or another host's is a 422."
	api.Handle(a, take, func(ctx context.Context, in *takeOverIn) (SignedIn, error) {
		out, err := s.TakeOver(ctx, in.Body.Code, api.HostSlug(ctx), api.ClientIP(ctx))
		if err == nil {
			out.SetCookie(ctx, a)
		}
		return out, err
	})
}

// SetCookie gives the browser the cookie of the session that was opened.
func (in SignedIn) SetCookie(ctx context.Context, a *api.API) {
	a.SetSessionCookie(ctx, in.Token, in.Session.ExpiresAt.Time)
}
