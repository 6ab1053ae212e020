package domain

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Addresses that every domain has. Where there is no such mailbox, mail to people comes to
// the first one of the workspace; reports of programs, which our own DNS records ask for,
// are taken and read by nobody.
var (
	rolesOfPeople   = []string{"postmaster", "abuse"}
	rolesOfPrograms = []string{dmarcReports, tlsReports}
)

// The names of the addresses that the DNS records name.
const (
	dmarcReports = "dmarc"
	tlsReports   = "tlsrpt"
)

// FindRole returns the workspace of an address that every domain has, and the address of
// the mailbox that its mail goes to, "" for mail that nobody reads. It returns not_found
// for any other address, and for one of people where the workspace has no mailbox at all:
// whoever writes there must hear that nobody reads it. It is for addresses that have no
// mailbox.
func (s *Service) FindRole(ctx context.Context, addr string) (tenant uuid.UUID, to string, err error) {
	bare, name, ok := foldAddress(addr)
	role, _, _ := strings.Cut(bare, "@")
	if !ok || !slices.Contains(rolesOfPeople, role) && !slices.Contains(rolesOfPrograms, role) {
		return tenant, "", fault.New(fault.NotFound)
	}
	if tenant, err = s.FindOwner(ctx, name); err != nil {
		return tenant, "", err
	}
	if tenant == uuid.Nil {
		return tenant, "", fault.New(fault.NotFound)
	}
	if slices.Contains(rolesOfPrograms, role) {
		return tenant, "", nil
	}
	m, err := db.Read(ctx, s.DB.Tenant(tenant), func(r *db.Reader) (Mailbox, error) { return firstMailbox(r, name) })
	return tenant, m.Address, db.NotFound(err)
}
