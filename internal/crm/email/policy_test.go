package email_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/kit/db"
	"konak/internal/mail"
)

const (
	dlpRules     = "/api/mail/v1/dlp/rules"
	dlpIncidents = "/api/mail/v1/dlp/incidents"
	cardNumber   = "4111 1111 1111 1111"
)

// begun creates a workspace with a mailbox and a customer's conversation.
func begun(t *testing.T, s *apptest.Server) (p *post, id string) {
	t.Helper()
	p = open(t, s)
	p.mail("elif@kaya.example", *p.box.ForwardingAddress, mailText("Elif Kaya <elif@kaya.example>", "c1@kaya.example", "Ödeme", "Merhaba"))
	return p, p.talks()[0].ID
}

func (p *post) rule(body map[string]any) {
	p.t.Helper()
	body["name"] = fmt.Sprint(body["action"], body["pattern_type"], body["pattern"])
	p.Owner.Post(dlpRules, body).Want(201)
}

func (p *post) incidents() (list []mail.Incident) {
	p.t.Helper()
	p.Owner.Get(dlpIncidents).Want(200).Data(&list)
	return list
}

func (p *post) upload(name, content string) string {
	p.t.Helper()
	return p.Owner.Header("Content-Type", "application/octet-stream").Do("POST", "/api/crm/v1/attachments?filename="+name, content).Want(201).ID()
}

// failures returns why messages of a conversation failed.
func (p *post) failures(id string) (reasons []string) {
	p.t.Helper()
	for _, l := range p.lines(id) {
		if l.Delivery != nil && *l.Delivery == conversation.Failed {
			reasons = append(reasons, *l.DeliveryError)
		}
	}
	return reasons
}

func replyPath(id string) string { return "/api/crm/v1/conversations/" + id + "/reply-as-agent" }

// A text that a rule blocks is refused, leaves nothing in the conversation and creates an
// incident without the value.
func TestPolicyBlocksText(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "block", "severity": "high"})
		f := p.Owner.Post(replyPath(id), map[string]any{"body": "Kartınız " + cardNumber}).Refused(422, "dlp_blocked")
		if f.Reason != "credit_card" {
			t.Errorf("got %+v", f)
		}
		p.Owner.Post(replyPath(id), map[string]any{"body": "Kartınız " + cardNumber, "message_type": "note"}).Want(200) // stays inside
		p.Owner.Post(replyPath(id), map[string]any{"body": "Merhaba"}).Want(200)
		s.Settle()
		if got := p.sink.got(); len(got) != 1 || len(p.lines(id)) != 3 {
			t.Errorf("%d mails, %d lines", len(got), len(p.lines(id)))
		}
		list := p.incidents()
		if len(list) != 1 {
			t.Fatalf("got %+v", list)
		}
		i := list[0]
		if i.ActionTaken != "block" || i.Status != mail.IncidentRejected || i.Severity != "high" || i.Sender != "destek@firma.example" ||
			strings.Join(i.Recipients, " ") != "elif@kaya.example" || len(i.Matches) != 1 || i.Matches[0].SamplesMasked[0] != "************1111" || i.QueueRef != "" {
			t.Errorf("got %+v", i)
		}
		if body := string(p.Owner.Get(dlpIncidents).Want(200).Body); strings.Contains(body, "4111") {
			t.Errorf("the incident shows the number: %s", body)
		}
		var all []mail.Rule
		p.Owner.Get(dlpRules).Want(200).Data(&all)
		if all[0].Hits30d != 1 {
			t.Errorf("%d hits", all[0].Hits30d)
		}
		if names := strings.Join(p.Events(), " "); !strings.Contains(names, mail.IncidentCreated) {
			t.Errorf("got %s", names)
		}
	})
}

// A warning can be overridden with a reason, which the incident keeps.
func TestPolicyWarns(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "warn"})
		p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber}).Refused(422, "dlp_warning")
		p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber, "dlp_override": map[string]any{"reason": " "}}).Refused(422, "dlp_warning")
		p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber, "dlp_override": map[string]any{"reason": "Müşteri istedi"}}).Want(200)
		s.Settle()
		if got := p.sink.got(); len(got) != 1 || !strings.Contains(got[0].parse(t).Text, cardNumber) {
			t.Errorf("got %+v", got)
		}
		list := p.incidents()
		if len(list) != 3 || list[0].Note != "Müşteri istedi" || list[0].Status != mail.IncidentReleased || list[1].Status != mail.IncidentRejected {
			t.Errorf("got %+v", list)
		}
	})
}

// Values that must be redacted are redacted both in storage and in the sent mail.
func TestPolicyRedacts(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "redact"})
		p.Owner.Post(replyPath(id), map[string]any{"body": "Kart " + cardNumber + " tamam"}).Want(200)
		s.Settle()
		const want = "Kart ████ ████ ████ ████ tamam"
		if got := p.sink.got(); len(got) != 1 || got[0].parse(t).Text != want || p.lines(id)[0].Body != want {
			t.Errorf("got %+v, %q", got, p.lines(id)[0].Body)
		}
		if list := p.incidents(); len(list) != 1 || list[0].ActionTaken != "redact" || list[0].QueueRef == "" {
			t.Errorf("got %+v", list)
		}
	})
}

// A mail in quarantine waits for a decision, and is sent once.
func TestPolicyQuarantine(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "quarantine"})
		reply := func() {
			p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber}).Want(200)
			s.Settle()
		}
		later := func() {
			s.Clock.Advance(2 * time.Minute)
			s.Settle()
		}
		reply()
		later()
		line := p.lines(id)[0]
		if len(p.sink.got()) != 0 || *line.Delivery != conversation.Queued || line.DeliveryError == nil || *line.DeliveryError != "dlp_quarantined" {
			t.Fatalf("%d mails, %+v", len(p.sink.got()), line)
		}
		list := p.incidents()
		if len(list) != 1 || list[0].Status != mail.IncidentOpen || list[0].QueueRef != line.ID || len(list[0].SHA256) != 64 {
			t.Fatalf("got %+v", list)
		}
		path := dlpIncidents + "/" + list[0].ID.String()
		var i mail.Incident
		p.Owner.Post(path+"/release", map[string]any{"note": "Tamam"}).Want(200).Data(&i)
		if i.Status != mail.IncidentReleased || i.Note != "Tamam" || i.ReviewedBy == nil || *i.ReviewedBy != p.Member || i.ReviewedAt == nil {
			t.Errorf("got %+v", i)
		}
		if f := p.Owner.Post(path+"/reject", map[string]any{}).Refused(409, "conflict"); f.Reason != "released" {
			t.Errorf("got %+v", f)
		}
		later()
		later()
		if line := p.lines(id)[0]; len(p.sink.got()) != 1 || *line.Delivery != conversation.Sent || line.DeliveryError != nil {
			t.Errorf("%d mails, %+v", len(p.sink.got()), line)
		}
		reply()
		var open []mail.Incident
		p.Owner.Get(dlpIncidents + "?status=open").Want(200).Data(&open)
		p.Owner.Post(dlpIncidents+"/"+open[0].ID.String()+"/reject", map[string]any{}).Want(200)
		later()
		if failed := p.failures(id); len(p.sink.got()) != 1 || !slices.Contains(failed, "dlp_rejected") {
			t.Errorf("%d mails, failed with %q", len(p.sink.got()), failed)
		}
	})
}

// A mail in quarantine whose customer, conversation or mailbox no longer exists is not
// released.
func TestPolicyQuarantineWithoutRecipient(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "quarantine"})
		p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber}).Want(200)
		s.Settle()
		incident := dlpIncidents + "/" + p.incidents()[0].ID.String()
		// An incident created before incidents stored their job gets it at the next check.
		err := s.DB.Tenant(p.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE dlp_incident SET job_id = NULL WHERE tenant_id = $1`, tx.Tenant())
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(2 * time.Minute)
		s.Settle()
		refused := func(reason string) {
			t.Helper()
			if f := p.Owner.Post(incident+"/release", map[string]any{}).Refused(409, "conflict"); f.Reason != reason || !strings.Contains(f.Message, "Reject it") {
				t.Errorf("got %+v, want %s", f, reason)
			}
		}
		one := "/api/crm/v1/conversations/" + id
		p.Owner.Delete(one).Want(200)
		refused("recipient_gone")
		p.Owner.Post(one+"/restore", nil).Want(200)
		p.Owner.Delete("/api/crm/v1/contacts/" + p.talks()[0].ContactID).Want(200)
		refused("recipient_gone")
		p.Owner.Delete("/api/crm/v1/channels/" + p.box.ID.String()).Want(200)
		refused("content_gone")
		s.Clock.Advance(2 * time.Minute)
		s.Settle()
		p.Owner.Post(incident+"/reject", map[string]any{}).Want(200)
		if n := len(p.sink.got()); n != 0 {
			t.Errorf("%d mails left", n)
		}
	})
}

// The content of a file is checked before the mail is handed over, and a file that cannot
// be scanned is not sent.
func TestPolicyScansFiles(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "block"})
		p.Owner.Post(replyPath(id), map[string]any{"body": "Ekte", "attachments": []string{p.upload("kart.txt", cardNumber)}}).Want(200)
		s.Settle()
		if failed := p.failures(id); len(p.sink.got()) != 0 || !slices.Contains(failed, "dlp_blocked") {
			t.Errorf("%d mails, failed with %q", len(p.sink.got()), failed)
		}
		p.Owner.Post(replyPath(id), map[string]any{"body": "Ekte", "attachments": []string{p.upload("a.zip", "PK\x03\x04 kırık")}}).Want(200)
		s.Settle()
		list := p.incidents()
		if len(p.sink.got()) != 0 || len(list) != 2 || list[0].ActionTaken != "quarantine" || len(list[0].Unscanned) != 1 || list[0].Unscanned[0].Reason != "damaged" {
			t.Errorf("%d mails, %+v", len(p.sink.got()), list)
		}
	})
}

// An exception for a recipient allows only that copy; one for the sender allows everything.
func TestPolicyExceptions(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "block"})
		p.Owner.Put("/api/crm/v1/conversations/"+id+"/email-cc", map[string]any{"email_cc": []string{"denetci@dis.example"}}).Want(200)
		exempt := func(address string) string {
			return "/api/mail/v1/dlp/exceptions/" + p.Owner.Post("/api/mail/v1/dlp/exceptions", map[string]any{"email": address}).Want(201).ID()
		}
		cc := exempt("Denetci@DIS.example")
		p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber}).Refused(422, "dlp_blocked")
		// A file is checked copy by copy.
		p.Owner.Post(replyPath(id), map[string]any{"body": "Ekte", "attachments": []string{p.upload("kart.txt", cardNumber)}}).Want(200)
		s.Settle()
		got := p.sink.got()
		if len(got) != 1 || strings.Join(got[0].to, " ") != "denetci@dis.example" {
			t.Fatalf("got %+v", got)
		}
		refused := p.lines(id)[0].Detail.Refused
		if len(refused) != 1 || refused[0].Address != "elif@kaya.example" || refused[0].Reason != "dlp_blocked" {
			t.Errorf("got %+v", p.lines(id)[0])
		}
		p.Owner.Delete(cc).Want(200)
		exempt("destek@firma.example")
		p.Owner.Post(replyPath(id), map[string]any{"body": cardNumber}).Want(200)
		s.Settle()
		if got := p.sink.got(); len(got) != 2 || len(got[1].to) != 2 {
			t.Errorf("got %+v", got)
		}
	})
}

// A conversation that an agent begins is created even if its message may not be sent.
func TestPolicyNewAsAgent(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "block"})
		var c talk
		p.Owner.Get("/api/crm/v1/conversations/" + id).Want(200).Data(&c)
		resp := p.Owner.Post("/api/crm/v1/conversations/new-as-agent", map[string]any{"contact_id": c.ContactID, "channel": "email", "subject": "Kart", "body": cardNumber}).Want(201)
		if body := string(resp.Body); !strings.Contains(body, `"delivery":"failed"`) || !strings.Contains(body, `"delivery_error":"dlp_blocked"`) {
			t.Errorf("got %s", body)
		}
		s.Settle()
		if len(p.sink.got()) != 0 || len(p.incidents()) != 1 {
			t.Errorf("%d mails, %d incidents", len(p.sink.got()), len(p.incidents()))
		}
	})
}

// Sending a message again does not bypass a rule's warning.
func TestPolicyRetry(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "warn"})
		var c talk
		p.Owner.Get("/api/crm/v1/conversations/" + id).Want(200).Data(&c)
		p.Owner.Post("/api/crm/v1/conversations/new-as-agent", map[string]any{"contact_id": c.ContactID, "channel": "email", "subject": "Kart", "body": cardNumber}).Want(201)
		begun := p.talks()[0].ID
		lines := p.lines(begun)
		at := slices.IndexFunc(lines, func(l line) bool { return l.Delivery != nil })
		p.Owner.Post("/api/crm/v1/conversations/"+begun+"/items/"+lines[at].ID+"/retry", nil).Refused(422, "dlp_warning")
		s.Settle()
		if failed := p.failures(begun); len(p.sink.got()) != 0 || !slices.Equal(failed, []string{"dlp_warning"}) {
			t.Errorf("%d mails, failed with %q", len(p.sink.got()), failed)
		}
	})
}

// A forwarded message is checked like an answer, also if the service sends it in its own
// name.
func TestPolicyForward(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "keyword", "pattern": "merhaba", "action": "warn"})
		path := "/api/crm/v1/conversations/" + id + "/items/" + p.lines(id)[0].ID + "/forward"
		to := map[string]any{"to": []string{"depo@nakliye.example"}}
		p.Owner.Post(path, to).Refused(422, "dlp_warning")
		to["dlp_override"] = map[string]any{"reason": "Depo sordu"}
		p.Owner.Post(path, to).Want(200)
		s.Settle()
		if len(p.sink.got()) != 1 {
			t.Errorf("%d mails", len(p.sink.got()))
		}
		p.Owner.Do("PATCH", "/api/crm/v1/channels/"+p.box.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		p.rule(map[string]any{"pattern_type": "keyword", "pattern": "merhaba", "action": "quarantine"})
		p.Owner.Post(path, to).Refused(422, "dlp_blocked")
		if n := len(s.Mails(p.ID, "depo@nakliye.example")); n != 0 {
			t.Errorf("%d mails of the service", n)
		}
	})
}

// A scheduled message is checked when it is written, and again when it is sent.
func TestPolicyScheduled(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		path := "/api/crm/v1/conversations/" + id + "/scheduled"
		schedule := func(body string) *apptest.Response {
			return p.Owner.Post(path, map[string]any{"body": body, "delay_s": 5})
		}
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "warn"})
		p.rule(map[string]any{"pattern_type": "keyword", "pattern": "yasak", "action": "block"})
		schedule(cardNumber).Refused(422, "dlp_warning")
		schedule("bu yasak").Refused(422, "dlp_blocked")
		p.Owner.Post(path, map[string]any{"body": cardNumber, "delay_s": 5, "dlp_override": map[string]any{"reason": "Müşteri istedi"}}).Want(201)
		schedule("çok gizli").Want(201)
		p.rule(map[string]any{"pattern_type": "keyword", "pattern": "gizli", "action": "block"})
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		if got := p.sink.got(); len(got) != 1 || !strings.Contains(got[0].parse(t).Text, cardNumber) {
			t.Errorf("got %+v", got)
		}
		var list []struct {
			Error *string `json:"error"`
		}
		p.Owner.Get(path + "?state=failed").Want(200).Data(&list)
		if len(list) != 1 || list[0].Error == nil || *list[0].Error != "dlp_blocked" {
			t.Errorf("got %+v", list)
		}
		actions := []string{}
		for _, i := range p.incidents() {
			actions = append(actions, i.ActionTaken+" "+i.Note)
		}
		slices.Sort(actions)
		if got := strings.Join(actions, ","); got != "block ,block ,warn ,warn Müşteri istedi" {
			t.Errorf("incidents: %s", got)
		}
	})
}

// Values that must be redacted are redacted while the message waits, and recorded once.
func TestPolicyCoversScheduled(t *testing.T) {
	t.Parallel()
	run(t, func(t *testing.T, s *apptest.Server) {
		p, id := begun(t, s)
		p.rule(map[string]any{"pattern_type": "credit_card", "action": "redact"})
		var m struct {
			Body string `json:"body"`
		}
		p.Owner.Post("/api/crm/v1/conversations/"+id+"/scheduled", map[string]any{"body": "Kart " + cardNumber, "delay_s": 5}).Want(201).Data(&m)
		const want = "Kart ████ ████ ████ ████"
		if m.Body != want {
			t.Errorf("it waits as %q", m.Body)
		}
		s.Clock.Advance(10 * time.Second)
		s.Settle()
		if got := p.sink.got(); len(got) != 1 || got[0].parse(t).Text != want || len(p.incidents()) != 1 {
			t.Errorf("got %+v, incidents %+v", got, p.incidents())
		}
	})
}
