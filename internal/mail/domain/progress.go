package domain

import (
	"slices"

	"konak/internal/kit/db"
)

// Progress is the progress of a workspace's mail setup: that of the most advanced domain,
// and the number of mailboxes.
type Progress struct {
	Domain                 string
	Owned, MX, AuthRecords bool
	Mailboxes              int
}

// furthest orders the states of domains by progress.
var furthest = []string{Pending, Suspended, Verifying, Degraded, Active}

// ReadProgress returns the progress of a workspace's mail setup.
func (s *Service) ReadProgress(r *db.Reader) (p Progress, err error) {
	if p.Mailboxes, err = countMailboxes(r); err != nil {
		return p, err
	}
	rows, err := allRows(r)
	if err != nil || len(rows) == 0 {
		return p, err
	}
	d := slices.MaxFunc(rows, func(a, b row) int { return slices.Index(furthest, a.State) - slices.Index(furthest, b.State) })
	ok := func(purpose string) bool { return d.results[purpose].Status == StatusOK }
	p.Domain, p.Owned, p.MX = d.Display, d.owned(), ok(purposeMX)
	p.AuthRecords = ok(purposeSPF) && ok(purposeRSA) && ok(purposeDMARC)
	return p, nil
}
