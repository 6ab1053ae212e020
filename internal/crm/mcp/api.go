package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"konak/internal/kit/api"
)

// Path is the path of the server, on the bare host and on the hosts of workspaces.
const Path = "/mcp"

// Register adds the server.
func (s *Service) Register(a *api.API) {
	s.api = a
	server := s.newServer()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, // every request carries a bearer token
	})
	a.HandleProtocol(api.Route{
		Method: http.MethodPost, Path: Path, ID: "mcp", Tag: "MCP", Summary: "Model Context Protocol",
		Access: api.SessionOrKey, Permission: api.Anyone, Delegable: true,
	}, func(ctx context.Context) string {
		return `Bearer realm="konak", resource_metadata="` + s.cfg.MetadataURL(ctx) + `"`
	}, oneMessage(handler))
}

// oneMessage accepts only requests that hold one message. A batch would count as one call
// in the rate limits; the depth of a message is limited by the standard library, which
// reads it first.
func oneMessage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			http.Error(w, "the message is too large", http.StatusRequestEntityTooLarge)
			return
		case err != nil || !utf8.Valid(body) || !json.Valid(body) || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
			http.Error(w, "one JSON-RPC message in UTF-8 is expected", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
