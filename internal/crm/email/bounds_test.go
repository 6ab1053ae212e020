package email_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/email"
)

// A mail that exceeds the limits is accepted, kept unchanged, shown with its reason, and
// not processed until somebody asks for it.
func TestMailOverTheBounds(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		raw := mailText("Elif <elif@kayamobilya.example>", "parts@kayamobilya.example", "Parçalar", "", `Content-Type: multipart/mixed; boundary="b"`) +
			strings.Repeat("--b\r\n\r\n", 40_000) + "--b--\r\n"
		p.mail("elif@kayamobilya.example", *p.box.ForwardingAddress, raw)
		var failed []email.Incoming
		p.Owner.Get(base + "/mails?state=failed").Want(200).Data(&failed)
		if len(failed) != 1 || *failed[0].Reason != "too_many_parts" || len(p.talks()) != 0 {
			t.Fatalf("got %+v", failed)
		}
		path := base + "/mails/" + failed[0].ID.String()
		if !bytes.HasSuffix(p.Owner.Get(path+"/raw").Want(200).Body, []byte(raw)) {
			t.Error("the mail is not kept as it came")
		}
		p.Owner.Post(path+"/retry", nil).Want(200)
		s.Settle()
		p.Owner.Get(base + "/mails?state=failed").Want(200).Data(&failed)
		if len(failed) != 1 || *failed[0].Reason != "too_many_parts" {
			t.Errorf("read again: %+v", failed)
		}
	})
}

// A stored password is sent only to the login it was given for: changing host, port, user
// or security requires the password again.
func TestStoredPasswordIsSentOnlyToItsLogin(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p := open(t, s)
		thief := newSink(t)
		login := map[string]any{"host": "127.0.0.1", "port": p.sink.port, "security": "none", "user": "destek"}
		box := p.connect(p.Workspace, "iki@firma.example", map[string]any{
			"imap": with(login, "password", "geheim-1"), "smtp": with(login, "password", "geheim-1"),
		})
		path := base + "/" + box.ID.String()
		same := map[string]any{"name": "Destek", "address": "iki@firma.example", "imap": login, "smtp": login}
		for _, of := range []string{"imap", "smtp"} {
			for field, value := range map[string]any{"host": "localhost", "port": thief.port, "user": "baska", "security": "starttls"} {
				other := with(login, field, value)
				e := p.Owner.Put(path, with(same, of, other)).Refused(422, "validation_failed")
				if len(e.Fields[of+".password"]) != 1 || e.Fields[of+".password"][0] != "password_needed" {
					t.Errorf("PUT with another %s of %s: %+v", field, of, e)
				}
				e = p.Owner.Post(base+"/test", map[string]any{"id": box.ID, of: other}).Refused(422, "validation_failed")
				if len(e.Fields[of+".password"]) != 1 {
					t.Errorf("test with another %s of %s: %+v", field, of, e)
				}
			}
		}
		// It is kept for the same login, even if the host name is written in another case.
		p.Owner.Put(path, same).Want(200)
		var got email.Trials
		p.Owner.Post(base+"/test", map[string]any{"id": box.ID, "smtp": login}).Want(200).Data(&got)
		if !got.SMTP.V.OK {
			t.Errorf("got %+v", got.SMTP.V)
		}
		// Another login is accepted together with its password, and removing a login
		// removes its password.
		p.Owner.Put(path, with(same, "smtp", with(login, "port", thief.port, "password", "geheim-1"))).Want(200)
		p.Owner.Put(path, map[string]any{"name": "Destek", "address": "iki@firma.example"}).Want(200)
		p.Owner.Put(path, same).Want(200)
		p.Owner.Post(base+"/test", map[string]any{"id": box.ID, "smtp": login}).Want(200).Data(&got)
		if got.SMTP.V.OK {
			t.Error("the password of a server that was taken away is still there")
		}
	})
}

// with returns a copy of a body with other fields.
func with(body map[string]any, pairs ...any) map[string]any {
	out := maps.Clone(body)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}
