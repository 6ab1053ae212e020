package whatsapp_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/crm/contact"
	wire "konak/internal/provider/whatsapp"
	sandbox "konak/internal/sandbox/whatsapp"
)

// tellContacts sends changes of the app's address book.
func (sh *shop) tellContacts(list ...wire.AppChange) {
	sh.T.Helper()
	sh.Box.Tell(numberID, wire.SyncContacts, map[string]any{"state_sync": list})
	sh.Settle()
}

func entry(name, number string) wire.AppChange {
	return wire.AppChange{Type: "contact", Action: "add", Contact: wire.AppContact{FullName: name, Phone: number}}
}

// names returns the names of the contacts by their first number.
func (sh *shop) names() map[string]string {
	sh.T.Helper()
	var list []contact.Contact
	sh.Owner.Get("/api/crm/v1/contacts").Want(200).Data(&list)
	out := map[string]string{}
	for i := range list {
		out[list[i].Phones[0].E164] = list[i].Name
	}
	return out
}

// An entry in the address book of the app on the phone becomes a contact, or gives its name
// to a contact without one. It begins no conversation.
func TestPhonebook(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		const can, ali = "905331112233", "905334445566"
		sh.Box.ShareContacts(numberID, wire.AppContact{FullName: "Elif Telefon", FirstName: "Elif", Phone: elif.ID}, wire.AppContact{FirstName: "Can", Phone: can})
		sh.onApp(wire.HistoryThread{ID: elif.ID, Messages: []wire.HistoryIncoming{sh.past("wamid.1", elif.ID, time.Hour, "Merhaba")}})
		if got := sh.names(); len(got) != 2 || got["+"+elif.ID] != "Elif Telefon" || got["+"+can] != "Can" {
			t.Fatalf("the contacts are %v", got)
		}
		if n := len(sh.Inbox()); n != 1 {
			t.Errorf("%d conversations", n)
		}
		// A contact who wrote without a name gets it. One that somebody here named keeps
		// that name, and an entry removed from the address book creates no contact.
		if _, err := sh.Box.Say(numberID, sandbox.Customer{ID: ali}, "Selam"); err != nil {
			t.Fatal(err)
		}
		sh.Settle()
		if got := sh.names()["+"+ali]; got != "+"+ali {
			t.Fatalf("who shows no name is %q", got)
		}
		removed := entry("Silinen", "905339990011")
		removed.Action = "remove"
		other := entry("Ayar", "905337778899")
		other.Type = "setting"
		sh.tellContacts(entry("Ali\t"+strings.Repeat("ş", 300), ali), entry("Başka", can), removed, other, entry("Adı var", "yok"), entry(" \u202e", "905330001122"))
		if got := sh.names(); len(got) != 3 || got["+"+can] != "Can" || got["+"+elif.ID] != "Elif Telefon" || got["+"+ali] != "Ali "+strings.Repeat("ş", 196) {
			t.Errorf("the contacts are %v", got)
		}
	})
}
