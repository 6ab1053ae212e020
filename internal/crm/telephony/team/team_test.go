package team_test

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/phonetest"
	"konak/internal/crm/telephony/team"
	"konak/internal/identity"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

const path = "/api/crm/v1/telephony"

// office is a workspace with an exchange.
type office struct {
	*apptest.Server
	t        *testing.T
	w        *apptest.Workspace
	exchange *phonetest.Exchange
}

func run(t *testing.T, fn func(o *office)) {
	t.Helper()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		o := &office{s, t, s.Workspace("demo"), phonetest.New(s.Clock)}
		s.PhoneTeam.Exchange, s.PhoneTeam.Server, s.PhoneTeam.Transports = o.exchange, "sip.example:5060", []string{"udp"}
		s.PhoneLine.Exchange, s.Calls.Exchange = o.exchange, o.exchange
		fn(o)
	})
}

// colleague signs another agent in.
func (o *office) colleague(name string) (*apptest.Client, uuid.UUID) {
	o.t.Helper()
	email := name + "@demo.example"
	if err := o.Identity.AddMember(o.t.Context(), o.w.ID, name, email, apptest.Password, identity.RoleAgent); err != nil {
		o.t.Fatal(err)
	}
	c := o.w.SignIn(email)
	var me identity.Me
	c.Get("/api/v1/auth/me").Want(200).Data(&me)
	return c, me.Membership.ID
}

// An agent can be given by either of their ids, and one who may not call gets another error
// than an unknown one. The browser cannot be a phone yet.
func TestTeammateByEitherID(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		owner := o.w.Owner
		// Signing in returns the id of the account; both ids name the same person.
		vera, _ := o.colleague("vera")
		var me identity.Me
		vera.Get("/api/v1/auth/me").Want(200).Data(&me)
		var third team.Member
		owner.Post(path+"/team", map[string]any{"user_id": me.User.ID}).Want(201).Data(&third)
		if third.AgentID != me.Membership.ID {
			o.t.Errorf("given %+v", third)
		}
		o.Workspace("acme").Owner.Post(path+"/team", map[string]any{"user_id": me.User.ID}).Refused(422, "validation_failed")
		var silent identity.Me
		o.w.Guest().Get("/api/v1/auth/me").Want(200).Data(&silent)
		for id, code := range map[uuid.UUID]string{silent.Membership.ID: "may_not_call", uuid.New(): "unknown"} {
			if got := owner.Post(path+"/team", map[string]any{"user_id": id}).Refused(422, "validation_failed"); !slices.Equal(got.Fields["user_id"], []string{code}) {
				o.t.Errorf("%s: %v", code, got.Fields)
			}
		}
		vera.Put(path+"/device", map[string]any{"kind": "browser"}).Refused(422, "not_supported")
	})
}

func TestTeam(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		owner := o.w.Owner
		ayse, ayseID := o.colleague("ayse")
		_, veliID := o.colleague("veli")
		var first, second team.Member
		owner.Post(path+"/team", map[string]any{"user_id": o.w.Member}).Want(201).Data(&first)
		owner.Post(path+"/team", map[string]any{"user_id": ayseID}).Want(201).Data(&second)
		if first.Extension != "100" || second.Extension != "101" || second.Name != "ayse" || !second.Rings || second.Device != "desk" || second.HasPhone {
			o.t.Errorf("given %+v and %+v", first, second)
		}
		if got := owner.Post(path+"/team", map[string]any{"user_id": ayseID}).Refused(409, "conflict"); len(got.Fields["user_id"]) != 1 {
			o.t.Errorf("a second phone: %v", got.Fields)
		}
		if got := owner.Post(path+"/team", map[string]any{"user_id": veliID, "extension": "101"}).Refused(409, "conflict"); len(got.Fields["extension"]) != 1 {
			o.t.Errorf("a taken extension: %v", got.Fields)
		}
		for _, wrong := range []map[string]any{{"user_id": uuid.NewString()}, {"user_id": veliID, "extension": "1"}, {"user_id": veliID, "extension": "0123"}, {"user_id": veliID, "extension": "112"}} {
			owner.Post(path+"/team", wrong).Refused(422, "validation_failed")
		}

		// The agent's own row, and another's.
		var changed team.Member
		ayse.Put(path+"/team/"+ayseID.String(), map[string]any{"rings": false}).Want(200).Data(&changed)
		if changed.Rings {
			o.t.Error("it still rings")
		}
		if got := ayse.Put(path+"/team/"+o.w.Member.String(), map[string]any{"rings": false}).Refused(403, "forbidden"); got.Permission != string(perm.TelephonyManage) {
			o.t.Errorf("needs %q", got.Permission)
		}
		if got := ayse.Post(path+"/team", map[string]any{"user_id": veliID}).Refused(403, "forbidden"); got.Permission != string(perm.TelephonyManage) {
			o.t.Errorf("needs %q", got.Permission)
		}
		owner.Put(path+"/team/"+ayseID.String(), map[string]any{"extension": "205"}).Want(200).Data(&changed)
		if changed.Extension != "205" || changed.Rings {
			o.t.Errorf("changed to %+v", changed)
		}
		ayse.Put(path+"/team/"+ayseID.String(), map[string]any{"extension": "100"}).Refused(409, "conflict")
		owner.Put(path+"/team/"+veliID.String(), map[string]any{"rings": true}).Refused(404, "not_found")

		var list []team.Member
		owner.Get(path + "/team?limit=1").Want(200).Data(&list)
		if len(list) != 1 || list[0].AgentID != ayseID {
			o.t.Errorf("the first page is %+v", list)
		}
		o.Workspace("acme").Owner.Get(path + "/team").Want(200).Data(&list)
		if len(list) != 0 {
			o.t.Errorf("another workspace sees %+v", list)
		}

		// The smallest free extension is assigned, but never an emergency number: 110, 112,
		// 155, 156.
		err := o.DB.Tenant(o.w.ID).InTx(o.t.Context(), func(tx *db.Tx) (err error) {
			for n := 101; n <= 154 && err == nil; n++ {
				if n != 110 && n != 112 {
					err = tx.Exec(`INSERT INTO phone_member (tenant_id, agent_id, extension, rings, device, username, rung_at, busy_until, created_at)
						VALUES ($1, $2, $3, $4, 'desk', '', 0, 0, $5)`, o.w.ID, uuid.New(), strconv.Itoa(n), true, clock.At(tx.Now()))
				}
			}
			return err
		})
		if err != nil {
			o.t.Fatal(err)
		}
		if owner.Post(path+"/team", map[string]any{"user_id": veliID}).Want(201).Data(&changed); changed.Extension != "157" {
			o.t.Errorf("given %+v", changed)
		}
	})
}

func TestDevice(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		owner := o.w.Owner
		owner.Put(path+"/device", map[string]any{"kind": "desk"}).Refused(409, "no_device")
		owner.Post(path+"/team", map[string]any{"user_id": o.w.Member}).Want(201)
		owner.Put(path+"/device", map[string]any{"kind": "outside"}).Refused(422, "validation_failed")
		var m team.Member
		owner.Put(path+"/device", map[string]any{"kind": "outside", "e164": "0532 123 45 67"}).Want(200).Data(&m)
		if m.Device != "outside" || m.OutsideNum == nil || *m.OutsideNum != "+905321234567" {
			o.t.Errorf("the device is %+v", m)
		}
		owner.Put(path+"/device", map[string]any{"kind": "desk"}).Want(200).Data(&m)
		if m.Device != "desk" || m.OutsideNum != nil {
			o.t.Errorf("the device is %+v", m)
		}
	})
}

// The password is shown once; the exchange gets a hash of it, and nobody else gets
// anything.
func TestPhone(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		owner := o.w.Owner
		owner.Post(path+"/phone", nil).Refused(409, "no_device")
		owner.Post(path+"/team", map[string]any{"user_id": o.w.Member}).Want(201)
		var one, two team.Credentials
		owner.Post(path+"/phone", nil).Want(201).Data(&one)
		device, there := o.exchange.Device(one.Username)
		sum := md5.Sum([]byte(one.Username + ":konak:" + one.Password))
		if !there || device.HA1.Reveal() != hex.EncodeToString(sum[:]) || device.Extension != "100" || device.Tenant != o.w.ID || one.Server != "sip.example:5060" {
			o.t.Errorf("the exchange has %+v", device)
		}
		o.exchange.SignIn(one.Username)
		var list []team.Member
		if owner.Get(path + "/team").Want(200).Data(&list); !list[0].HasPhone || !list[0].Registered {
			o.t.Errorf("the team is %+v", list)
		}
		owner.Post(path+"/phone", nil).Want(201).Data(&two)
		if two.Username != one.Username || two.Password == one.Password {
			o.t.Error("the credentials were not renewed")
		}
		if owner.Get(path + "/team").Want(200).Data(&list); list[0].Registered {
			o.t.Error("the phone with the old password is still signed in")
		}
		everything := string(owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body) + o.Logs.String()
		for _, secret := range []string{one.Password, two.Password, device.HA1.Reveal()} {
			if strings.Contains(everything, secret) {
				o.t.Error("a secret is in the audit log or the log")
			}
		}

		// A change of the extension removes the phone.
		owner.Put(path+"/team/"+o.w.Member.String(), map[string]any{"extension": "200"}).Want(200)
		o.Settle()
		if _, there := o.exchange.Device(one.Username); there {
			o.t.Error("the phone of the old extension is still there")
		}
		owner.Post(path+"/phone", nil).Want(201).Data(&two)
		if device, _ := o.exchange.Device(two.Username); device.Extension != "200" {
			o.t.Errorf("the exchange has %+v", device)
		}
		o.PhoneTeam.Exchange = nil
		owner.Post(path+"/phone", nil).Refused(409, "not_configured")
	})
}

// A suspended agent loses the phone in the same transaction.
func TestSuspendedAgentLosesPhone(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		ayse, id := o.colleague("ayse")
		o.w.Owner.Post(path+"/team", map[string]any{"user_id": id}).Want(201)
		var c team.Credentials
		ayse.Post(path+"/phone", nil).Want(201).Data(&c)
		o.w.Owner.Post("/api/crm/v1/agents/"+id.String()+"/suspension", nil).Want(200)
		o.Settle()
		if _, there := o.exchange.Device(c.Username); there {
			o.t.Error("the phone is still there")
		}
		var list []team.Member
		if o.w.Owner.Get(path + "/team").Want(200).Data(&list); len(list) != 0 {
			o.t.Errorf("the team is %+v", list)
		}
	})
}
