package trace

import (
	"log/slog"
	"net/http"
	"time"
)

// OpenWithin opens a tracer with time limits for its messages and for closing it.
func OpenWithin(c Config, way http.RoundTripper, log *slog.Logger, export, end time.Duration) (*Tracer, error) {
	return open(c, way, log, "", timeouts{export: export, close: end})
}
