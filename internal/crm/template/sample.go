package template

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/kit/db"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		t := Template{
			AccountID: uuid.NewSHA1(tx.Tenant(), []byte(text)), Name: text, Language: "tr", Category: Utility, Status: Draft,
			Quality: "UNKNOWN", ParameterFormat: Positional, Components: []Component{{Type: Body, Text: text}},
		}
		return s.add(tx, &t)
	})
}
