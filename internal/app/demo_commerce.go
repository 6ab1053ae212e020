package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"konak/internal/commerce"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
)

// order creates what a shop would have sent: an order with its shipment, return and ledger
// entries. Its cells are contact, number, age, status, currency, lines (quantity name
// unit-price), shipment (carrier, tracking number, status), return (status, reason, amount)
// and the amount paid.
func (f *demoCRM) order(ctx context.Context, line string) error {
	c := cells(line, "|")
	if len(c) != 9 {
		return fmt.Errorf("%d cells", len(c))
	}
	who, ok := f.people[c[0]]
	if !ok {
		return fmt.Errorf("no contact %q", c[0])
	}
	age, err := readAge(c[2])
	if err != nil {
		return err
	}
	f.clock.Set(f.now.Add(-age))
	at := clock.At(f.clock.Now())
	ctx = caller.With(ctx, &caller.Caller{Kind: caller.System, TenantID: f.tenant, Slug: f.slug})
	buyer := commerce.Party{ExternalID: "C-" + who.Phones[0].E164[len(who.Phones[0].E164)-4:], Name: who.Name, Email: who.Emails[0].Address}
	o := commerce.Order{ExternalID: c[1], Number: c[1], Status: c[3], Currency: c[4], PlacedAt: at}
	for _, text := range cells(c[5], ";") {
		l, err := readLine(text)
		if err != nil {
			return err
		}
		o.Lines, o.Total = append(o.Lines, l), o.Total+l.Total
	}
	if _, err := f.shop.PutOrder(ctx, buyer, o); err != nil {
		return err
	}
	if err := f.createInvoice(ctx, buyer, o, c[8]); err != nil {
		return err
	}
	f.clock.Advance(min(age/2, 26*time.Hour))
	if p := cells(c[6], ","); len(p) == 3 {
		sh := commerce.Shipment{ExternalID: "SH-" + c[1], Carrier: p[0], TrackingNumber: p[1], Status: p[2]}
		sh.ShippedAt = clock.Ptr(f.clock.Now())
		if sh.Status == "delivered" {
			sh.DeliveredAt = clock.Ptr(f.clock.Now().Add(age / 4))
		}
		if _, err := f.shop.PutShipment(ctx, c[1], sh); err != nil {
			return err
		}
	}
	p := cells(c[7], ",")
	if len(p) != 3 {
		return nil
	}
	amount, err := strconv.ParseInt(p[2], 10, 64)
	if err != nil {
		return err
	}
	_, err = f.shop.PutReturn(ctx, c[1], commerce.Return{
		ExternalID: "RMA-" + c[1], Status: p[0], Reason: p[1], Currency: o.Currency, Amount: amount,
		RequestedAt: clock.At(f.clock.Now()),
	})
	return err
}

// createInvoice creates an order's invoice and its payment.
func (f *demoCRM) createInvoice(ctx context.Context, who commerce.Party, o commerce.Order, paid string) error {
	entry := commerce.Entry{ExternalID: "INV-" + o.Number, Currency: o.Currency, Amount: o.Total, Description: "#" + o.Number, At: o.PlacedAt}
	if _, err := f.shop.PutEntry(ctx, who, entry); err != nil {
		return err
	}
	n, err := strconv.ParseInt(paid, 10, 64)
	if err != nil || n == 0 {
		return err
	}
	entry.ExternalID, entry.Amount = "PAY-"+o.Number, -n
	_, err = f.shop.PutEntry(ctx, who, entry)
	return err
}

// readLine parses "2 Keten perde 129900".
func readLine(text string) (l commerce.Line, err error) {
	first, last := strings.Index(text, " "), strings.LastIndex(text, " ")
	if first < 0 || first == last {
		return l, fmt.Errorf("line %q", text)
	}
	l.Name = text[first+1 : last]
	if l.Quantity, err = strconv.Atoi(text[:first]); err != nil {
		return l, err
	}
	l.UnitPrice, err = strconv.ParseInt(text[last+1:], 10, 64)
	l.Total = l.UnitPrice * int64(l.Quantity)
	return l, err
}
