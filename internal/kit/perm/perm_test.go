package perm_test

import (
	"regexp"
	"slices"
	"testing"

	"konak/internal/kit/perm"
)

func TestTable(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$`)
	seen := map[perm.Permission]bool{}
	modules := []string{}
	for _, e := range perm.Table {
		if !name.MatchString(string(e.Name)) || seen[e.Name] || e.EN == "" || e.TR == "" {
			t.Errorf("%+v is malformed or listed twice", e)
		}
		seen[e.Name] = true
		modules = append(modules, e.Module)
	}
	if !slices.IsSorted(modules) {
		t.Error("the table is not sorted by module")
	}
	for _, named := range []perm.Permission{"crm.conversations.view", "crm.calls.make", "crm.telephony.manage", "erp.settings.view"} {
		if !perm.Known(named) {
			t.Errorf("%s of the platform document is missing", named)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range perm.Scopes {
		if seen[s.Name] || perm.Known(perm.Permission(s.Name)) || s.EN == "" || s.TR == "" || len(s.Permissions) == 0 {
			t.Errorf("%+v is malformed, listed twice or a permission", s)
		}
		seen[s.Name] = true
		for _, p := range s.Permissions {
			if !perm.Known(p) {
				t.Errorf("%s holds %s, which is not in the table", s.Name, p)
			}
		}
	}
	got := perm.Expand([]string{"conversations.write", "mail.dlp.view", "gone"})
	if !got.Has(perm.ConversationsReply) || !got.Has(perm.DLPView) || got.Has(perm.ConversationsDelete) {
		t.Errorf("got %v", got.Sorted())
	}
	if perm.KnownScope("gone") || !perm.KnownScope("contacts.read") || !perm.KnownScope("mail.dlp.view") {
		t.Error("KnownScope is wrong")
	}
}
