package identity

import "konak/internal/kit/api"

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerSessions(a)
	s.registerOutbox(a)
	s.registerRoles(a)
	s.registerKeys(a)
	s.registerAudit(a)
	s.registerWorkspaces(a)
}

// Route returns a route that every signed-in member may call.
func Route(method, path, id, summary string) api.Route {
	return api.Route{
		Method: method, Path: "/api/v1/auth" + path, ID: id, Tag: "Identity",
		Summary: summary, Access: api.Session, Permission: api.Anyone,
	}
}
