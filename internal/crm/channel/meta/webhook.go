package meta

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"

	"konak/internal/crm/channel"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

const (
	// maxEvents is the maximum number of events in one call: more than the provider packs
	// together, and few enough that a stranger's call costs little.
	maxEvents = 1000
	// maxNames is the maximum number of accounts that one call may name: it is signed by
	// one app.
	maxNames = 50
)

// Receiver handles the provider's calls. A call contains events of several accounts and is
// signed with an app's secret.
type Receiver[E any] struct {
	Log *slog.Logger
	// VerifyToken is the token that the provider shows when it verifies our address.
	VerifyToken string
	// Read decodes a call.
	Read func(body []byte) ([]E, error)
	// Names returns the names of accounts in an event. The event is for the accounts of the
	// first name; the others also prove that the call is meant for this installation.
	Names func(E) []string
	// Owners finds the accounts of a name, of any workspace. If others could not be read,
	// it also returns workspace_suspended.
	Owners func(ctx context.Context, name string) ([]channel.Owned, error)
	// Signed reports whether a call is signed for an account.
	Signed func(ctx context.Context, a channel.Account, body []byte, signature string) (bool, error)
	// Brings reports whether an event contains messages, which only a working account may
	// take.
	Brings func(E) bool
	// Take handles one event of an account.
	Take func(ctx context.Context, a channel.Account, e E) error
}

// NewVerifyToken derives the verify token of a kind's webhook from the installation's
// secret.
func NewVerifyToken(box *secret.Box, kind string) string {
	mac := hmac.New(sha256.New, box.Derive(kind))
	mac.Write([]byte("verify token"))
	return hex.EncodeToString(mac.Sum(nil))[:32]
}

// Challenge answers the provider's verification of our address; not_found if the token is
// wrong.
func (r *Receiver[E]) Challenge(mode, token, challenge string) (string, error) {
	if mode != "subscribe" || subtle.ConstantTimeCompare([]byte(token), []byte(r.VerifyToken)) != 1 {
		return "", fault.New(fault.NotFound)
	}
	return challenge, nil
}

// Receive handles a call of the provider. A call that is not signed for one of our accounts
// gets the same answer as one for an unknown account: not_found. If an account's workspace
// is suspended, the other accounts still take their events, and Receive returns
// workspace_suspended, so that the provider repeats the call.
func (r *Receiver[E]) Receive(ctx context.Context, ip string, body []byte, signature string) error {
	events, err := r.Read(body)
	if err != nil {
		return fault.New(fault.BadRequest).Wrap(err)
	}
	if len(events) > maxEvents {
		return fault.New(fault.NotFound)
	}
	signed := map[string][]channel.Owned{}
	known := 0
	var later error
	for _, e := range events {
		for _, name := range r.Names(e) {
			if _, looked := signed[name]; looked {
				continue
			}
			if len(signed) >= maxNames {
				return fault.New(fault.NotFound)
			}
			signed[name], err = r.signedOwners(ctx, ip, name, body, signature)
			if err != nil && !fault.Is(err, fault.WorkspaceSuspended) {
				return err
			}
			later = cmp.Or(later, err)
			known += len(signed[name])
		}
	}
	if known == 0 {
		return cmp.Or(later, error(fault.New(fault.NotFound)))
	}
	for _, e := range events {
		names := r.Names(e)
		if len(names) == 0 {
			continue
		}
		for _, o := range signed[names[0]] {
			if err := r.takeFor(ctx, ip, o, e); err != nil {
				later = err
			}
		}
	}
	return later
}

// signedOwners finds the accounts of a name that a call is signed for. If others could not
// be checked, it also returns workspace_suspended.
func (r *Receiver[E]) signedOwners(ctx context.Context, ip, name string, body []byte, signature string) (out []channel.Owned, err error) {
	list, suspended := r.Owners(ctx, name)
	if suspended != nil && !fault.Is(suspended, fault.WorkspaceSuspended) {
		return nil, suspended
	}
	for _, o := range list {
		ok, err := r.Signed(o.Context(ctx, ip), o.Account, body, signature)
		switch {
		case fault.Is(err, fault.WorkspaceSuspended):
			suspended = err
		case channel.IgnoreDeleted(err) != nil:
			return nil, err
		case ok:
			out = append(out, o)
		}
	}
	return out, suspended
}

// takeFor handles an event for one account. It returns an error if the provider should send
// the event again.
func (r *Receiver[E]) takeFor(ctx context.Context, ip string, o channel.Owned, e E) error {
	if r.Brings(e) && !o.Account.Works() {
		// Paused by a person: nothing comes in. The provider keeps the event and calls
		// again, for a while.
		return fault.New(fault.ChannelUnavailable).Because(o.Account.Status)
	}
	err := r.Take(o.Context(ctx, ip), o.Account, e)
	if f, refused := fault.As(err); refused && f.Code.Status() < 500 {
		// It would be refused every time, so the provider need not send it again, and it
		// must not hold up the other events of the call.
		r.Log.WarnContext(ctx, "an event from the provider was refused and skipped", "account", o.Account.ID, "error", err)
		return nil
	}
	return err
}
