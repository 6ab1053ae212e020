package app

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"konak/internal/exchange/sipexchange"
)

// StartExchangeOfNode is what Serve does with the exchange.
func (a *App) StartExchangeOfNode(ctx context.Context, s *sipexchange.Sockets, listen string) (bool, error) {
	a.cfg.SIPListen = listen
	return a.startExchange(ctx, s)
}

// MetricsHandler is what answers /metrics.
func (a *App) MetricsHandler() http.Handler { return a.metricsHandler() }

// DisconnectCalls takes the calls of a messaging account no more.
func (a *App) DisconnectCalls(ctx context.Context, account uuid.UUID) error {
	return a.Calling.Exchange.DisconnectCalls(ctx, account)
}
