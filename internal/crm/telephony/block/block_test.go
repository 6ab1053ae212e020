package block_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/telephony/block"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

const path = "/api/crm/v1/telephony/blocked"

func TestBlockedNumbers(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w, other := s.Workspace("demo"), s.Workspace("acme")
		var one, prefix block.Entry
		w.Owner.Post(path, map[string]any{"e164": "0850 123 45 67", "note": " Reklam "}).Want(201).Data(&one)
		if one.E164 == nil || *one.E164 != "+908501234567" || one.Prefix != nil || one.Note != "Reklam" {
			t.Errorf("blocked %+v", one)
		}
		w.Owner.Post(path, map[string]any{"prefix": "+44"}).Want(201).Data(&prefix)
		w.Owner.Post(path, map[string]any{"prefix": "+908501234567"}).Want(201) // a prefix is not the same as a number
		if got := w.Owner.Post(path, map[string]any{"e164": "+908501234567"}).Refused(409, "conflict"); len(got.Fields["e164"]) != 1 {
			t.Errorf("a number twice: %v", got.Fields)
		}
		if got := w.Owner.Post(path, map[string]any{"prefix": "+44"}).Refused(409, "conflict"); len(got.Fields["prefix"]) != 1 {
			t.Errorf("a prefix twice: %v", got.Fields)
		}
		for _, wrong := range []map[string]any{{}, {"e164": "+908501234567", "prefix": "+90"}, {"e164": "abc"}, {"prefix": "90"}, {"prefix": "+"}, {"prefix": "+0"}} {
			w.Owner.Post(path, wrong).Refused(422, "validation_failed")
		}

		var list []block.Entry
		page := w.Owner.Get(path + "?limit=2").Want(200)
		if page.Data(&list); len(list) != 2 || list[1].ID != prefix.ID {
			t.Errorf("the first page is %+v", list)
		}
		for number, blocked := range map[string]bool{"+908501234567": true, "+447911123456": true, "+908501234568": false, "+4": false, "+49301234567": false} {
			got, err := db.Read(t.Context(), s.DB.Tenant(w.ID), func(r *db.Reader) (bool, error) { return s.PhoneBlocks.IsBlocked(r, number) })
			if err != nil || got != blocked {
				t.Errorf("%s: blocked %v (%v)", number, got, err)
			}
			if got, err := db.Read(t.Context(), s.DB.Tenant(other.ID), func(r *db.Reader) (bool, error) { return s.PhoneBlocks.IsBlocked(r, number) }); err != nil || got {
				t.Errorf("%s is blocked in another workspace (%v)", number, err)
			}
		}
		other.Owner.Delete(path+"/"+one.ID.String()).Refused(404, "not_found")
		w.Owner.Delete(path + "/" + one.ID.String()).Want(200)
		w.Owner.Delete(path+"/"+one.ID.String()).Refused(404, "not_found")
		w.Owner.Post(path, map[string]any{"e164": "+908501234567"}).Want(201)
		audit := string(w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body)
		if strings.Count(audit, "phone_block.added") != 4 || strings.Count(audit, "phone_block.deleted") != 1 {
			t.Errorf("the audit log is %s", audit)
		}
	})
}

// The tier line is enough; without telephony or the permission, nothing is shown.
func TestBlockedRefusals(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		licences := func(list ...string) {
			t.Helper()
			if err := s.Identity.SetLicences(t.Context(), "demo", list); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(time.Minute)
		}
		guest := w.Guest()
		if got := guest.Get(path).Refused(403, "forbidden"); got.Permission != string(perm.CallsView) {
			t.Errorf("needs %q", got.Permission)
		}
		if got := guest.Post(path, map[string]any{"e164": "+908501234567"}).Refused(403, "forbidden"); got.Permission != string(perm.TelephonyManage) {
			t.Errorf("needs %q", got.Permission)
		}
		licences("crm", "telephony_line")
		w.Owner.Get(path).Want(200)
		licences("crm")
		w.Owner.Get(path).Refused(403, "not_licensed")
		w.Owner.Post(path, map[string]any{"e164": "+908501234567"}).Refused(403, "not_licensed")
	})
}
