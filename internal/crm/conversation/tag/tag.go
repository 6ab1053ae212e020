// Package tag lists the tags of a workspace's conversations, so that they can be suggested.
// It owns no table: it reads what the gate writes.
package tag

import (
	"context"
	"slices"

	"konak/internal/crm/contact"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
)

// limit is the number of tags that are listed, in alphabetical order.
const limit = 1000

// Service lists tags.
type Service struct{ db *db.DB }

// New returns the service.
func New(d *db.DB) *Service { return &Service{db: d} }

// List returns every tag once, in its most recently used spelling.
func (s *Service) List(ctx context.Context) ([]string, error) {
	return db.Read(ctx, s.db.TenantOf(ctx), list)
}

// list steps from one tag to the next by the index, so that its cost depends on the number
// of tags, not of conversations.
func list(r *db.Reader) ([]string, error) {
	return db.All(r, scan, `WITH RECURSIVE known (tag, n) AS (
			SELECT min(tag), 1 FROM conversation_tag WHERE tenant_id = $1
			UNION ALL
			SELECT (SELECT min(t.tag) FROM conversation_tag t WHERE t.tenant_id = $1 AND t.tag > known.tag), known.n + 1
			FROM known WHERE known.tag IS NOT NULL AND known.n < $2
		)
		SELECT known.tag, c.tags FROM known JOIN conversation c ON c.tenant_id = $1 AND c.id = (
			SELECT t.conversation_id FROM conversation_tag t JOIN conversation u ON u.tenant_id = t.tenant_id AND u.id = t.conversation_id
			WHERE t.tenant_id = $1 AND t.tag = known.tag AND u.deleted_at IS NULL`+caller.OnlyVisible(r.Context(), "u.test")+`
			ORDER BY t.last_activity_at DESC, t.conversation_id DESC LIMIT 1)
		ORDER BY known.n`, r.Tenant(), limit)
}

// scan reads a tag's key and the tags of a conversation, and returns the one that
// has the key.
func scan(row db.Row) (string, error) {
	var key string
	var tags db.JSON[[]string]
	if err := row.Scan(&key, &tags); err != nil {
		return "", err
	}
	if i := slices.IndexFunc(tags.V, func(t string) bool { return contact.TagKey(t) == key }); i >= 0 {
		return tags.V[i], nil
	}
	return key, nil
}
