package trace

import (
	"log/slog"
	"net/http"
	"time"
)

// OpenWithin opens a tracer whose messages, and whose end, may take a time.
func OpenWithin(c Config, way http.RoundTripper, log *slog.Logger, export, end time.Duration) (*Tracer, error) {
	return open(c, way, log, "", timeouts{export: export, close: end})
}
