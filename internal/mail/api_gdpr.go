package mail

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/ledger"
	"konak/internal/kit/perm"
)

type addRequestIn struct {
	Body struct {
		Kind    string `json:"kind" enum:"export,erasure" example:"erasure"`
		Mailbox string `json:"mailbox" minLength:"1" maxLength:"254" example:"elif@example.com" doc:"E-mail address that the request is about"`
		Note    string `json:"note,omitempty" maxLength:"2000" example:"Asked by telephone"`
	}
}

type closeRequestIn struct {
	ID   api.ID `path:"id" record:"gdpr_request"`
	Body struct {
		State string `json:"state" enum:"completed,rejected" example:"completed"`
		Note  string `json:"note,omitempty" maxLength:"2000" example:"Sent by registered mail"`
	}
}

type ledgerIn struct {
	api.Paged
	Mailbox string `query:"mailbox" maxLength:"254" example:"elif@example.com" doc:"Only lines about this address"`
}

// registerGDPR adds the routes of privacy requests and of the ledger.
func (s *Service) registerGDPR(a *api.API) {
	api.HandlePage(a, route("GET", "/gdpr", "list-privacy-requests", "List privacy requests", perm.PrivacyView), s.PrivacyRequests)

	add := route("POST", "/gdpr", "add-privacy-request", "Create a privacy request", perm.PrivacyManage)
	add.TakesKey, add.Status = true, 201
	add.Doc = "Records that someone asked for their data or its erasure. A member handles the request within 30 days and closes it; both steps are lines in the privacy ledger."
	api.Handle(a, add, func(ctx context.Context, in *addRequestIn) (PrivacyRequest, error) {
		return s.AddPrivacyRequest(ctx, in.Body.Kind, in.Body.Mailbox, in.Body.Note)
	})

	end := route("PUT", "/gdpr/{id}/state", "close-privacy-request", "Close a privacy request", perm.PrivacyManage)
	end.Refusals = []int{409}
	end.Doc = "Completing an erasure removes the address from all requests about it and makes the personal values in the ledger unreadable; the hash chain stays valid. 409 if the request is already closed."
	api.Handle(a, end, func(ctx context.Context, in *closeRequestIn) (PrivacyRequest, error) {
		return s.ClosePrivacyRequest(ctx, in.ID.UUID, in.Body.State, in.Body.Note)
	})

	lines := route("GET", "/gdpr/audit", "privacy-ledger", "Read the privacy ledger", perm.PrivacyView)
	lines.Doc = "All lines, newest first. Each line contains the hash of the previous one."
	api.HandleList(a, lines, func(ctx context.Context, in *ledgerIn) (db.List[ledger.Line], error) {
		return s.LedgerLines(ctx, in.Mailbox, in.Page())
	})

	verify := route("GET", "/gdpr/audit/verify", "verify-privacy-ledger", "Verify the privacy ledger", perm.PrivacyView)
	verify.Doc = "Checks every line: numbers without gaps, the hash of the previous line and the line's own hash."
	api.Handle(a, verify, func(ctx context.Context, _ *struct{}) (ledger.Verification, error) { return s.VerifyLedger(ctx) })
}
