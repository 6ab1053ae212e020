package call_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/command"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/blob"
	"konak/internal/kit/db"
	"konak/migrations"
)

// A client that changes one field of a response can send all of it back.
func TestResponsesCanBeSentBack(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		number, owner := "/numbers/"+o.buyNumber().String(), o.w.Owner
		for get, put := range map[string]string{
			"/settings": "/settings", "/line": "/line", "/greeting": "/greeting", "/numbers": number, "/team": "/team/" + o.w.Member.String(),
		} {
			read := func() (v map[string]any) {
				o.t.Helper()
				res := owner.Get(path + get).Want(200)
				if get == put {
					res.Data(&v)
					return v
				}
				var list []map[string]any
				res.Data(&list)
				return list[0]
			}
			before := read()
			owner.Put(path+put, before).Want(200)
			if get == "/settings" { // again, now that they are stored
				owner.Put(path+put, read()).Want(200)
			}
			if get == "/numbers" {
				owner.Put(path+put, map[string]any{"label": "Destek", "is_default": false, "status": "released"}).Want(200)
				if after := read(); after["label"] != "Destek" || after["is_default"] != true || after["status"] != "active" {
					o.t.Errorf("the number is %v", after)
				}
			}
			owner.Put(path+put, map[string]any{"nonsense": 1}).Refused(422, "validation_failed")
		}
	})
}

// A message that was deleted before anybody heard it does not count as waiting.
func TestDeletedMessagesDoNotCountAsUnheard(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Recording.RetentionDays = 1 })
		in := o.incoming(customer)
		o.end(o.legTo(o.username), exchange.CauseNoAnswer)
		o.hear(in)
		o.hear(in)
		o.wait(5 * time.Second)
		o.end(in, exchange.CauseNormal)
		o.want(call.Ended, call.LeftMail)
		unheard := func() int64 {
			o.t.Helper()
			counts, err := o.Calls.Counts(o.as(o.w.Member))
			list, listErr := o.Calls.Calls(o.as(o.w.Member), call.Filter{Unheard: true}, db.Page{Limit: 10, After: db.First})
			if err != nil || listErr != nil || int64(len(list.Rows)) != counts.Unheard {
				o.t.Errorf("%d are listed, %d counted: %v %v", len(list.Rows), counts.Unheard, err, listErr)
			}
			return counts.Unheard
		}
		if unheard() != 1 {
			o.t.Error("the message is not counted")
		}
		o.Clock.Advance(25 * time.Hour)
		o.Settle()
		if unheard() != 0 {
			o.t.Error("the deleted message is counted")
		}
	})
}

// The migration that counts recordings in the storage also counts existing ones.
func TestMigrationCountsOldRecordings(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Recording.Mode, s.Recording.Notice = setting.RecordInbound, false })
		size := int64(0)
		for range 2 {
			in := o.incoming(customer)
			o.answer(o.legTo(o.username))
			o.wait(5 * time.Second)
			o.end(in, exchange.CauseNormal)
			size += 44 + 32*o.want(call.Ended, call.Answered).RecordingMS
			o.Clock.Advance(time.Second)
		}
		used := func() int64 {
			o.t.Helper()
			var use blob.Use
			o.w.Owner.Get("/api/v1/workspace/storage").Want(200).Data(&use)
			return use.Bytes
		}
		with := used()
		other := o.Workspace("acme")
		o.exec(`UPDATE storage SET bytes = bytes - $2 WHERE tenant_id = $1`, size)
		migrate(o, "05113_recording_storage.sql")
		if got := used(); got != with {
			o.t.Errorf("%d bytes are used, want %d", got, with)
		}
		o.exec(`DELETE FROM storage WHERE tenant_id = $1`)
		migrate(o, "05113_recording_storage.sql")
		if got := used(); got != size {
			o.t.Errorf("%d bytes are used, want %d", got, size)
		}
		if use, err := o.Blobs.Use(o.t.Context(), other.ID); err != nil || use.Bytes != 0 {
			o.t.Errorf("a workspace without recordings uses %+v (%v)", use, err)
		}
	})
}

// The migration that gives a workspace a default number chooses the oldest active one, and
// does not change the others.
func TestMigrationChoosesDefaultNumber(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		oldest := o.buyNumber()
		for i, status := range []string{"released", "suspended", "active"} {
			o.exec(`INSERT INTO phone_number (tenant_id, id, e164, label, type, capabilities, status, is_default, monthly_fee, provider_id, last_error, created_at)
				SELECT tenant_id, $2, $3, '', type, capabilities, $4, $5, 1, '', '', created_at + $6 FROM phone_number WHERE tenant_id = $1 AND id = $7`,
				o.Clock.NewID(), "+90212555020"+string(rune('0'+i)), status, false, []int64{-2, -1, 1}[i], oldest)
		}
		defaults := func() (ids []string) {
			o.t.Helper()
			var list []struct {
				ID        string
				IsDefault bool `json:"is_default"`
			}
			o.w.Owner.Get(path + "/numbers").Want(200).Data(&list)
			for _, n := range list {
				if n.IsDefault {
					ids = append(ids, n.ID)
				}
			}
			return ids
		}
		migrate(o, "05111_number_default.sql")
		if got := defaults(); len(got) != 1 || got[0] != oldest.String() {
			o.t.Errorf("the default was %s and is %v", oldest, got)
		}
		o.exec(`UPDATE phone_number SET is_default = $2 WHERE tenant_id = $1`, false)
		migrate(o, "05111_number_default.sql")
		if got := defaults(); len(got) != 1 || got[0] != oldest.String() {
			o.t.Errorf("the oldest is %s, the default %v", oldest, got)
		}
	})
}

// migrate runs a migration on the existing rows.
func migrate(o *office, name string) {
	o.t.Helper()
	text, err := migrations.Files.ReadFile(name)
	if err != nil {
		o.t.Fatal(err)
	}
	err = o.DB.System("phone events").InTx(o.t.Context(), func(tx *db.Tx) error {
		return tx.Exec(strings.TrimSpace(strings.ReplaceAll(string(text), "-- +goose Up", "")))
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// noMute is an exchange that cannot mute.
type noMute struct{ exchange.Exchange }

// Mute implements exchange.Legs.
func (noMute) Mute(context.Context, uuid.UUID, uuid.UUID, bool) error {
	return errors.New("out of order")
}

// A command that fails holds back only later ones of its own workspace.
func TestFailingCommandDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.Calls.Exchange = noMute{o.x}
		put := func(tenant uuid.UUID, list ...command.Command) {
			o.t.Helper()
			if err := o.DB.Tenant(tenant).InTx(o.t.Context(), func(tx *db.Tx) error { return command.Put(tx, list...) }); err != nil {
				o.t.Fatal(err)
			}
		}
		other := o.Workspace("acme")
		put(o.w.ID, command.Command{Kind: command.Mute, Leg: uuid.New()}, command.Command{Kind: command.DropDevice, Device: "after"})
		put(other.ID, command.Command{Kind: command.DropDevice, Device: "theirs"})
		if _, err := o.Calls.Step(o.t.Context()); err == nil || !strings.Contains(err.Error(), "out of order") {
			o.t.Errorf("the step gave %v", err)
		}
		if log := o.x.Log(); !slices.Contains(log, "drop device theirs") || slices.Contains(log, "drop device after") {
			o.t.Errorf("the exchange was asked %v", log)
		}
		o.Calls.Exchange = o.x
		o.Settle()
		if log := o.x.Log(); !slices.Contains(log, "drop device after") {
			o.t.Errorf("later the exchange was asked %v", log)
		}
	})
}
