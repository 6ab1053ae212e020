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
		Mailbox string `json:"mailbox" minLength:"1" maxLength:"254" example:"elif@example.com" doc:"Whose data it is about"`
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
	api.HandleList(a, route("GET", "/gdpr", "list-privacy-requests", "List privacy requests", perm.PrivacyView),
		func(ctx context.Context, in *listIn) (db.List[PrivacyRequest], error) {
			return s.PrivacyRequests(ctx, in.Page())
		})

	add := route("POST", "/gdpr", "add-privacy-request", "Write a privacy request down", perm.PrivacyManage)
	add.TakesKey, add.Status = true, 201
	add.Doc = "Somebody asked for their data or for its erasure. A person works on it within 30 days and closes it; both are lines of the privacy ledger."
	api.Handle(a, add, func(ctx context.Context, in *addRequestIn) (PrivacyRequest, error) {
		return s.AddPrivacyRequest(ctx, in.Body.Kind, in.Body.Mailbox, in.Body.Note)
	})

	end := route("PUT", "/gdpr/{id}/state", "close-privacy-request", "Close a privacy request", perm.PrivacyManage)
	end.Refusals = []int{409}
	end.Doc = "Completing an erasure removes the address from the requests about it and makes the personal values in the ledger unreadable; the chain still holds. One that is closed: 409."
	api.Handle(a, end, func(ctx context.Context, in *closeRequestIn) (PrivacyRequest, error) {
		return s.ClosePrivacyRequest(ctx, in.ID.UUID, in.Body.State, in.Body.Note)
	})

	lines := route("GET", "/gdpr/audit", "privacy-ledger", "Read the privacy ledger", perm.PrivacyView)
	lines.Doc = "The full trail, newest first. Each line holds the hash of the one before it."
	api.HandleList(a, lines, func(ctx context.Context, in *ledgerIn) (db.List[ledger.Line], error) {
		return s.LedgerLines(ctx, in.Mailbox, in.Page())
	})

	verify := route("GET", "/gdpr/audit/verify", "verify-privacy-ledger", "Check the privacy ledger", perm.PrivacyView)
	verify.Doc = "Checks every line: numbers without gaps, each with the hash of the one before it and with its own."
	api.Handle(a, verify, func(ctx context.Context, _ *struct{}) (ledger.Verification, error) { return s.VerifyLedger(ctx) })
}
