package api

import "context"

// LookAgain checks the credential of the stream of ctx, as its timer does.
func (a *API) LookAgain(ctx context.Context) error {
	return a.recheck(ctx, ctx.Value(openStreamKey{}).(*openStream))
}
