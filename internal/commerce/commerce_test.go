package commerce_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"konak/internal/app/apptest"
	"konak/internal/commerce"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/card"
	"konak/internal/identity"
	"konak/internal/kit/perm"
)

const base = "/api/commerce/public/v1"

// store is a workspace with a shop's key and a customer.
type store struct {
	*apptest.Workspace
	t    *testing.T
	s    *apptest.Server
	key  *apptest.Client
	elif contact.Contact
	seen int
}

func open(t *testing.T, s *apptest.Server) *store {
	t.Helper()
	w := &store{Workspace: s.Workspace("demo"), t: t, s: s}
	w.key = w.Key(false, perm.CommerceView, perm.CommerceManage)
	w.elif = w.contact("Elif Kaya", "elif@example.com", "+905321234567")
	w.events()
	return w
}

func (w *store) contact(name, email, phone string) (c contact.Contact) {
	w.t.Helper()
	w.Owner.Post("/api/crm/v1/contacts", map[string]any{"name": name, "emails": []string{email}, "phones": []string{phone}}).Want(201).Data(&c)
	return c
}

func (w *store) events() []string {
	w.t.Helper()
	all := w.Events()
	fresh := all[w.seen:]
	w.seen = len(all)
	return fresh
}

func (w *store) order(external string, customer map[string]any, change ...map[string]any) map[string]any {
	body := map[string]any{
		"external_id": external, "customer": customer, "number": "1188", "status": "paid", "currency": "TRY", "total": 249900, "shipping": 4990,
		"lines":     []any{map[string]any{"sku": "KM-2", "name": "Meşe sandalye", "quantity": 2, "unit_price": 122455, "total": 244910}},
		"placed_at": "2026-11-10T09:00:00Z", "url": "https://shop.example/1188",
	}
	for _, c := range change {
		for k, v := range c {
			body[k] = v
		}
	}
	return body
}

// card opens a conversation of a contact and returns its card.
func (w *store) card(of uuid.UUID) (c card.Card) {
	w.t.Helper()
	talk, err := w.s.Conversations.Create(w.Context(), conversation.NewConversation{ContactID: of, Channel: conversation.API, Body: "Siparişim?"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Owner.Get("/api/crm/v1/conversations/" + talk.ID.String() + "/commerce").Want(200).Data(&c)
	return c
}

// contactOrders returns all orders of a contact, reading page by page.
func (w *store) contactOrders(of uuid.UUID) (all []card.CardOrder) {
	w.t.Helper()
	path := "/api/crm/v1/contacts/" + of.String() + "/orders?limit=6"
	for cursor := ""; ; {
		answer := w.Owner.Get(path + "&cursor=" + cursor).Want(200)
		var page []card.CardOrder
		answer.Data(&page)
		all = append(all, page...)
		if cursor = answer.NextCursor(); cursor == "" {
			return all
		}
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := open(t, s)
		put := func(body map[string]any) (o commerce.Order) {
			t.Helper()
			w.key.Put(base+"/orders", body).Want(200).Data(&o)
			return o
		}
		shopper := map[string]any{"external_id": "C-1", "email": "Elif@Example.com", "name": "Elif K."}
		first := put(w.order("SO-1", shopper))
		if first.Total != 249900 || first.Lines[0].Quantity != 2 || first.Status != "paid" {
			t.Errorf("got %+v", first)
		}
		// Writing the same again changes nothing; a change does.
		if again := put(w.order("SO-1", shopper)); !cmp.Equal(first, again) {
			t.Error(cmp.Diff(first, again))
		}
		s.Clock.Advance(time.Minute)
		shipped := put(w.order("SO-1", shopper, map[string]any{"status": "shipped", "source_updated_at": "2026-11-12T10:00:00Z"}))
		if shipped.ID != first.ID || shipped.Status != "shipped" || !shipped.CreatedAt.Equal(first.CreatedAt.Time) || shipped.UpdatedAt.Equal(first.UpdatedAt.Time) {
			t.Errorf("got %+v", shipped)
		}
		// An update that the shop sent earlier but that arrives later changes nothing.
		if late := put(w.order("SO-1", shopper, map[string]any{"status": "cancelled", "source_updated_at": "2026-11-11T10:00:00Z"})); late.Status != "shipped" {
			t.Errorf("got %+v", late)
		}
		if diff := cmp.Diff([]string{commerce.OrderCreated, commerce.OrderUpdated}, w.events()); diff != "" {
			t.Error(diff)
		}
		second := put(w.order("SO-2", shopper, map[string]any{"placed_at": "2026-11-11T09:00:00Z"}))
		if second.CustomerID != first.CustomerID {
			t.Error("the same customer twice")
		}
		var list []commerce.Order
		page := w.key.Get(base + "/orders?limit=1").Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != second.ID {
			t.Errorf("got %+v", list)
		}
		w.key.Get(base + "/orders?limit=1&cursor=" + page.NextCursor()).Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != first.ID {
			t.Errorf("got %+v", list)
		}
		w.key.Get(base + "/orders?external_id=SO-2&customer_id=" + first.CustomerID.String()).Want(200).Data(&list)
		if len(list) != 1 || list[0].ID != second.ID {
			t.Errorf("got %+v", list)
		}
		var got commerce.Order
		w.key.Get(base + "/orders/" + first.ID.String()).Want(200).Data(&got)
		if !cmp.Equal(got, shipped) {
			t.Error(cmp.Diff(shipped, got))
		}
		w.key.Get(base+"/orders/"+uuid.NewString()).Refused(404, "not_found")

		for field, bad := range map[string]map[string]any{
			"customer.external_id": w.order("X", map[string]any{"name": "Kim"}),
			"customer.email":       w.order("X", map[string]any{"email": "kim"}),
			"customer.phone":       w.order("X", map[string]any{"phone": "12"}),
			"customer.contact_id":  w.order("X", map[string]any{"contact_id": uuid.New()}),
			"status":               w.order("X", shopper, map[string]any{"status": "lost"}),
			"currency":             w.order("X", shopper, map[string]any{"currency": "lira"}),
			"total":                w.order("X", shopper, map[string]any{"total": -1}),
			"url":                  w.order("X", shopper, map[string]any{"url": "javascript:alert(1)"}),
			"external_id":          w.order("", shopper),
			"lines[0].quantity":    w.order("X", shopper, map[string]any{"lines": []any{map[string]any{"name": "x", "quantity": 0}}}),
		} {
			if e := w.key.Put(base+"/orders", bad).Refused(422, "validation_failed"); len(e.Fields[field]) == 0 {
				t.Errorf("%s: %v", field, e.Fields)
			}
		}
		// A key needs the scope, a session is not accepted, and the licence is required.
		if e := w.Key(false, perm.CommerceView).Put(base+"/orders", w.order("X", shopper)).Refused(403, "forbidden"); e.Permission != string(perm.CommerceManage) {
			t.Errorf("got %+v", e)
		}
		w.Owner.Get(base+"/orders").Refused(401, "key_required")
		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		w.Key(false, perm.CommerceView).Get(base+"/orders").Refused(403, "not_licensed")
	})
}

func TestShipmentsReturnsAndLedger(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := open(t, s)
		shopper := map[string]any{"external_id": "C-1", "phone": "0532 123 45 67"}
		var order commerce.Order
		w.key.Put(base+"/orders", w.order("SO-1", shopper)).Want(200).Data(&order)
		w.events()

		var sh commerce.Shipment
		shipment := map[string]any{"external_id": "SH-1", "order_external_id": "SO-1", "carrier": "Yurtiçi Kargo", "tracking_number": "7321", "status": "in_transit", "shipped_at": "2026-11-11T09:00:00Z"}
		for range 2 {
			w.key.Put(base+"/shipments", shipment).Want(200).Data(&sh)
		}
		shipment["status"], shipment["delivered_at"] = "delivered", "2026-11-12T09:00:00Z"
		w.key.Put(base+"/shipments", shipment).Want(200).Data(&sh)
		if sh.OrderID != order.ID || sh.Status != "delivered" || sh.DeliveredAt == nil {
			t.Errorf("got %+v", sh)
		}
		var back commerce.Return
		ret := map[string]any{"external_id": "RMA-1", "order_external_id": "SO-1", "status": "requested", "reason": "Küçük", "currency": "TRY", "amount": 122455, "requested_at": "2026-11-13T09:00:00Z"}
		for range 2 {
			w.key.Put(base+"/returns", ret).Want(200).Data(&back)
		}
		ret["status"] = "approved"
		w.key.Put(base+"/returns", ret).Want(200).Data(&back)
		if back.OrderID != order.ID || back.Status != "approved" {
			t.Errorf("got %+v", back)
		}
		want := []string{commerce.ShipmentCreated, commerce.ShipmentUpdated, commerce.ReturnCreated, commerce.ReturnUpdated}
		if diff := cmp.Diff(want, w.events()); diff != "" {
			t.Error(diff)
		}
		for _, path := range []string{"/shipments", "/returns"} {
			var list []struct{ ID uuid.UUID }
			w.key.Get(base + path + "?order_id=" + order.ID.String()).Want(200).Data(&list)
			if len(list) != 1 {
				t.Errorf("%s: %+v", path, list)
			}
			w.key.Get(base + path + "?order_id=" + uuid.NewString()).Want(200).Data(&list)
			if len(list) != 0 {
				t.Errorf("%s: %+v", path, list)
			}
		}
		shipment["order_external_id"] = "SO-9"
		if e := w.key.Put(base+"/shipments", shipment).Refused(422, "validation_failed"); !slices.Equal(e.Fields["order_external_id"], []string{"unknown_order"}) {
			t.Errorf("got %+v", e)
		}
		shipment["tracking_url"] = "ftp://x"
		w.key.Put(base+"/shipments", shipment).Refused(422, "validation_failed")
		ret["order_external_id"] = "SO-9"
		w.key.Put(base+"/returns", ret).Refused(422, "validation_failed")

		// The balance is the sum of the entries, also after a correction.
		post := func(external, customer, currency string, amount int64) {
			t.Helper()
			w.key.Put(base+"/ledger", map[string]any{
				"external_id": external, "customer": map[string]any{"external_id": customer}, "currency": currency, "amount": amount, "at": "2026-11-10T09:00:00Z",
			}).Want(200)
		}
		post("INV-1", "C-1", "TRY", 249900)
		post("PAY-1", "C-1", "TRY", -100000)
		post("PAY-1", "C-1", "TRY", -100000)
		post("INV-2", "C-1", "EUR", 500)
		post("INV-1", "C-1", "TRY", 200000)
		post("INV-2", "C-2", "EUR", 700)
		var c commerce.Customer
		w.key.Get(base + "/customers/" + order.CustomerID.String()).Want(200).Data(&c)
		if diff := cmp.Diff([]commerce.Balance{{Currency: "EUR", Amount: 0}, {Currency: "TRY", Amount: 100000}}, c.Balances); diff != "" {
			t.Error(diff)
		}
		var customers []commerce.Customer
		w.key.Get(base + "/customers?external_id=C-2").Want(200).Data(&customers)
		if len(customers) != 1 || customers[0].Balances[0].Amount != 700 {
			t.Errorf("got %+v", customers)
		}
		var entries []commerce.Entry
		w.key.Get(base + "/ledger?customer_id=" + order.CustomerID.String()).Want(200).Data(&entries)
		if len(entries) != 2 {
			t.Errorf("got %+v", entries)
		}
		if got := w.events(); len(got) != 5 {
			t.Errorf("announced %v", got)
		}
		w.key.Put(base+"/ledger", map[string]any{"external_id": "X", "customer": map[string]any{}, "currency": "TRY", "amount": 1, "at": "2026-11-10T09:00:00Z"}).Refused(422, "validation_failed")
		w.key.Get(base+"/customers/"+uuid.NewString()).Refused(404, "not_found")

		// Many at once: nothing is lost or counted twice.
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for j := range 4 {
					w.key.Put(base+"/ledger", map[string]any{
						"external_id": fmt.Sprint("N-", (i+j)%6), "customer": map[string]any{"external_id": "C-3"}, "currency": "TRY", "amount": 10, "at": "2026-11-10T09:00:00Z",
					}).Want(200)
				}
			})
		}
		wg.Wait()
		w.key.Get(base + "/customers?external_id=C-3").Want(200).Data(&customers)
		if len(customers) != 1 || customers[0].Balances[0].Amount != 60 {
			t.Errorf("got %+v", customers)
		}
	})
}

func TestCustomers(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := open(t, s)
		put := func(body map[string]any) (c commerce.Customer) {
			t.Helper()
			w.key.Put(base+"/customers", body).Want(200).Data(&c)
			return c
		}
		a := put(map[string]any{"email": "elif@example.com"})
		// The shop's id is learned later; fields that are not sent stay unchanged.
		b := put(map[string]any{"external_id": "C-1", "email": "ELIF@example.com", "phone": "+905321234567", "name": "Elif"})
		if a.ID != b.ID || *b.ExternalID != "C-1" || *b.Phone != "+905321234567" {
			t.Errorf("got %+v", b)
		}
		if c := put(map[string]any{"phone": "05321234567"}); c.ID != a.ID || c.Name != "Elif" {
			t.Errorf("got %+v", c)
		}
		// Two shop ids are two customers, whatever they share.
		if c := put(map[string]any{"external_id": "C-2", "email": "elif@example.com"}); c.ID == a.ID {
			t.Errorf("got %+v", c)
		}
		if c := put(map[string]any{"external_id": "C-1", "contact_id": w.elif.ID}); c.ID != a.ID || *c.ContactID != w.elif.ID {
			t.Errorf("got %+v", c)
		}
		if c := put(map[string]any{"contact_id": w.elif.ID}); c.ID != a.ID {
			t.Errorf("got %+v", c)
		}
		w.key.Put(base+"/customers", map[string]any{"name": "x"}).Refused(422, "validation_failed")
	})
}

func TestCard(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := open(t, s)
		can := w.contact("Can Er", "can@example.com", "+905339998877")
		if c := w.card(w.elif.ID); !c.Licensed || c.Orders == nil || len(c.Orders) != 0 || len(c.Balances) != 0 {
			t.Errorf("got %+v", c)
		}
		feed := func(external string, who map[string]any, at string) {
			t.Helper()
			w.key.Put(base+"/orders", w.order(external, who, map[string]any{"placed_at": at})).Want(200)
		}
		feed("A", map[string]any{"external_id": "1", "email": "ELIF@example.com"}, "2026-11-01T09:00:00Z")
		feed("B", map[string]any{"external_id": "2", "phone": "+905321234567"}, "2026-11-02T09:00:00Z")
		feed("C", map[string]any{"external_id": "3", "contact_id": w.elif.ID}, "2026-11-03T09:00:00Z")
		// If a customer is linked to another contact, a shared address does not count.
		feed("D", map[string]any{"external_id": "4", "email": "elif@example.com", "contact_id": can.ID}, "2026-11-04T09:00:00Z")
		w.key.Put(base+"/shipments", map[string]any{"external_id": "S", "order_external_id": "B", "carrier": "Aras", "status": "in_transit"}).Want(200)
		w.key.Put(base+"/returns", map[string]any{"external_id": "R", "order_external_id": "A", "status": "requested", "currency": "TRY", "amount": 5, "requested_at": "2026-11-13T09:00:00Z"}).Want(200)
		for i, customer := range []string{"1", "2"} {
			w.key.Put(base+"/ledger", map[string]any{"external_id": fmt.Sprint("L", i), "customer": map[string]any{"external_id": customer}, "currency": "TRY", "amount": 100, "at": "2026-11-10T09:00:00Z"}).Want(200)
		}
		c := w.card(w.elif.ID)
		if len(c.Orders) != 3 || c.Orders[0].Total != (card.Money{Currency: "TRY", Amount: 249900}) || c.Orders[0].Lines[0].Name != "Meşe sandalye" {
			t.Errorf("got %+v", c.Orders)
		}
		if len(c.Shipments) != 1 || c.Shipments[0].Carrier != "Aras" || c.Shipments[0].OrderID != c.Orders[1].ID || len(c.Returns) != 1 {
			t.Errorf("got %+v %+v", c.Shipments, c.Returns)
		}
		if diff := cmp.Diff([]card.Money{{Currency: "TRY", Amount: 200}}, c.Balances); diff != "" {
			t.Error(diff)
		}
		if c := w.card(can.ID); len(c.Orders) != 1 || len(c.Shipments) != 0 {
			t.Errorf("got %+v", c)
		}
		// A merge moves the loser's orders, and undoing it moves them back.
		var merged struct {
			Merge struct{ ID uuid.UUID } `json:"merge"`
		}
		w.Owner.Post("/api/crm/v1/contacts/"+w.elif.ID.String()+"/merge", map[string]any{"contact_id": can.ID}).Want(200).Data(&merged)
		if c := w.card(w.elif.ID); len(c.Orders) != 4 {
			t.Errorf("%d orders", len(c.Orders))
		}
		w.Owner.Post("/api/crm/v1/contacts/merges/"+merged.Merge.ID.String()+"/undo", nil).Want(200)
		if c := w.card(w.elif.ID); len(c.Orders) != 3 {
			t.Errorf("%d orders", len(c.Orders))
		}
		for i := range 12 {
			feed(fmt.Sprint("N", i), map[string]any{"external_id": "1"}, "2026-11-09T09:00:00Z")
		}
		if c := w.card(w.elif.ID); len(c.Orders) != 10 {
			t.Errorf("%d orders", len(c.Orders))
		}
		w.Owner.Get("/api/crm/v1/conversations/"+uuid.NewString()+"/commerce").Refused(404, "not_found")

		// The contact's own list continues after the ten orders on the card.
		all := w.contactOrders(w.elif.ID)
		if len(all) != 15 || !slices.IsSortedFunc(all, func(a, b card.CardOrder) int { return b.PlacedAt.Compare(a.PlacedAt.Time) }) {
			t.Errorf("%d orders: %+v", len(all), all)
		}
		if len(w.contactOrders(can.ID)) != 1 {
			t.Error("another contact's orders are not those of that contact alone")
		}
		w.Owner.Get("/api/crm/v1/contacts/"+uuid.NewString()+"/orders").Refused(404, "not_found")
		s.Workspace("other").Owner.Get("/api/crm/v1/contacts/"+w.elif.ID.String()+"/orders").Refused(404, "not_found")
	})
}

// A workspace without the licence gets a card that says so, not an error.
func TestCardUnlicensed(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := open(t, s)
		w.key.Put(base+"/orders", w.order("A", map[string]any{"email": "elif@example.com"})).Want(200)
		if err := s.Identity.SetLicences(t.Context(), "demo", []string{"crm"}); err != nil {
			t.Fatal(err)
		}
		w.Owner = w.SignIn("owner@demo.example")
		if c := w.card(w.elif.ID); c.Licensed || len(c.Orders) != 0 || c.Orders == nil {
			t.Errorf("got %+v", c)
		}
		if all := w.contactOrders(w.elif.ID); len(all) != 0 {
			t.Errorf("got %+v", all)
		}
		// The card needs the permission to see conversations.
		role := identity.Role{Name: "writer", Title: "Writer", Permissions: []perm.Permission{perm.ConversationsReply}}
		if _, err := s.Identity.SetRole(w.Context(), role); err != nil {
			t.Fatal(err)
		}
		if err := s.Identity.AddMember(t.Context(), w.ID, "Yazar", "yazar@demo.example", apptest.Password, "writer"); err != nil {
			t.Fatal(err)
		}
		writer := w.SignIn("yazar@demo.example")
		talk, err := s.Conversations.Create(w.Context(), conversation.NewConversation{ContactID: w.elif.ID, Channel: conversation.API, Body: "?"})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/crm/v1/conversations/" + talk.ID.String()
		for _, of := range []string{path + "/commerce", "/api/crm/v1/contacts/" + w.elif.ID.String() + "/orders"} {
			if e := writer.Get(of).Refused(403, "forbidden"); e.Permission != string(perm.ConversationsView) {
				t.Errorf("%s: got %+v", of, e)
			}
		}
	})
}

// Data written by a key of the test environment does not affect live data.
func TestTestEnvironment(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		w := open(t, s)
		test := w.Key(true, perm.CommerceView, perm.CommerceManage)
		var live, tried commerce.Order
		w.key.Put(base+"/orders", w.order("A", map[string]any{"email": "elif@example.com"})).Want(200).Data(&live)
		test.Put(base+"/orders", w.order("A", map[string]any{"email": "elif@example.com"}, map[string]any{"status": "cancelled"})).Want(200).Data(&tried)
		if live.ID == tried.ID || live.CustomerID == tried.CustomerID {
			t.Errorf("got %+v", tried)
		}
		test.Get(base+"/orders/"+live.ID.String()).Refused(404, "not_found")
		w.key.Get(base+"/orders/"+tried.ID.String()).Refused(404, "not_found")
		for client, want := range map[*apptest.Client]uuid.UUID{w.key: live.ID, test: tried.ID} {
			var list []commerce.Order
			client.Get(base + "/orders").Want(200).Data(&list)
			if len(list) != 1 || list[0].ID != want {
				t.Errorf("got %+v", list)
			}
		}
		if c := w.card(w.elif.ID); len(c.Orders) != 1 || c.Orders[0].Status != "paid" {
			t.Errorf("got %+v", c.Orders)
		}
		if all := w.contactOrders(w.elif.ID); len(all) != 1 || all[0].ID != live.ID {
			t.Errorf("got %+v", all)
		}
	})
}
