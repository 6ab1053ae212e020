package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/audit"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// AllLicences are the modules that a workspace can have.
var AllLicences = []string{"advisor", "ai", "commerce", "crm", "erp", "mail", "telephony", "telephony_line"}

// NewWorkspace describes a workspace to create with its owner.
type NewWorkspace struct {
	Slug, Name, OwnerName, OwnerEmail, Password string
	Demo                                        bool
}

// CreateWorkspace creates a workspace and its owner in one transaction.
func (s *Service) CreateWorkspace(ctx context.Context, n NewWorkspace) (Workspace, Membership, error) {
	mail, ok := address.ParseEmail(n.OwnerEmail)
	if !ok {
		return Workspace{}, Membership{}, fault.Invalid("email", "invalid_address")
	}
	hash, err := s.cfg.Passwords.Hash(ctx, n.Password)
	if err != nil {
		return Workspace{}, Membership{}, err
	}
	var w Workspace
	var m Membership
	err = s.db.System("create workspace").InTx(ctx, func(tx *db.Tx) error {
		w = Workspace{ID: tx.NewID(), Slug: n.Slug, Name: n.Name}
		u := User{ID: tx.NewID(), Email: mail.Address, Name: n.OwnerName, Language: "tr"}
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

// GiveWorkspace creates a workspace for an operator. Its owner is the person with the
// owner's address; if nobody has it, a person is created with the password and a proven
// address, and fresh is true. The faults name the fields workspace_name, email and name.
func (s *Service) GiveWorkspace(ctx context.Context, workspaceName string, owner User, password string) (w Workspace, fresh bool, err error) {
	if workspaceName, err = CleanName("workspace_name", workspaceName); err != nil {
		return w, false, err
	}
	mail, ok := address.ParseEmail(owner.Email)
	if !ok {
		return w, false, fault.Invalid("email", "invalid_address")
	}
	owner.Email = mail.Address
	find := func(r *db.Reader) (User, error) { return FindUserByEmail(r, mail.Key) }
	known, err := db.Read(ctx, s.db.System("create workspace"), find)
	if fresh = db.IsNoRow(err); err != nil && !fresh {
		return w, false, fmt.Errorf("identity: find account: %w", err)
	}
	var hash string
	if fresh {
		if owner.Name, err = CleanName("name", owner.Name); err != nil {
			return w, false, err
		}
		if hash, err = s.cfg.Passwords.Hash(ctx, password); err != nil {
			return w, false, err
		}
	}
	err = s.db.Tenant(s.db.Clock().NewID()).InTx(ctx, func(tx *db.Tx) (err error) {
		if fresh {
			w, err = s.OpenAccount(tx, owner, mail.Key, hash, workspaceName)
		} else {
			w, err = openWorkspace(tx, known, workspaceName)
		}
		return err
	})
	if db.IsUnique(err) { // somebody opened the account meanwhile
		err = fault.New(fault.Conflict).Wrap(err)
	}
	return w, fresh, err
}

// WorkspaceByID returns a workspace.
func (s *Service) WorkspaceByID(ctx context.Context, id uuid.UUID) (Workspace, error) {
	return db.Read(ctx, s.db.Tenant(id), func(r *db.Reader) (Workspace, error) { return workspaceByID(r, id) })
}

// HasWorkspace reports whether a workspace exists.
func (s *Service) HasWorkspace(ctx context.Context, id uuid.UUID) (bool, error) {
	_, err := s.WorkspaceByID(ctx, id)
	return db.Found(err)
}

// Licences returns the modules that a workspace has.
func (s *Service) Licences(ctx context.Context, id uuid.UUID) (map[string]bool, error) {
	return db.Read(ctx, s.db.Tenant(id), func(r *db.Reader) (map[string]bool, error) {
		list, err := licencesOf(r)
		return licenceSet(list), err
	})
}

// OpenAccount creates a person and their first workspace, which they own, in a transaction
// of the new workspace's id. The slug is derived from the name.
func (s *Service) OpenAccount(tx *db.Tx, owner User, emailKey, passwordHash, workspaceName string) (Workspace, error) {
	owner.ID = tx.NewID()
	if err := putUser(tx, owner, emailKey, passwordHash); err != nil {
		return Workspace{}, err
	}
	return openWorkspace(tx, owner, workspaceName)
}

// openWorkspace creates the transaction's workspace with a person as owner. If the slug of
// its name is taken or reserved, it gets another.
func openWorkspace(tx *db.Tx, owner User, name string) (Workspace, error) {
	w := Workspace{ID: tx.Tenant(), Slug: slugOf(name), Name: name}
	if taken, err := slugTaken(&tx.Reader, w.Slug); err != nil {
		return Workspace{}, err
	} else if taken || ReservedSlug(w.Slug) {
		w.Slug = anotherSlug(w.Slug, tx.NewCapability())
	}
	if err := putTenant(tx, w, AllLicences, false); err != nil {
		return Workspace{}, err
	}
	if err := putMembership(tx, w.ID, owner.ID, Membership{ID: tx.NewID(), Role: RoleOwner}); err != nil {
		return Workspace{}, err
	}
	return w, audit.Write(tx, "workspace.created", w.ID.String(), map[string]any{"name": w.Name, "owner": owner.Email})
}

// AddMember creates a person and adds them to a workspace.
func (s *Service) AddMember(ctx context.Context, tenant uuid.UUID, name, email, password, role string) error {
	mail, ok := address.ParseEmail(email)
	if !ok {
		return fault.Invalid("email", "invalid_address")
	}
	hash, err := s.cfg.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.db.System("add member").InTx(ctx, func(tx *db.Tx) error {
		u := User{ID: tx.NewID(), Email: mail.Address, Name: name, Language: "tr"}
		if err := putUser(tx, u, mail.Key, hash); err != nil {
			return err
		}
		return putMembership(tx, tenant, u.ID, Membership{ID: tx.NewID(), Role: role})
	})
}

// Tenants counts the workspaces, demo ones or others.
func (s *Service) Tenants(ctx context.Context, demo bool) (int, error) {
	return db.Read(ctx, s.db.System("count workspaces"), func(r *db.Reader) (int, error) {
		return countTenants(r, demo)
	})
}

// TenantBySlug finds a workspace by the label of its host.
func (s *Service) TenantBySlug(ctx context.Context, slug string) (uuid.UUID, error) {
	return db.Read(ctx, s.db.System("count workspaces"), func(r *db.Reader) (uuid.UUID, error) {
		return tenantBySlug(r, slug)
	})
}
