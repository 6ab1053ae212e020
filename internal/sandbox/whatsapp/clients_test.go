package whatsapp_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"
	"time"

	"konak/internal/kit/clock"
	"konak/internal/kit/tooltest"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/whatsapp"
)

// A third-party client works with the stand-in as with Meta: texts, files whose product is
// in the query, places, questions and contact cards.
func TestStockClient(t *testing.T) {
	t.Parallel()
	s := whatsapp.New(clock.NewFake(time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)))
	t.Cleanup(s.Close)
	s.Add(whatsapp.Business{ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: "11", Display: "+90 212 555 01 01"}}})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)

	var got map[string]any
	out := tooltest.RunNode(t, "../../..", "whatsapp-api-js", "testdata/whatsapp.cjs", server.URL, "token", "11", "905321234567")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"ids": 6.0, "media": "a picture", "read": true, "refused": 100.0, "wrongToken": 190.0}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it understood %v, want %v", got, want)
	}
	var kinds []string
	for _, m := range s.Sent() {
		kinds = append(kinds, m.Type)
		if m.Type == "location" && m.Location.Name != "Mağaza" || m.Type == "contacts" && m.Contacts[0].Name.Formatted != "Demo A.Ş." {
			t.Errorf("sent %+v", m)
		}
	}
	if !slices.Equal(kinds, []string{"text", "image", "location", "interactive", "interactive", "contacts"}) {
		t.Errorf("sent %v", kinds)
	}
}
