package domain

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Addresses that every domain has. If such a mailbox does not exist, mail to rolesOfPeople
// goes to the first mailbox of the workspace; automatic reports, which our own DNS records
// request, are accepted and read by nobody.
var (
	rolesOfPeople   = []string{"postmaster", "abuse"}
	rolesOfPrograms = []string{dmarcReports, tlsReports}
)

// The local parts of the addresses in the DNS records.
const (
	dmarcReports = "dmarc"
	tlsReports   = "tlsrpt"
)

// FindRole returns the workspace of an address that every domain has, and the address of
// the mailbox that receives its mail, "" for mail that nobody reads. It returns not_found
// for any other address, and for one of rolesOfPeople if the workspace has no mailbox at
// all: the sender must learn that nobody reads the mail. Call it only for addresses without
// a mailbox.
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
