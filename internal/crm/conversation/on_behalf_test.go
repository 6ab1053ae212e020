package conversation_test

import (
	"strings"
	"testing"

	"konak/internal/app/apptest"
	"konak/internal/crm/conversation"
	"konak/internal/identity"
)

// A message in the customer's name records who typed it, in the item, the audit log and the
// export, and its author can delete it; another agent cannot.
func TestReplyAsCustomerRecordsTypingAgent(t *testing.T) {
	t.Parallel()
	apptest.Run(t, func(t *testing.T, s *apptest.Server) {
		in := open(t, s)
		id := in.begin()
		path := base + "/" + id.String()
		ece, eceID := in.memberAs("Ece", identity.RoleAgent)
		can, _ := in.memberAs("Can", identity.RoleAgent)
		var out conversation.Written
		ece.Post(path+"/reply-as-customer", map[string]any{"body": "Telefonda böyle dedi"}).Want(200).Data(&out)
		item := in.items(id)[0]
		by, _ := item.Detail[conversation.TypedBy].(map[string]any)
		if item.AuthorKind != "contact" || by["kind"] != "agent" || by["id"] != eceID.String() {
			t.Fatalf("got %+v", item)
		}
		if !in.audited("conversation.replied_as_customer", item.ID.String()) {
			t.Error("the audit log does not know")
		}
		for _, format := range []string{"json", "html"} {
			if text := in.Owner.Get(path + "/export?format=" + format).Want(200).Body; !strings.Contains(string(text), "Ece") {
				t.Errorf("the export as %s does not say who typed it:\n%s", format, text)
			}
		}
		can.Delete(path+"/items/"+item.ID.String()).Refused(403, "forbidden")
		ece.Delete(path + "/items/" + item.ID.String()).Want(200)
		for _, i := range in.items(id) {
			if i.ID == item.ID {
				t.Error("it is still there")
			}
		}
	})
}
