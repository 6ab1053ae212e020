package sipexchange

import (
	"context"
	"errors"
	"strings"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
)

// FindAccount finds the tenant and the messaging account that a provider's call with a key
// is for. It returns exchange.ErrUnknown if there is none.
type FindAccount func(ctx context.Context, key, dialled string) (tenant, account uuid.UUID, err error)

// maxUser limits the user part of an address with its parameters.
const maxUser = 256

// accountKey returns the dialled number and the key next to it in the user part of an
// address; ok is false if there is no key.
func accountKey(user string) (dialled, key string, ok bool) {
	if len(user) > maxUser {
		return "", "", false
	}
	dialled, rest, _ := strings.Cut(user, ";")
	for parameter := range strings.SplitSeq(rest, ";") {
		if name, value, _ := strings.Cut(parameter, "="); name == exchange.AccountKey {
			return dialled, value, true
		}
	}
	return "", "", false
}

// identifyAccount finds the messaging account that a provider's call is for: by its key,
// over TLS, and with encrypted sound. If it returns false, it has answered the INVITE.
func (x *Exchange) identifyAccount(req *sip.Request, tx *sip.ServerTx, dialled, key string) (caller, bool) {
	if x.cfg.FindAccount == nil || req.Transport() != transportTLS || !isDialable(dialled) {
		respondOnce(tx, req, 403, "Forbidden")
		return caller{}, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTimeout)
	defer cancel()
	tenant, account, err := x.cfg.FindAccount(ctx, key, dialled)
	switch {
	case errors.Is(err, exchange.ErrUnknown):
		respondOnce(tx, req, 403, "Forbidden")
		return caller{}, false
	case err != nil:
		x.cfg.Log.Error("cannot look up the destination of a call", "error", err)
		respondOnce(tx, req, 503, "Service Unavailable", sip.NewHeader("Retry-After", "10"))
		return caller{}, false
	}
	return caller{
		tenant: tenant, trunk: account, from: clean(numberOf(req.From().Address), 64), to: dialled, encryption: exchange.EncryptionRequired,
	}, true
}

// TLSPort returns the port of SIP over TLS; zero if it is not served.
func (x *Exchange) TLSPort() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closing || x.sockets == nil {
		return 0
	}
	return int(x.sockets.TLSAddr().Port())
}
