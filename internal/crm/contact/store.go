package contact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
)

const columns = `id, external_id, kind, name, first_name, last_name, company, owner_id, language, timezone, country,
	tags, custom_attributes, blocked, last_seen_at, last_contacted_at, last_replied_at, merged_into_id, test, created_at, updated_at`

func scan(row db.Row) (c Contact, err error) {
	err = row.Scan(&c.ID, &c.ExternalID, &c.Kind, &c.Name, &c.FirstName, &c.LastName, &c.Company, &c.OwnerID,
		&c.Language, &c.Timezone, &c.Country, db.FromJSON(&c.Tags), db.FromJSON(&c.CustomAttributes), &c.Blocked,
		&c.LastSeenAt, &c.LastContactedAt, &c.LastRepliedAt, &c.MergedIntoID, &c.Test, &c.CreatedAt, &c.UpdatedAt)
	c.Emails, c.Phones, c.Identities, c.Claims, c.Consents = []Email{}, []Phone{}, []Identity{}, []Claim{}, []Consent{}
	return c, err
}

// byID reads a contact that was neither merged away nor deleted.
func byID(r *db.Reader, id uuid.UUID) (Contact, error) {
	return findContact(r, `SELECT `+columns+` FROM contact WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`+onlyVisible(r), r.Tenant(), id)
}

// onlyVisible returns the condition that hides live contacts from keys of the test
// environment.
func onlyVisible(r *db.Reader) string { return caller.OnlyVisible(r.Context(), "contact.test") }

// lockByID is byID, and locks the contact until the transaction ends.
func lockByID(tx *db.Tx, id uuid.UUID) (Contact, error) {
	return findContact(&tx.Reader, `SELECT `+columns+` FROM contact WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL`+
		onlyVisible(&tx.Reader)+tx.Dialect().ForUpdate("contact"), tx.Tenant(), id)
}

// lockAny locks a contact even if it was merged away or deleted.
func lockAny(tx *db.Tx, id uuid.UUID) (Contact, error) {
	return findContact(&tx.Reader, `SELECT `+columns+` FROM contact WHERE tenant_id = $1 AND id = $2`+
		onlyVisible(&tx.Reader)+tx.Dialect().ForUpdate("contact"), tx.Tenant(), id)
}

func findContact(r *db.Reader, query string, args ...any) (Contact, error) {
	c, err := db.One(r, scan, query, args...)
	if err != nil {
		return c, err
	}
	list := []Contact{c}
	err = fill(r, list)
	return list[0], err
}

// fill reads the parts of several contacts with one query for each kind.
func fill(r *db.Reader, list []Contact) error {
	if len(list) == 0 {
		return nil
	}
	f, ids := filler{r: r, at: map[uuid.UUID]*Contact{}}, make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], f.at[list[i].ID] = list[i].ID, &list[i]
	}
	in, arg := db.In(r.Dialect(), 2, ids)
	f.args = []any{r.Tenant(), arg}
	if err := fillWith(f, `SELECT contact_id, address, is_primary, bounced FROM contact_email
		WHERE tenant_id = $1 AND contact_id `+in+` ORDER BY contact_id, position`, func(row db.Row, id *uuid.UUID) (e Email, err error) {
		err = row.Scan(id, &e.Address, &e.Primary, &e.Bounced)
		return e, err
	}, func(c *Contact, e Email) { c.Emails = append(c.Emails, e) }); err != nil {
		return err
	}
	if err := fillWith(f, `SELECT contact_id, e164, is_primary FROM contact_phone
		WHERE tenant_id = $1 AND contact_id `+in+` ORDER BY contact_id, position`, func(row db.Row, id *uuid.UUID) (p Phone, err error) {
		err = row.Scan(id, &p.E164, &p.Primary)
		return p, err
	}, func(c *Contact, p Phone) { c.Phones = append(c.Phones, p) }); err != nil {
		return err
	}
	if err := fillWith(f, `SELECT contact_id, channel_account_id, channel, external_id, username, reachable, window_expires_at
		FROM contact_identity WHERE tenant_id = $1 AND contact_id `+in+` ORDER BY contact_id, created_at, external_id`, func(row db.Row, id *uuid.UUID) (i Identity, err error) {
		var account uuid.UUID
		err = row.Scan(id, &account, &i.Channel, &i.ExternalID, &i.Username, &i.Reachable, &i.WindowExpiresAt)
		if account != uuid.Nil {
			i.ChannelAccountID = &account
		}
		return i, err
	}, func(c *Contact, i Identity) { c.Identities = append(c.Identities, i) }); err != nil {
		return err
	}
	if err := fillWith(f, `SELECT contact_id, `+claimColumns+` FROM contact_claim
		WHERE tenant_id = $1 AND contact_id `+in+` ORDER BY contact_id, id`,
		func(row db.Row, id *uuid.UUID) (Claim, error) { return scanClaim(row, id) }, func(c *Contact, k Claim) { c.Claims = append(c.Claims, k) }); err != nil {
		return err
	}
	return fillWith(f, `SELECT contact_id, channel, purpose, status, source, evidence, at FROM contact_consent
		WHERE tenant_id = $1 AND contact_id `+in+` ORDER BY contact_id, channel, purpose`, func(row db.Row, id *uuid.UUID) (c Consent, err error) {
		err = row.Scan(id, &c.Channel, &c.Purpose, &c.Status, &c.Source, &c.Evidence, &c.At)
		return c, err
	}, func(c *Contact, given Consent) { c.Consents = append(c.Consents, given) })
}

// filler is what the queries of fill have in common.
type filler struct {
	r    *db.Reader
	at   map[uuid.UUID]*Contact
	args []any
}

// fillWith reads one kind of parts: scan returns a part and the contact that it belongs to,
// and add gives it to the contact. Nothing is added if a row cannot be read.
func fillWith[T any](f filler, query string, scan func(db.Row, *uuid.UUID) (T, error), add func(*Contact, T)) error {
	type part struct {
		contact uuid.UUID
		value   T
	}
	parts, err := db.All(f.r, func(row db.Row) (p part, err error) {
		p.value, err = scan(row, &p.contact)
		return p, err
	}, query, f.args...)
	if err != nil {
		return err
	}
	for _, p := range parts {
		add(f.at[p.contact], p.value)
	}
	return nil
}

// queryTerms returns the first words of a search text; an address or a number is searched
// for as a whole.
func queryTerms(q string) []string {
	q = strings.TrimSpace(q)
	if e, ok := address.ParseEmail(q); ok {
		return []string{e.Key}
	}
	if n, ok := address.ParsePhone(q); ok {
		return []string{n[1:]}
	}
	terms := Terms(q)
	return terms[:min(len(terms), 3)]
}

// termQuery selects the contacts with words that begin with a term. It is limited: a single
// letter must not read half the address book.
func termQuery(from, to string) string {
	return `SELECT DISTINCT contact_id FROM (SELECT contact_id FROM contact_term WHERE tenant_id = $1 AND term >= ` + from +
		` AND term < ` + to + ` ORDER BY term LIMIT 2000) AS found`
}

// matching returns the ids of contacts for a search of another module.
func matching(r *db.Reader, q string, limit int) ([]uuid.UUID, error) {
	terms := queryTerms(q)
	if len(terms) == 0 {
		return nil, nil
	}
	args := []any{r.Tenant()}
	where := ""
	for _, t := range terms {
		args = append(args, t, t+"\U0010ffff")
		where += ` AND id IN (` + termQuery("$"+strconv.Itoa(len(args)-1), "$"+strconv.Itoa(len(args))) + `)`
	}
	args = append(args, limit)
	return db.All(r, db.Scalar[uuid.UUID], `SELECT id FROM contact WHERE tenant_id = $1 AND deleted_at IS NULL`+onlyVisible(r)+where+
		` ORDER BY created_at DESC LIMIT $`+strconv.Itoa(len(args)), args...)
}

func put(tx *db.Tx, c Contact) error {
	return tx.Exec(`INSERT INTO contact (tenant_id, id, external_id, kind, name, first_name, last_name, company,
			owner_id, language, timezone, country, tags, custom_attributes, blocked, last_seen_at, created_at, updated_at, test)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18)`,
		tx.Tenant(), c.ID, c.ExternalID, c.Kind, c.Name, c.FirstName, c.LastName, c.Company, c.OwnerID,
		c.Language, c.Timezone, c.Country, db.AsJSON(c.Tags), db.AsJSON(c.CustomAttributes), c.Blocked, c.LastSeenAt, c.CreatedAt,
		c.Test)
}

func save(tx *db.Tx, c Contact) error {
	return tx.Exec(`UPDATE contact SET external_id = $3, kind = $4, name = $5, first_name = $6, last_name = $7,
			company = $8, owner_id = $9, language = $10, timezone = $11, country = $12, tags = $13,
			custom_attributes = $14, blocked = $15, updated_at = $16
		WHERE tenant_id = $1 AND id = $2`,
		tx.Tenant(), c.ID, c.ExternalID, c.Kind, c.Name, c.FirstName, c.LastName, c.Company, c.OwnerID,
		c.Language, c.Timezone, c.Country, db.AsJSON(c.Tags), db.AsJSON(c.CustomAttributes), c.Blocked, c.UpdatedAt)
}

// holderOfExternal finds the contact that has an external id.
func holderOfExternal(r *db.Reader, external string, test bool) (uuid.UUID, error) {
	return db.One(r, db.Scalar[uuid.UUID], `SELECT id FROM contact
		WHERE tenant_id = $1 AND external_id = $2 AND test = $3 AND deleted_at IS NULL`, r.Tenant(), external, test)
}

// putEmails replaces a contact's addresses; it returns an address that another contact has.
func putEmails(tx *db.Tx, c *Contact) (taken string, err error) {
	if err := tx.Exec(`DELETE FROM contact_email WHERE tenant_id = $1 AND contact_id = $2`, tx.Tenant(), c.ID); err != nil {
		return "", err
	}
	for i, e := range c.Emails {
		n, err := tx.ExecCount(`INSERT INTO contact_email (tenant_id, email_key, contact_id, address, is_primary, bounced, position, test)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, email_key, test) DO NOTHING`,
			tx.Tenant(), address.Fold(e.Address), c.ID, e.Address, e.Primary, e.Bounced, i, c.Test)
		if err != nil || n == 0 {
			return e.Address, err
		}
	}
	return "", nil
}

func putPhones(tx *db.Tx, c *Contact) (taken string, err error) {
	if err := tx.Exec(`DELETE FROM contact_phone WHERE tenant_id = $1 AND contact_id = $2`, tx.Tenant(), c.ID); err != nil {
		return "", err
	}
	for i, p := range c.Phones {
		n, err := tx.ExecCount(`INSERT INTO contact_phone (tenant_id, e164, contact_id, is_primary, position, test)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, e164, test) DO NOTHING`,
			tx.Tenant(), p.E164, c.ID, p.Primary, i, c.Test)
		if err != nil || n == 0 {
			return p.E164, err
		}
	}
	return "", nil
}

// putWords replaces the tags and terms of a contact if they changed.
func putWords(tx *db.Tx, old, c *Contact) error {
	if old == nil || !slices.Equal(old.Tags, c.Tags) {
		if err := tx.ExecDeferred(`DELETE FROM contact_tag WHERE tenant_id = $1 AND contact_id = $2`, tx.Tenant(), c.ID); err != nil {
			return err
		}
		for _, t := range c.Tags {
			if err := tx.ExecDeferred(`INSERT INTO contact_tag (tenant_id, tag, contact_id, created_at) VALUES ($1, $2, $3, $4)`,
				tx.Tenant(), TagKey(t), c.ID, c.CreatedAt); err != nil {
				return err
			}
		}
	}
	terms := c.terms()
	if old != nil && slices.Equal(old.terms(), terms) {
		return nil
	}
	if old != nil {
		if err := tx.ExecDeferred(`DELETE FROM contact_term WHERE tenant_id = $1 AND contact_id = $2`, tx.Tenant(), c.ID); err != nil {
			return err
		}
	}
	for _, t := range terms {
		if err := tx.ExecDeferred(`INSERT INTO contact_term (tenant_id, term, contact_id) VALUES ($1, $2, $3)`, tx.Tenant(), t, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// empty removes everything personal from a contact that is deleted.
func empty(tx *db.Tx, id uuid.UUID) error {
	if err := dropParts(tx, id, "email", "phone", "identity", "claim", "consent", "tag", "term", "note"); err != nil {
		return err
	}
	return tx.Exec(`UPDATE contact SET external_id = NULL, name = '', first_name = '', last_name = '', company = '',
			owner_id = NULL, tags = '[]', custom_attributes = '{}', deleted_at = $3, updated_at = $3
		WHERE tenant_id = $1 AND id = $2`, tx.Tenant(), id, clock.At(tx.Now()))
}

// dropParts deletes the rows of a contact from the tables of some kinds of parts.
func dropParts(tx *db.Tx, id uuid.UUID, kinds ...string) error {
	for _, kind := range kinds {
		if err := tx.Exec(`DELETE FROM contact_`+kind+` WHERE tenant_id = $1 AND contact_id = $2`, tx.Tenant(), id); err != nil {
			return err
		}
	}
	return nil
}
