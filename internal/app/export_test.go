package app

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"konak/internal/exchange/sipexchange"
)

// StartExchangeOfNode starts the exchange as Serve does.
func (a *App) StartExchangeOfNode(ctx context.Context, s *sipexchange.Sockets, listen string) (bool, error) {
	a.cfg.SIPListen = listen
	return a.startExchange(ctx, s)
}

// MetricsHandler returns the handler of /metrics.
func (a *App) MetricsHandler() http.Handler { return a.metricsHandler() }

// DisconnectCalls stops taking the calls of a messaging account.
func (a *App) DisconnectCalls(ctx context.Context, account uuid.UUID) error {
	return a.Calling.Exchange.DisconnectCalls(ctx, account)
}
