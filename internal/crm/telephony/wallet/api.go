package wallet

import (
	"context"
	"io"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

const (
	path = "/api/crm/v1/telephony/wallet"
	// callbackPath is where a bank sends the browser.
	callbackPath = path + "/topups/callback"
)

type topUpIn struct {
	ID api.ID `path:"id" record:"wallet_topup"`
}

type startTopUpIn struct {
	Body struct {
		Amount int64  `json:"amount_micros" minimum:"10000000" maximum:"50000000000" example:"100000000" doc:"In millionths of the currency unit; must be a whole number of hundredths"`
		Card   Card   `json:"card"`
		Buyer  *Buyer `json:"buyer,omitempty" doc:"The payer; defaults to the previous one. Stored encrypted"`
	}
}

// KeyedPart returns what a repeated payment is recognised by: nothing of the card.
func (in *startTopUpIn) KeyedPart() any { return in.Body.Amount }

type statementIn struct {
	From clock.Time `query:"from" required:"true" format:"date-time" example:"2026-11-01T00:00:00Z"`
	To   clock.Time `query:"to" required:"true" format:"date-time" example:"2026-12-01T00:00:00Z" doc:"End of the period, exclusive"`
}

// callbackIn is what iyzico sends with the returning browser.
type callbackIn struct {
	Intent string `path:"intent" example:"AZNlb3BsZQ" doc:"Identifies the top-up; part of the address given to the bank"`
	Body   struct {
		_         struct{} `json:"-" additionalProperties:"true"`
		Status    string   `json:"status,omitempty" maxLength:"50" example:"success"`
		MDStatus  string   `json:"mdStatus,omitempty" maxLength:"10" example:"1"`
		PaymentID string   `json:"paymentId,omitempty" maxLength:"100" example:"24678312"`
		Data      string   `json:"conversationData,omitempty" maxLength:"4000" example:""`
	} `contentType:"application/x-www-form-urlencoded"`
}

func route(method, sub, id, summary string, p perm.Permission) api.Route {
	return api.Route{
		Method: method, Path: path + sub, ID: id, Tag: "CRM telephony", Summary: summary,
		Access: api.Session, Permission: p, Licence: licence,
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, route("GET", "", "get-wallet", "Get the call credit", perm.WalletView),
		func(ctx context.Context, _ *struct{}) (Wallet, error) { return s.Wallet(ctx, api.Caller(ctx).TenantID) })
	api.HandlePage(a, route("GET", "/entries", "list-wallet-entries", "List changes of the call credit, newest first", perm.WalletView), s.Entries)
	api.HandleBytes(a, route("GET", "/statement", "get-wallet-statement", "Download changes of the call credit as CSV", perm.WalletView),
		"text/csv", func(ctx context.Context, in *statementIn) (*api.Bytes, error) {
			if !in.From.Before(in.To.Time) {
				return nil, fault.Invalid("to", "before_from")
			}
			return &api.Bytes{
				ContentType: "text/csv; charset=utf-8", Filename: "statement.csv",
				Write: func(w io.Writer) error { return s.WriteStatement(ctx, in.From.Time, in.To.Time, w) },
			}, nil
		})

	start := route("POST", "/topup", "start-topup", "Pay for call credit by card", perm.WalletManage)
	start.Doc = "Starts a 3-D Secure payment and returns the bank's page. The card is passed to the bank and is neither stored nor logged. " +
		"The bank's page is not stored either: repeating the request with its Idempotency-Key returns 409 idempotency_replay with the top-up's id as its reason and charges nothing; another amount with that key returns 422 idempotency_mismatch. " +
		"Check the payment with GET /wallet/topups/{id}, or start another with another key."
	start.Status, start.TakesKey, start.ShowsSecret, start.TakesCard = 201, true, true, true
	start.Limit = api.Credentials // stolen cards are tried out with small payments
	api.Handle(a, start, func(ctx context.Context, in *startTopUpIn) (Challenge, error) {
		return s.StartTopUp(ctx, NewTopUp{Amount: in.Body.Amount, Card: in.Body.Card, Buyer: in.Body.Buyer})
	})
	api.Handle(a, route("GET", "/topups/{id}", "get-topup", "Get a card payment", perm.WalletManage),
		func(ctx context.Context, in *topUpIn) (TopUp, error) { return s.TopUp(ctx, in.ID.UUID) })

	back := route("POST", "/topups/callback/{intent}", "return-from-bank", "Return from the bank's page", "")
	back.Doc = "Banks call it from another site and without a credential; the address identifies the top-up. Returns an HTML page."
	back.Access, back.Licence, back.Open, back.ChecksOrigin = api.Public, "", true, true
	api.HandleBytes(a, back, "text/html", func(ctx context.Context, in *callbackIn) (*api.Bytes, error) {
		passed, err := s.Return(ctx, in.Intent, Proof{
			Passed: in.Body.Status == "success" && in.Body.MDStatus == "1", Status: "mdStatus " + in.Body.MDStatus,
			PaymentID: in.Body.PaymentID, Data: in.Body.Data,
		})
		if err != nil {
			return nil, err
		}
		page := returnPage(api.Language(ctx), passed)
		return &api.Bytes{ContentType: "text/html; charset=utf-8", Write: func(w io.Writer) error {
			_, err := io.WriteString(w, page)
			return err
		}}, nil
	})
}

// returnPage returns the page that a person sees after the bank's page.
func returnPage(language string, passed bool) string {
	texts := map[string][3]string{
		"en": {"Payment", "The payment is on its way. Your credit is there as soon as the bank has confirmed it; you can close this page.", "The payment did not go through. You can close this page and try again."},
		"tr": {"Ödeme", "Ödeme işleniyor. Krediniz, banka onayladığında yüklenecek; bu sayfayı kapatabilirsiniz.", "Ödeme gerçekleşmedi. Bu sayfayı kapatıp yeniden deneyebilirsiniz."},
	}[language]
	text := texts[2]
	if passed {
		text = texts[1]
	}
	return `<!doctype html><html lang="` + language + `"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` +
		texts[0] + `</title><body><h1>` + texts[0] + `</h1><p>` + text + `</p></body></html>`
}
