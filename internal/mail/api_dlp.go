package mail

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// ruleBody is a rule to try.
type ruleBody struct {
	PatternType string      `json:"pattern_type" enum:"keyword,regex,credit_card,iban,tckn,vkn,phone,email,attachment_type" example:"keyword"`
	Pattern     string      `json:"pattern,omitempty" maxLength:"20000" example:"çok gizli"`
	Options     RuleOptions `json:"options,omitempty"`
	Action      string      `json:"action" enum:"block,quarantine,redact,warn,notify,log" example:"block"`
}

type addRuleIn struct {
	Body struct {
		Name        string      `json:"name" minLength:"1" maxLength:"200" pattern:"^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$" example:"Confidential words"`
		PatternType string      `json:"pattern_type" enum:"keyword,regex,credit_card,iban,tckn,vkn,phone,email,attachment_type" example:"keyword"`
		Pattern     string      `json:"pattern,omitempty" maxLength:"20000" example:"çok gizli" doc:"Required for keyword (one word or phrase per line; a trailing * matches any ending), regex (RE2 syntax) and attachment_type (file extensions or media types); not allowed for other types"`
		Options     RuleOptions `json:"options,omitempty"`
		Action      string      `json:"action" enum:"block,quarantine,redact,warn,notify,log" example:"block"`
		Severity    string      `json:"severity,omitempty" enum:"low,medium,high" default:"medium"`
		Enabled     *bool       `json:"enabled,omitempty" example:"true" doc:"Defaults to true"`
	}
}

type ruleIn struct {
	ID api.ID `path:"id" record:"dlp_rule"`
}

type enableRuleIn struct {
	ID   api.ID `path:"id" record:"dlp_rule"`
	Body struct {
		Enabled bool `json:"enabled" example:"false"`
	}
}

type incidentsIn struct {
	api.Paged
	Status string `query:"status" enum:"open,released,rejected,false_positive" doc:"Only incidents in this state"`
}

type releaseIn struct {
	ID   api.ID `path:"id" record:"dlp_incident"`
	Body struct {
		FalsePositive bool   `json:"false_positive,omitempty" doc:"Whether the rule matched by mistake"`
		Note          string `json:"note,omitempty" maxLength:"500" example:"The customer asked for it"`
	}
}

type rejectIn struct {
	ID   api.ID `path:"id" record:"dlp_incident"`
	Body struct {
		Note string `json:"note,omitempty" maxLength:"500" example:"Send it by another way"`
	}
}

type testIn struct {
	Body struct {
		Subject string    `json:"subject,omitempty" maxLength:"1000" pattern:"^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$" example:"Sipariş"`
		Text    string    `json:"text" maxLength:"100000" example:"Kart: 4111 1111 1111 1111"`
		Rule    *ruleBody `json:"rule,omitempty" doc:"A rule that is not saved yet, used instead of the enabled rules"`
	}
}

// registerDLP adds the routes of rules and incidents.
func (s *Service) registerDLP(a *api.API) {
	api.HandlePage(a, route("GET", "/dlp/rules", "list-dlp-rules", "List DLP rules", perm.DLPView), s.Rules)

	add := route("POST", "/dlp/rules", "add-dlp-rule", "Add a DLP rule", perm.DLPManage)
	add.TakesKey = true
	add.Status, add.Refusals = 201, []int{409}
	add.Doc = "Enabled rules check every e-mail sent from the inbox and from mailboxes' mail programs: the text when it is written, and the whole mail with its files before it is sent. " +
		"If several rules match, the strictest action applies: block, quarantine, redact, warn, notify, log. " +
		"redact masks matches in text that an agent writes; matches in files or in mail from a mail program cannot be masked, so that mail is quarantined. " +
		"warn asks an agent for a reason; mail from a mail program is sent, and its sender is notified. " +
		"While any rule is enabled, mail with a part that cannot be scanned is quarantined."
	api.Handle(a, add, func(ctx context.Context, in *addRuleIn) (Rule, error) {
		b := in.Body
		return s.AddRule(ctx, Rule{
			Name: b.Name, PatternType: b.PatternType, Pattern: b.Pattern, Options: b.Options, Action: b.Action, Severity: b.Severity, Enabled: b.Enabled == nil || *b.Enabled,
		})
	})

	api.Handle(a, route("DELETE", "/dlp/rules/{id}", "delete-dlp-rule", "Delete a DLP rule", perm.DLPManage),
		func(ctx context.Context, in *ruleIn) (api.Deleted, error) {
			return api.Deleted{ID: in.ID, Deleted: true}, s.DeleteRule(ctx, in.ID.UUID)
		})

	api.Handle(a, route("PUT", "/dlp/rules/{id}/enabled", "enable-dlp-rule", "Turn a DLP rule on or off", perm.DLPManage),
		func(ctx context.Context, in *enableRuleIn) (Rule, error) {
			return s.SetRuleEnabled(ctx, in.ID.UUID, in.Body.Enabled)
		})

	api.HandleList(a, route("GET", "/dlp/incidents", "list-dlp-incidents", "List DLP incidents", perm.DLPView),
		func(ctx context.Context, in *incidentsIn) (db.List[Incident], error) {
			return s.Incidents(ctx, in.Status, in.Page())
		})

	release := route("POST", "/dlp/incidents/{id}/release", "release-dlp-incident", "Release a mail from quarantine", perm.DLPManage)
	release.Refusals = []int{409}
	release.Doc = "The mail is sent within a minute. 409 if the incident is not open, with its state as the reason. 409 with the reason content_gone if the content of the mail is no longer stored, recipient_gone if its conversation or customer was deleted, or sender_gone if the sender's domain no longer belongs to the workspace."
	api.Handle(a, release, func(ctx context.Context, in *releaseIn) (Incident, error) {
		status := IncidentReleased
		if in.Body.FalsePositive {
			status = IncidentFalsePositive
		}
		return s.ReviewIncident(ctx, in.ID.UUID, status, in.Body.Note)
	})

	reject := route("POST", "/dlp/incidents/{id}/reject", "reject-dlp-incident", "Reject a mail in quarantine", perm.DLPManage)
	reject.Refusals = []int{409}
	reject.Doc = "The message fails with dlp_rejected. 409 if the incident is not open, with its state as the reason."
	api.Handle(a, reject, func(ctx context.Context, in *rejectIn) (Incident, error) {
		return s.ReviewIncident(ctx, in.ID.UUID, IncidentRejected, in.Body.Note)
	})

	test := route("POST", "/dlp/test", "test-dlp", "Test DLP rules on a text", perm.DLPView)
	test.Doc = "Returns what the enabled rules, or a rule that is not saved yet, find in a text. Nothing is recorded or sent."
	api.Handle(a, test, func(ctx context.Context, in *testIn) (Tested, error) {
		var only *Rule
		if r := in.Body.Rule; r != nil {
			only = &Rule{PatternType: r.PatternType, Pattern: r.Pattern, Options: r.Options, Action: r.Action, Severity: severities[0]}
		}
		return s.TestText(ctx, in.Body.Subject, in.Body.Text, only)
	})
}
