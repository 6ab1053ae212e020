package app

import (
	"context"

	"konak/internal/exchange/sipexchange"
)

// StartExchangeOfNode is what Serve does with the exchange.
func (a *App) StartExchangeOfNode(ctx context.Context, s *sipexchange.Sockets, listen string) (bool, error) {
	a.cfg.SIPListen = listen
	return a.startExchange(ctx, s)
}
