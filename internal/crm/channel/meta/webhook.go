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
	// maxEvents is how many things one call may tell: more than the provider packs
	// together, and few enough that a stranger's call costs little.
	maxEvents = 1000
	// maxNames is how many accounts one call may name: it is signed by one app.
	maxNames = 50
)

// Receiver takes the provider's calls. Each tells several events of several accounts
// and is signed with an app's secret.
type Receiver[E any] struct {
	Log *slog.Logger
	// VerifyToken is what the provider shows when it asks whether the address is ours.
	VerifyToken string
	// Read reads a call.
	Read func(body []byte) ([]E, error)
	// Names are the names that an event gives accounts. It is for those of the first;
	// the others prove as well that the call is for somebody here.
	Names func(E) []string
	// Owners finds the accounts of a name, of any workspace. It returns them together
	// with workspace_suspended where others could not be read.
	Owners func(ctx context.Context, name string) ([]channel.Owned, error)
	// Signed says whether a call is signed for an account.
	Signed func(ctx context.Context, a channel.Account, body []byte, signature string) (bool, error)
	// Brings says whether an event brings a message, for which the account must work.
	Brings func(E) bool
	// Take takes one event of an account.
	Take func(ctx context.Context, a channel.Account, e E) error
}

// NewVerifyToken derives the token of a kind's address from the installation's secret.
func NewVerifyToken(box *secret.Box, kind string) string {
	mac := hmac.New(sha256.New, box.Derive(kind))
	mac.Write([]byte("verify token"))
	return hex.EncodeToString(mac.Sum(nil))[:32]
}

// Challenge answers the provider's question whether an address is ours; not_found
// where it does not know the token.
func (r *Receiver[E]) Challenge(mode, token, challenge string) (string, error) {
	if mode != "subscribe" || subtle.ConstantTimeCompare([]byte(token), []byte(r.VerifyToken)) != 1 {
		return "", fault.New(fault.NotFound)
	}
	return challenge, nil
}

// Receive takes a call of the provider. One that is not signed for an account of ours
// looks like a call for one that nobody has: not_found. Where an account's workspace is
// suspended the others take what is theirs, and it returns workspace_suspended, so that
// the provider brings the call again.
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

// signedOwners finds the accounts of a name that a call is signed for. It returns those
// together with workspace_suspended where others could not be asked.
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

// takeFor takes an event for one account. It returns an error where the provider shall
// bring the event again.
func (r *Receiver[E]) takeFor(ctx context.Context, ip string, o channel.Owned, e E) error {
	if r.Brings(e) && !o.Account.Works() {
		// Paused by a person: nothing comes in. The provider holds it and calls again,
		// for a while.
		return fault.New(fault.ChannelUnavailable).Because(o.Account.Status)
	}
	err := r.Take(o.Context(ctx, ip), o.Account, e)
	if f, refused := fault.As(err); refused && f.Code.Status() < 500 {
		// It will be refused each time, so the provider need not bring it again; the
		// others of the call are not held up by it.
		r.Log.WarnContext(ctx, "an event of the provider cannot be taken", "account", o.Account.ID, "error", err)
		return nil
	}
	return err
}
