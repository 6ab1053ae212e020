package signin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"konak/internal/identity"
	"konak/internal/identity/notice"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const (
	challengeFor = 5 * time.Minute
	maxPasskeys  = 20
)

// partyOf returns this installation as authenticators know it, with the origin of the
// workspace's host if the request came to one.
func (s *Service) partyOf(ctx context.Context) (*webauthn.WebAuthn, error) {
	base, err := url.Parse(s.cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("signin: base address: %w", err)
	}
	var origins []string
	if host := api.ModuleHost(ctx); host != "" {
		origins = append(origins, base.Scheme+"://"+strings.Replace(base.Host, base.Hostname(), host, 1))
	}
	w, err := s.relyingParty(origins...)
	if err != nil {
		return nil, fmt.Errorf("signin: passkeys: %w", err)
	}
	return w, nil
}

func (s *Service) findPasskeyOwner(r *db.Reader, u identity.User) (passkeyOwner, error) {
	credentials, err := credentialsOf(r, u.ID)
	if err != nil {
		return passkeyOwner{}, fmt.Errorf("signin: find passkeys: %w", err)
	}
	return passkeyOwner{u, credentials}, nil
}

// Passkeys lists the caller's passkeys.
func (s *Service) Passkeys(ctx context.Context, p db.Page) (db.List[Passkey], error) {
	return db.Read(ctx, s.db.TenantOf(ctx), func(r *db.Reader) (db.List[Passkey], error) {
		return listPasskeys(r, caller.From(ctx).UserID, p)
	})
}

// BeginPasskey returns what the browser needs to create a passkey.
func (s *Service) BeginPasskey(ctx context.Context) (out PasskeyChallenge, err error) {
	party, err := s.partyOf(ctx)
	if err != nil {
		return out, err
	}
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := findOwnAccount(&tx.Reader)
		if err != nil {
			return err
		}
		owner, err := s.findPasskeyOwner(&tx.Reader, a.User)
		if err != nil {
			return err
		}
		if len(owner.credentials) >= maxPasskeys {
			return fault.New(fault.LimitReached, maxPasskeys)
		}
		options, session, err := party.BeginRegistration(&owner,
			webauthn.WithExclusions(webauthn.Credentials(owner.credentials).CredentialDescriptors()))
		if err != nil {
			return fmt.Errorf("signin: begin passkey: %w", err)
		}
		out = PasskeyChallenge{ID: tx.NewCapability(), Options: options}
		return putChallenge(tx, out.ID, &a.User.ID, *session, tx.Now().Add(challengeFor))
	})
	return out, err
}

// AddPasskey stores the passkey that the browser created.
func (s *Service) AddPasskey(ctx context.Context, challenge uuid.UUID, name string, answer json.RawMessage) (Passkey, error) {
	party, err := s.partyOf(ctx)
	if err != nil {
		return Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Passkey{}, fault.New(fault.PasskeyRefused).Wrap(err)
	}
	var out Passkey
	who := caller.From(ctx)
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		session, err := takeChallenge(tx, challenge, &who.UserID)
		if err != nil {
			return db.IfNoRow(fmt.Errorf("signin: take challenge: %w", err), fault.New(fault.PasskeyRefused))
		}
		a, err := findOwnAccount(&tx.Reader)
		if err != nil {
			return err
		}
		credential, err := party.CreateCredential(&passkeyOwner{user: a.User}, session, parsed)
		if err != nil {
			return fault.New(fault.PasskeyRefused).Wrap(err)
		}
		out = Passkey{
			ID: tx.NewID(), Name: strings.TrimSpace(name), Synced: credential.Flags.BackupState, CreatedAt: clock.At(tx.Now()),
		}
		if free, err := putPasskey(tx, a.User.ID, out, *credential); err != nil {
			return fmt.Errorf("signin: put passkey: %w", err)
		} else if !free {
			return fault.New(fault.Conflict)
		}
		if err := s.cfg.Mailer.Send(tx, notice.PasskeyAdded.For(a.User.Recipient(), "")); err != nil {
			return err
		}
		return audit.Write(tx, "passkey.added", out.ID.String(), map[string]any{"name": out.Name})
	})
	return out, err
}

// DropPasskey removes one of the caller's passkeys.
func (s *Service) DropPasskey(ctx context.Context, id uuid.UUID) error {
	return s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		name, err := dropPasskey(tx, caller.From(ctx).UserID, id)
		if err != nil {
			return db.NotFound(err)
		}
		return audit.Write(tx, "passkey.removed", id.String(), map[string]any{"name": name})
	})
}

// BeginPasskeySignIn returns what the browser needs to show any passkey of this
// installation: the person is not known yet.
func (s *Service) BeginPasskeySignIn(ctx context.Context) (out PasskeyChallenge, err error) {
	party, err := s.partyOf(ctx)
	if err != nil {
		return out, err
	}
	err = s.db.System("sign-in").InTx(ctx, func(tx *db.Tx) error {
		options, session, err := party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
		if err != nil {
			return fmt.Errorf("signin: begin passkey sign-in: %w", err)
		}
		out = PasskeyChallenge{ID: tx.NewCapability(), Options: options}
		return putChallenge(tx, out.ID, nil, *session, tx.Now().Add(challengeFor))
	})
	return out, err
}

// PasskeySignIn opens a session for the owner of a passkey. The device has checked a
// fingerprint, a face or a PIN, so it counts as both steps.
func (s *Service) PasskeySignIn(ctx context.Context, challenge uuid.UUID, answer json.RawMessage, slug string, d identity.Device) (identity.SignedIn, error) {
	party, err := s.partyOf(ctx)
	if err != nil {
		return identity.SignedIn{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return identity.SignedIn{}, fault.New(fault.PasskeyRefused).Wrap(err)
	}
	var a identity.Account
	err = s.db.System("sign-in").InTx(ctx, func(tx *db.Tx) error {
		session, err := takeChallenge(tx, challenge, nil)
		if err != nil {
			return db.IfNoRow(fmt.Errorf("signin: take challenge: %w", err), fault.New(fault.PasskeyRefused))
		}
		credential, err := party.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
			user, err := uuid.FromBytes(handle)
			if err != nil {
				return nil, err
			}
			if a, err = identity.FindAccountByUser(&tx.Reader, user, slug); err != nil {
				return nil, err
			}
			owner, err := s.findPasskeyOwner(&tx.Reader, a.User)
			return &owner, err
		}, session, parsed)
		return s.recordPasskeyUse(tx, credential, err)
	})
	if err != nil {
		return identity.SignedIn{}, err
	}
	return s.openSession(ctx, a, d, MethodPasskey)
}

// beginAssertion asks a known person for one of their passkeys.
func (s *Service) beginAssertion(ctx context.Context, owner *passkeyOwner) (options any, challenge string, err error) {
	party, err := s.partyOf(ctx)
	if err != nil {
		return nil, "", err
	}
	options, session, err := party.BeginLogin(owner, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return nil, "", fmt.Errorf("signin: begin passkey: %w", err)
	}
	b, err := json.Marshal(session)
	return options, string(b), err
}

// checkAssertion checks a known person's passkey. It returns fault.PasskeyRefused
// if it is not one of theirs.
func (s *Service) checkAssertion(tx *db.Tx, owner *passkeyOwner, challenge string, answer json.RawMessage) error {
	party, err := s.partyOf(tx.Context())
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return fault.New(fault.PasskeyRefused).Wrap(err)
	}
	var session webauthn.SessionData
	if err := json.Unmarshal([]byte(challenge), &session); err != nil {
		return fmt.Errorf("signin: read challenge: %w", err)
	}
	credential, err := party.ValidateLogin(owner, session, parsed)
	return s.recordPasskeyUse(tx, credential, err)
}

// recordPasskeyUse stores a passkey's state after a use. A counter that went backwards is
// the sign of a copy.
func (s *Service) recordPasskeyUse(tx *db.Tx, c *webauthn.Credential, err error) error {
	if err != nil {
		return fault.New(fault.PasskeyRefused).Wrap(err)
	}
	if c.Authenticator.CloneWarning {
		return fault.New(fault.PasskeyRefused).Because("copied")
	}
	return touchPasskey(tx, *c)
}
