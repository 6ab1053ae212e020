package conversation

import (
	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Where answers to a request go that a program opened: by e-mail, or nowhere because the
// program shows them itself.
const (
	ReplyByEmail = "email"
	ReplyNowhere = "none"
)

// FindRoute asks the router for the route to a customer. A refusal is returned together
// with the account that refuses.
func (s *Service) FindRoute(r *db.Reader, customer uuid.UUID, w Wish) (*Route, error) {
	var err error
	if w.Contact, err = s.Contacts.Whole(r, customer); err != nil {
		if db.IsNoRow(err) {
			return nil, nil // a deleted contact cannot be reached
		}
		return nil, err
	}
	return s.Router.Route(r, w)
}
