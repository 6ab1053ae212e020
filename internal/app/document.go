package app

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"konak/internal/kit/clock"
)

// Document returns the OpenAPI document without a running service: the routes are the same
// whatever the database.
func Document(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "konak-openapi-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	a, err := Open(ctx, Config{Data: dir, Listen: "127.0.0.1:0", Domain: "localhost"}, slog.New(slog.DiscardHandler), clock.System{})
	if err != nil {
		return nil, err
	}
	b, err := a.API.Document()
	return b, errors.Join(err, a.Close())
}
