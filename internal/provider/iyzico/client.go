// Package iyzico takes card payments with iyzico: 3-D Secure in two steps, signed with the
// merchant's key (IYZWSv2).
package iyzico

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/secret"
	"konak/internal/provider/rest"
)

// Host is the address of the service.
const Host = "https://api.iyzipay.com"

const (
	timeout   = 20 * time.Second
	maxAnswer = 1 << 20
)

// Client speaks with iyzico.
type Client struct {
	base   string
	key    string
	secret secret.Text
	http   *rest.Client
}

var _ wallet.Bank = (*Client)(nil)

// New creates a client; an empty address means iyzico's.
func New(address, key string, secretKey secret.Text, transport http.RoundTripper) *Client {
	return &Client{
		base: strings.TrimSuffix(cmp.Or(address, Host), "/"), key: key, secret: secretKey,
		http: rest.New("iyzico", maxAnswer, transport, timeout),
	}
}

// Name implements wallet.Bank.
func (*Client) Name() string { return "iyzico" }

// Sign returns the Authorization header of a request.
func Sign(key string, secretKey secret.Text, random, path string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secretKey.Reveal()))
	m.Write([]byte(random + path))
	m.Write(body)
	text := "apiKey:" + key + "&randomKey:" + random + "&signature:" + hex.EncodeToString(m.Sum(nil))
	return "IYZWSv2 " + base64.StdEncoding.EncodeToString([]byte(text))
}

// post sends a request and reads its answer. Errors contain neither the body nor the
// address.
func (c *Client) post(ctx context.Context, path string, in any) (Answer, error) {
	var out Answer
	body, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("iyzico: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return out, fmt.Errorf("iyzico: %w", err)
	}
	random := rand.Text()
	req.Header.Set("Authorization", Sign(c.key, c.secret, random, path, body))
	req.Header.Set(RandomHeader, random)
	req.Header.Set("Content-Type", "application/json")
	resp, text, err := c.http.Do(req)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(text, &out); err != nil || out.Status != Success && out.Status != Failure || resp.StatusCode >= 500 {
		return out, fmt.Errorf("iyzico: cannot read the answer with status %d", resp.StatusCode)
	}
	return out, nil
}

// refused returns the service's refusal.
func (a *Answer) refused() error { return &wallet.Refusal{Code: a.ErrorCode, Message: a.ErrorMessage} }

// Start implements wallet.Bank.
func (c *Client) Start(ctx context.Context, p wallet.Payment, card wallet.Card, b wallet.Buyer) (wallet.Started, error) {
	price := formatPrice(p.Amount)
	address := Address{Contact: b.Name + " " + b.Surname, City: b.City, Country: b.Country, Address: b.Address, PostalCode: b.PostalCode}
	a, err := c.post(ctx, PathInitialize, Initialize{
		Locale: "tr", ConversationID: p.ID.String(), BasketID: p.ID.String(), Price: price, PaidPrice: price, Currency: p.Currency,
		Installment: 1, PaymentChannel: "WEB", PaymentGroup: "PRODUCT", CallbackURL: p.CallbackURL,
		Card: PaymentCard{
			Holder: card.Holder, Number: card.Number, Month: fmt.Sprintf("%02d", card.Month), Year: strconv.Itoa(card.Year), CVC: card.CVC,
		},
		Buyer: Buyer{
			ID: p.ID.String(), Name: b.Name, Surname: b.Surname, IdentityNumber: b.IdentityNumber, Email: b.Email, Phone: b.Phone,
			Address: b.Address, City: b.City, Country: b.Country, PostalCode: b.PostalCode, IP: p.IP,
		},
		Billing: address,
		Items:   []BasketItem{{ID: "credit", Name: "Call credit", Category: "Telephony", Type: "VIRTUAL", Price: price}},
	})
	if err != nil {
		return wallet.Started{}, err
	}
	if a.Status != Success {
		return wallet.Started{}, a.refused()
	}
	html, err := base64.StdEncoding.DecodeString(a.HTML)
	if err != nil || len(html) == 0 {
		return wallet.Started{}, errors.New("iyzico: the answer does not contain the bank's page")
	}
	return wallet.Started{PaymentID: a.PaymentID, HTML: string(html)}, nil
}

// Complete implements wallet.Bank.
func (c *Client) Complete(ctx context.Context, p wallet.Payment, proof wallet.Proof) (wallet.Outcome, error) {
	a, err := c.post(ctx, PathAuth, Auth{Locale: "tr", ConversationID: p.ID.String(), PaymentID: p.PaymentID, ConversationData: proof.Data})
	if err != nil {
		return wallet.Outcome{}, err
	}
	if a.Status != Success {
		return wallet.Outcome{}, a.refused()
	}
	return a.outcome()
}

// Query implements wallet.Bank.
func (c *Client) Query(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	a, err := c.post(ctx, PathDetail, Detail{
		Locale: "tr", ConversationID: p.ID.String(), PaymentID: p.PaymentID, PaymentConversationID: p.ID.String(),
	})
	switch {
	case err != nil:
		return wallet.Outcome{}, err
	case a.Status != Success && a.ErrorCode == CodeNotFound:
		return wallet.Outcome{State: wallet.OutcomeAbsent}, nil
	case a.Status != Success:
		// This error is about the query and not about the payment.
		return wallet.Outcome{}, fmt.Errorf("iyzico: the payment cannot be looked up: %w", errors.New(a.ErrorCode))
	case a.PaymentStatus == PaymentFailure:
		return wallet.Outcome{State: wallet.OutcomeFailed, Detail: a.ErrorMessage}, nil
	case a.PaymentStatus != PaymentSuccess:
		return wallet.Outcome{State: wallet.OutcomeAbsent}, nil
	}
	return a.outcome()
}

// outcome returns the outcome of a payment that was made.
func (a *Answer) outcome() (wallet.Outcome, error) {
	amount, err := parsePrice(a.PaidPrice.String())
	if err != nil {
		return wallet.Outcome{}, err
	}
	// The basket id is the one that we sent at the start of the payment; an id that cannot
	// be parsed matches none.
	id, _ := uuid.Parse(a.BasketID)
	out := wallet.Outcome{State: wallet.OutcomePaid, ID: id, PaymentID: a.PaymentID, Amount: amount, Currency: a.Currency}
	switch {
	case a.FraudStatus == 0:
		out.State = wallet.OutcomeWaiting
	case a.FraudStatus < 0:
		out.State, out.Detail = wallet.OutcomeFailed, "fraud check"
	}
	return out, nil
}

// formatPrice formats an amount as units and hundredths.
func formatPrice(micros int64) string {
	return fmt.Sprintf("%d.%02d", micros/wallet.Micro, micros%wallet.Micro/(wallet.Micro/100))
}

// parsePrice parses a decimal number with up to six places.
func parsePrice(text string) (int64, error) {
	units, places, _ := strings.Cut(text, ".")
	if len(places) > 6 {
		if strings.Trim(places[6:], "0") != "" {
			return 0, errors.New("iyzico: the price has more than six decimal places")
		}
		places = places[:6]
	}
	n, err := strconv.ParseUint(units+places+strings.Repeat("0", 6-len(places)), 10, 62)
	if err != nil || units == "" {
		return 0, errors.New("iyzico: cannot read the price")
	}
	return int64(n), nil
}
