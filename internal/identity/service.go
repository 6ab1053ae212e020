package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

// Service is the identity room.
type Service struct {
	db     *db.DB
	hasher *hasher
	cache  *otter.Cache[[sha256.Size]byte, *proven]
}

// proven is a credential that was looked up a moment ago.
type proven struct {
	caller  *caller.Caller
	expires time.Time // zero: never
}

func (p *proven) valid(now time.Time) bool { return p.expires.IsZero() || now.Before(p.expires) }

// cacheFor bounds how long a revoked credential may still pass on a node that
// did not revoke it.
const cacheFor = 5 * time.Second

// New opens the room.
func New(d *db.DB) *Service {
	return &Service{
		db: d, hasher: newHasher(),
		cache: otter.Must(&otter.Options[[sha256.Size]byte, *proven]{
			MaximumSize:      100_000,
			ExpiryCalculator: otter.ExpiryWriting[[sha256.Size]byte, *proven](cacheFor),
		}),
	}
}

// Authenticate implements api.Authenticator.
func (s *Service) Authenticate(ctx context.Context, token string) (*caller.Caller, error) {
	isKey := secret.WellFormed(token, secret.KeyLivePrefix) || secret.WellFormed(token, secret.KeyTestPrefix)
	if !isKey && !secret.WellFormed(token, secret.SessionPrefix) {
		return nil, fault.New(fault.Unauthenticated)
	}
	hash := sha256.Sum256([]byte(token))
	now := s.db.Clock().Now()
	if p, ok := s.cache.GetIfPresent(hash); ok && p.valid(now) {
		return p.caller, nil
	}
	find, make := sessionByHash, sessionCaller
	if isKey {
		find, make = keyByHash, keyCaller
	}
	var row credentialRow
	err := s.db.System("credential look-up").Read(ctx, func(r *db.Reader) (err error) {
		row, err = find(r, hash[:])
		return err
	})
	if db.IsNoRow(err) {
		return nil, fault.New(fault.Unauthenticated)
	}
	if err != nil {
		return nil, fmt.Errorf("identity: look up credential: %w", err)
	}
	p := make(row)
	if !p.valid(now) {
		return nil, fault.New(fault.Unauthenticated)
	}
	if !isKey && now.Sub(row.lastSeenAt) >= seenEvery {
		err := s.db.System("session last seen").InTx(ctx, func(tx *db.Tx) error { return touchSession(tx, row.id) })
		if err != nil {
			return nil, fmt.Errorf("identity: touch session: %w", err)
		}
		p = make(row)
		p.expires = earlier(now.Add(SessionIdle), row.expiresAt)
	}
	s.cache.Set(hash, p)
	return p.caller, nil
}

func sessionCaller(row credentialRow) *proven {
	return &proven{
		caller: &caller.Caller{
			Kind: caller.Agent, TenantID: row.tenantID, Slug: row.slug, ID: row.membershipID,
			UserID: row.userID, SessionID: row.id, VerifiedAt: row.verifiedAt,
			Perms: rolePermissions[row.role], Licences: licenceSet(row.licences),
		},
		expires: earlier(row.lastSeenAt.Add(SessionIdle), row.expiresAt),
	}
}

func keyCaller(row credentialRow) *proven {
	return &proven{
		caller: &caller.Caller{
			Kind: caller.APIKey, TenantID: row.tenantID, Slug: row.slug, ID: row.id,
			Perms: perm.NewSet(row.scopes...), Licences: licenceSet(row.licences), Test: row.environment == "test",
		},
		expires: row.expiresAt,
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func licenceSet(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// SignedIn is the answer to a sign-in.
type SignedIn struct {
	Token     string      `json:"session_token" example:"ses_…" doc:"Shown once"`
	Session   SessionInfo `json:"session"`
	User      User        `json:"user"`
	Workspace Workspace   `json:"workspace"`
}

// SignIn proves a password and opens a session in the person's workspace: the
// one of the host, or the first.
func (s *Service) SignIn(ctx context.Context, email, password, device, slug, ip string) (SignedIn, error) {
	var a account
	key := address.Fold(strings.TrimSpace(email))
	err := s.db.System("sign-in").Read(ctx, func(r *db.Reader) (err error) {
		a, err = accountByEmail(r, key, slug)
		return err
	})
	unknown := db.IsNoRow(err)
	if err != nil && !unknown {
		return SignedIn{}, fmt.Errorf("identity: find account: %w", err)
	}
	if unknown {
		a.passwordHash = dummy
	}
	ok, err := s.hasher.verify(ctx, a.passwordHash, password)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok || unknown {
		return SignedIn{}, fault.New(fault.WrongCredentials)
	}
	return s.openSession(ctx, a, device, ip)
}

func (s *Service) openSession(ctx context.Context, a account, device, ip string) (SignedIn, error) {
	token := secret.NewToken(secret.SessionPrefix)
	out := SignedIn{Token: token, User: a.user, Workspace: a.workspace}
	err := s.db.System("sign-in").InTx(ctx, func(tx *db.Tx) error {
		expires := tx.Now().Add(SessionCeiling)
		id, err := putSession(tx, a, secret.Hash(token), device, ip, expires)
		out.Session = SessionInfo{ID: id, DeviceName: device, CreatedAt: clock.At(tx.Now()), ExpiresAt: clock.At(expires)}
		return err
	})
	if err != nil {
		return SignedIn{}, fmt.Errorf("identity: open session: %w", err)
	}
	return out, nil
}

// SignOut ends the caller's session.
func (s *Service) SignOut(ctx context.Context) error {
	who := caller.From(ctx)
	var hash []byte
	err := s.db.System("sign-out").InTx(ctx, func(tx *db.Tx) (err error) {
		hash, err = closeSession(tx, who.SessionID, "signed_out")
		return err
	})
	if err != nil {
		return fmt.Errorf("identity: sign out: %w", err)
	}
	s.cache.Invalidate([sha256.Size]byte(hash))
	return nil
}

// Me is who is signed in and what they may do.
type Me struct {
	User        User              `json:"user"`
	Workspace   Workspace         `json:"workspace"`
	Membership  Membership        `json:"membership"`
	Permissions []perm.Permission `json:"permissions"`
	Licences    []string          `json:"licences"`
}

// Me tells the caller about themselves.
func (s *Service) Me(ctx context.Context) (Me, error) {
	who := caller.From(ctx)
	var a account
	err := s.db.Tenant(who.TenantID).Read(ctx, func(r *db.Reader) (err error) {
		a, err = userAndWorkspace(r, who.ID)
		return err
	})
	if err != nil {
		return Me{}, fmt.Errorf("identity: me: %w", err)
	}
	me := Me{User: a.user, Workspace: a.workspace, Membership: a.membership, Permissions: who.Perms.Sorted(), Licences: []string{}}
	for _, l := range AllLicences {
		if who.Licences[l] {
			me.Licences = append(me.Licences, l)
		}
	}
	return me, nil
}

// AllLicences are the modules that a workspace can have.
var AllLicences = []string{"advisor", "ai", "commerce", "crm", "erp", "mail", "telephony"}

// NewWorkspace describes a workspace to create with its owner.
type NewWorkspace struct {
	Slug, Name, OwnerName, OwnerEmail, Password string
	Demo                                        bool
}

// CreateWorkspace makes a workspace and its owner in one transaction.
func (s *Service) CreateWorkspace(ctx context.Context, n NewWorkspace) (Workspace, Membership, error) {
	mail, ok := address.ParseEmail(n.OwnerEmail)
	if !ok {
		return Workspace{}, Membership{}, fault.Invalid("email", "invalid_address")
	}
	hash, err := s.hasher.hash(ctx, n.Password)
	if err != nil {
		return Workspace{}, Membership{}, err
	}
	var w Workspace
	var m Membership
	err = s.db.System("create workspace").InTx(ctx, func(tx *db.Tx) error {
		w = Workspace{ID: tx.NewID(), Slug: n.Slug, Name: n.Name}
		u := User{ID: tx.NewID(), Email: mail.Address, Name: n.OwnerName}
		m = Membership{ID: tx.NewID(), Role: RoleOwner}
		if err := putTenant(tx, w, AllLicences, n.Demo); err != nil {
			return err
		}
		if err := putUser(tx, u, mail.Key, hash); err != nil {
			return err
		}
		return putMembership(tx, w.ID, u.ID, m)
	})
	if db.IsUnique(err) {
		err = fault.New(fault.Conflict).Wrap(err)
	}
	return w, m, err
}

// AddMember makes a person and puts them into a workspace.
func (s *Service) AddMember(ctx context.Context, tenant uuid.UUID, name, email, password, role string) error {
	mail, ok := address.ParseEmail(email)
	if !ok {
		return fault.Invalid("email", "invalid_address")
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.db.System("add member").InTx(ctx, func(tx *db.Tx) error {
		u := User{ID: tx.NewID(), Email: mail.Address, Name: name}
		if err := putUser(tx, u, mail.Key, hash); err != nil {
			return err
		}
		return putMembership(tx, tenant, u.ID, Membership{ID: tx.NewID(), Role: role})
	})
}

// CreateKey makes an API key and shows it once.
func (s *Service) CreateKey(ctx context.Context, tenant uuid.UUID, name string, test bool, scopes []perm.Permission) (secret.Text, error) {
	prefix, environment := secret.KeyLivePrefix, "live"
	if test {
		prefix, environment = secret.KeyTestPrefix, "test"
	}
	token := secret.NewToken(prefix)
	err := s.db.System("create key").InTx(ctx, func(tx *db.Tx) error {
		_, err := putKey(tx, tenant, name, environment, scopes, secret.Hash(token), secret.Last4(token))
		return err
	})
	return secret.Of(token), err
}

// Tenants counts the workspaces, demo ones or others.
func (s *Service) Tenants(ctx context.Context, demo bool) (n int, err error) {
	err = s.db.System("count workspaces").Read(ctx, func(r *db.Reader) (err error) {
		n, err = countTenants(r, demo)
		return err
	})
	return n, err
}
