package sipexchange

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/secret"
)

//go:embed schema/*.sql
var schema embed.FS

// store persists devices, trunks, registrations, legs and events in its own file.
// Credentials are sealed with the master key.
type store struct {
	db  *db.DB
	box *secret.Box
}

// openStore opens exchange.db in a folder that only its owner may read.
func openStore(ctx context.Context, c Config) (*store, error) {
	path := filepath.Join(c.Dir, "exchange.db")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, db.Options{URL: "sqlite:" + path, Clock: c.Clock, Log: c.Log})
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(schema, "schema")
	if err == nil {
		_, err = d.Migrate(ctx, files)
	}
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return &store{db: d, box: c.Box}, nil
}

// inTx and readAll return exchange.ErrUnavailable if the exchange is not running.
func (s *store) inTx(ctx context.Context, fn func(*db.Tx) error) error {
	if s == nil {
		return exchange.ErrUnavailable
	}
	return s.db.System("exchange").InTx(ctx, fn)
}

func readAll[T any](ctx context.Context, s *store, scan func(db.Row) (T, error), query string, args ...any) ([]T, error) {
	if s == nil {
		return nil, exchange.ErrUnavailable
	}
	return db.Read(ctx, s.db.System("exchange"), func(r *db.Reader) ([]T, error) { return db.All(r, scan, query, args...) })
}

const (
	devicePlace = "exchange_device/"
	trunkPlace  = "exchange_trunk/"
)

const sqlDevices = `SELECT tenant_id, username, extension, name, ha1 FROM exchange_device`

func (s *store) devices(ctx context.Context) ([]exchange.Device, error) {
	return readAll(ctx, s, func(row db.Row) (d exchange.Device, err error) {
		var sealed []byte
		if err := row.Scan(&d.Tenant, &d.Username, &d.Extension, &d.Name, &sealed); err != nil {
			return d, err
		}
		ha1, err := s.box.Open(d.Tenant, devicePlace+d.Username, sealed)
		d.HA1 = secret.Of(string(ha1))
		return d, err
	}, sqlDevices)
}

const sqlPutDevice = `INSERT INTO exchange_device (tenant_id, username, extension, name, ha1) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (username) DO UPDATE SET extension = excluded.extension, name = excluded.name, ha1 = excluded.ha1`

func (s *store) putDevice(tx *db.Tx, d exchange.Device) error {
	return tx.Exec(sqlPutDevice, d.Tenant, d.Username, d.Extension, d.Name,
		s.box.Seal(d.Tenant, devicePlace+d.Username, []byte(d.HA1.Reveal())))
}

const (
	sqlDropDevice        = `DELETE FROM exchange_device WHERE tenant_id = $1 AND username = $2`
	sqlDropRegistrations = `DELETE FROM exchange_registration WHERE tenant_id = $1 AND username = $2`
)

func dropDevice(tx *db.Tx, tenant uuid.UUID, username string) error {
	if err := tx.Exec(sqlDropDevice, tenant, username); err != nil {
		return err
	}
	return tx.Exec(sqlDropRegistrations, tenant, username)
}

const sqlRegistrations = `SELECT tenant_id, username, contact, source, transport, agent, call_id, cseq, since, expires_at
	FROM exchange_registration`

func (s *store) registrations(ctx context.Context) ([]*binding, error) {
	return readAll(ctx, s, func(row db.Row) (*binding, error) {
		b := &binding{}
		return b, row.Scan(&b.tenant, &b.username, &b.contact, &b.source, &b.transport, &b.agent, &b.callID, &b.cseq, &b.since, &b.expiresAt)
	}, sqlRegistrations)
}

const (
	sqlPutRegistration = `INSERT INTO exchange_registration
	(tenant_id, username, contact, source, transport, agent, call_id, cseq, since, expires_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
	ON CONFLICT (username, contact) DO UPDATE SET source = excluded.source, transport = excluded.transport,
	agent = excluded.agent, call_id = excluded.call_id, cseq = excluded.cseq, expires_at = excluded.expires_at`
	sqlDropRegistration = `DELETE FROM exchange_registration WHERE tenant_id = $1 AND username = $2 AND contact = $3`
)

func putRegistration(tx *db.Tx, b *binding) error {
	return tx.Exec(sqlPutRegistration, b.tenant, b.username, b.contact, b.source, b.transport, b.agent, b.callID, b.cseq, b.since, b.expiresAt)
}

func dropRegistration(tx *db.Tx, b *binding) error {
	return tx.Exec(sqlDropRegistration, b.tenant, b.username, b.contact)
}

const sqlTrunks = `SELECT tenant_id, id, server, transport, encryption, username, auth_user, register, contact_user, ha1 FROM exchange_trunk`

func (s *store) trunks(ctx context.Context) ([]*trunk, error) {
	return readAll(ctx, s, func(row db.Row) (*trunk, error) {
		t := &trunk{ha1: map[string]secret.Text{}}
		var sealed []byte
		err := row.Scan(&t.Tenant, &t.ID, &t.Server, &t.Transport, &t.Encryption, &t.Username, &t.AuthUser, &t.Register, &t.contactUser, &sealed)
		if err != nil {
			return t, err
		}
		plain, err := s.box.Open(t.Tenant, trunkPlace+t.ID.String(), sealed)
		if err != nil {
			return t, err
		}
		var ha1 map[string]string
		err = json.Unmarshal(plain, &ha1)
		for realm, h := range ha1 {
			t.ha1[realm] = secret.Of(h)
		}
		return t, err
	}, sqlTrunks)
}

const sqlPutTrunk = `INSERT INTO exchange_trunk
	(tenant_id, id, server, transport, encryption, username, auth_user, register, contact_user, ha1)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
	ON CONFLICT (tenant_id, id) DO UPDATE SET server = excluded.server, transport = excluded.transport, encryption = excluded.encryption,
	username = excluded.username, auth_user = excluded.auth_user, register = excluded.register,
	contact_user = excluded.contact_user, ha1 = excluded.ha1`

// putTrunk writes a trunk. Of its password only HA1 is stored for each realm, sealed.
func (s *store) putTrunk(tx *db.Tx, t exchange.Trunk, contactUser string, ha1 map[string]string) error {
	plain, err := json.Marshal(ha1)
	if err != nil {
		return err
	}
	return tx.Exec(sqlPutTrunk, t.Tenant, t.ID, t.Server, t.Transport, string(t.Encryption), t.Username, t.AuthUser, t.Register, contactUser,
		s.box.Seal(t.Tenant, trunkPlace+t.ID.String(), plain))
}

const sqlDropTrunk = `DELETE FROM exchange_trunk WHERE tenant_id = $1 AND id = $2`

func dropTrunk(tx *db.Tx, tenant, id uuid.UUID) error {
	return tx.Exec(sqlDropTrunk, tenant, id)
}

const (
	sqlPutLeg  = `INSERT INTO exchange_leg (tenant_id, id, n) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET n = excluded.n`
	sqlDropLeg = `DELETE FROM exchange_leg WHERE tenant_id = $1 AND id = $2`
	sqlLegs    = `SELECT tenant_id, id, n FROM exchange_leg`
)

// legRow is a leg that was alive when the exchange stopped.
type legRow struct {
	tenant, id uuid.UUID
	n          int
}

func (s *store) legs(ctx context.Context) ([]legRow, error) {
	return readAll(ctx, s, func(row db.Row) (l legRow, err error) { return l, row.Scan(&l.tenant, &l.id, &l.n) }, sqlLegs)
}

const sqlAddEvent = `INSERT INTO exchange_event (tenant_id, type, leg_id, n, at, body) VALUES ($1, $2, $3, $4, $5, $6)`

// addEvent writes an event, and updates whether its leg exists.
func addEvent(tx *db.Tx, e exchange.Event) error {
	if err := tx.Exec(sqlAddEvent, e.Tenant, string(e.Type), e.Leg, e.N, e.At, db.AsJSON(e)); err != nil {
		return err
	}
	switch {
	case e.Leg == uuid.Nil:
		return nil
	case e.Type == exchange.LegEndedEvent:
		return tx.Exec(sqlDropLeg, e.Tenant, e.Leg)
	}
	return putLeg(tx, e.Tenant, e.Leg, e.N)
}

func putLeg(tx *db.Tx, tenant, id uuid.UUID, n int) error {
	return tx.Exec(sqlPutLeg, tenant, id, n)
}

const (
	sqlEvents     = `SELECT position, tenant_id, type, leg_id, n, at, body FROM exchange_event WHERE position > $1 ORDER BY position LIMIT $2`
	sqlTrimEvents = `DELETE FROM exchange_event WHERE position <= $1`
)

func (s *store) events(ctx context.Context, after int64, limit int) ([]exchange.Event, error) {
	return readAll(ctx, s, func(row db.Row) (e exchange.Event, err error) {
		var head exchange.Event
		err = row.Scan(&head.Cursor, &head.Tenant, &head.Type, &head.Leg, &head.N, &head.At, db.FromJSON(&e))
		e.Cursor, e.Tenant, e.Type, e.Leg, e.N, e.At = head.Cursor, head.Tenant, head.Type, head.Leg, head.N, head.At
		return e, err
	}, sqlEvents, after, limit)
}

const sqlEventOfLeg = `SELECT position FROM exchange_event WHERE tenant_id = $1 AND leg_id = $2 LIMIT 1`

// hasEvents reports whether a leg has events.
func (s *store) hasEvents(ctx context.Context, tenant, leg uuid.UUID) (bool, error) {
	rows, err := readAll(ctx, s, db.Scalar[int64], sqlEventOfLeg, tenant, leg)
	return len(rows) > 0, err
}

func trimEvents(tx *db.Tx, upTo int64) error {
	return tx.Exec(sqlTrimEvents, upTo)
}

const (
	sqlSetAlive = `INSERT INTO exchange_alive (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at`
	sqlAlive    = `SELECT at FROM exchange_alive WHERE id = 1`
)

func setAlive(tx *db.Tx, now time.Time) error {
	return tx.Exec(sqlSetAlive, clock.At(now))
}

// alive returns when the exchange was last known to be alive; now if it never was.
func (s *store) alive(ctx context.Context, now time.Time) (clock.Time, error) {
	rows, err := readAll(ctx, s, db.Scalar[clock.Time], sqlAlive)
	if err != nil || len(rows) == 0 {
		return clock.At(now), err
	}
	return rows[0], nil
}

const (
	sqlSetSelf = `INSERT INTO exchange_self (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING`
	sqlSelf    = `SELECT id FROM exchange_self WHERE one = 1`
)

// self returns the store's id. The first time it stores the given one.
func (s *store) self(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	err := s.inTx(ctx, func(tx *db.Tx) (err error) {
		if err := tx.Exec(sqlSetSelf, id); err != nil {
			return err
		}
		id, err = db.One(&tx.Reader, db.Scalar[uuid.UUID], sqlSelf)
		return err
	})
	return id, err
}
