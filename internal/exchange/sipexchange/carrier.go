package sipexchange

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"konak/internal/exchange"
)

// Carrier is the operator's line. Calls from its addresses need no authentication and go to
// the workspace that has the dialled number.
type Carrier struct {
	// Server is host or host:port.
	Server string
	// From is where its calls come from; if empty, from the server's addresses.
	From []netip.Prefix
	// Secure is set if it uses TLS: unencrypted messages are then not from it.
	Secure bool
	// Encryption is whether its sound is encrypted.
	Encryption exchange.Encryption
	// FindNumber finds the tenant that has a number, and the id of the line in that tenant.
	// It returns exchange.ErrUnknown for a number that nobody has.
	FindNumber func(ctx context.Context, number string) (tenant, trunk uuid.UUID, err error)

	mu    sync.Mutex
	addrs []netip.Addr // of the server, when last looked up
}

// findTimeout limits the search for the workspace that a call is for.
const findTimeout = 5 * time.Second

// keepAddresses looks up the server's addresses until the context ends. If a lookup fails,
// the previous addresses stay.
func (c *Carrier) keepAddresses(ctx context.Context) {
	if len(c.From) > 0 {
		return
	}
	for ctx.Err() == nil {
		wait := resolveEvery
		if host, _, err := splitServer(c.Server, "udp"); err == nil {
			found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
			if err != nil {
				wait = firstRetry
			} else {
				c.mu.Lock()
				c.addrs = found
				c.mu.Unlock()
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// sends reports whether calls from an address are the carrier's.
func (c *Carrier) sends(from netip.Addr) bool {
	if c == nil || !from.IsValid() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.From, func(p netip.Prefix) bool { return p.Contains(from) }) ||
		slices.ContainsFunc(c.addrs, func(a netip.Addr) bool { return a.Unmap() == from })
}

// calls reports whether an INVITE is the carrier's.
func (c *Carrier) calls(req *sip.Request) bool {
	return c.sends(source(req).Addr()) && (!c.Secure || req.Transport() == transportTLS)
}

// identifyNumber finds the workspace that a call of the carrier is for. If it returns
// false, it has answered the INVITE.
func (x *Exchange) identifyNumber(req *sip.Request, tx *sip.ServerTx) (caller, bool) {
	dialled := req.Recipient.User
	if !isDialable(dialled) {
		respond(tx, req, 404, "Not Found")
		return caller{}, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), findTimeout)
	defer cancel()
	tenant, trunk, err := x.cfg.Carrier.FindNumber(ctx, dialled)
	switch {
	case errors.Is(err, exchange.ErrUnknown):
		respond(tx, req, 404, "Not Found")
		return caller{}, false
	case err != nil:
		x.cfg.Log.Error("cannot look up the destination of a call", "error", err)
		respond(tx, req, 503, "Service Unavailable", sip.NewHeader("Retry-After", "10"))
		return caller{}, false
	}
	return caller{tenant: tenant, trunk: trunk, from: clean(numberOf(req.From().Address), 64), to: dialled, encryption: x.cfg.Carrier.Encryption}, true
}
