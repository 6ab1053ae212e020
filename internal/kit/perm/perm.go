// Package perm is the one table of permissions.
//
// Routes name a permission from this table, roles and API-key scopes are sets
// of them, and the API lists them. A permission that is not here does not
// exist; a guard test fails a route that names none.
package perm

import "slices"

// Permission is a right inside one workspace.
type Permission string

// The permissions.
const (
	ConversationsView   Permission = "crm.conversations.view"
	ConversationsReply  Permission = "crm.conversations.reply"
	ConversationsAssign Permission = "crm.conversations.assign"
	ConversationsManage Permission = "crm.conversations.manage"
	ConversationsDelete Permission = "crm.conversations.delete"
	GroupsManage        Permission = "crm.groups.manage"
	CRMSettingsView     Permission = "crm.settings.view"
	CRMSettingsManage   Permission = "crm.settings.manage"
	ContactsView        Permission = "crm.contacts.view"
	ContactsManage      Permission = "crm.contacts.manage"
	ContactsDelete      Permission = "crm.contacts.delete"
	ContactsExport      Permission = "crm.contacts.export"
	SettingsView        Permission = "erp.settings.view"
	SettingsManage      Permission = "erp.settings.manage"
	DLPView             Permission = "mail.dlp.view"
	DLPManage           Permission = "mail.dlp.manage"
)

// Entry describes a permission for people.
type Entry struct {
	Name   Permission `json:"name"`
	Module string     `json:"module"`
	EN     string     `json:"en"`
	TR     string     `json:"tr"`
}

// Table lists every permission.
var Table = []Entry{
	{ConversationsView, "crm", "See conversations", "Konuşmaları görme"},
	{ConversationsReply, "crm", "Write replies and notes", "Yanıt ve not yazma"},
	{ConversationsAssign, "crm", "Assign conversations and transfer them to a group", "Konuşma atama ve gruba aktarma"},
	{ConversationsManage, "crm", "Change, close, snooze, merge and tag conversations", "Konuşmaları düzenleme, kapatma, erteleme, birleştirme ve etiketleme"},
	{ConversationsDelete, "crm", "Delete and restore conversations", "Konuşma silme ve geri getirme"},
	{GroupsManage, "crm", "Create and change groups", "Grup oluşturma ve değiştirme"},
	{CRMSettingsView, "crm", "See inbox settings", "Gelen kutusu ayarlarını görme"},
	{CRMSettingsManage, "crm", "Change inbox settings", "Gelen kutusu ayarlarını değiştirme"},
	{ContactsView, "crm", "See contacts", "Kişileri görme"},
	{ContactsManage, "crm", "Create, change and merge contacts", "Kişi oluşturma, değiştirme ve birleştirme"},
	{ContactsDelete, "crm", "Delete contacts", "Kişi silme"},
	{ContactsExport, "crm", "Export contacts", "Kişileri dışa aktarma"},
	{SettingsView, "erp", "See webhooks and the event catalog", "Webhook'ları ve olay kataloğunu görme"},
	{SettingsManage, "erp", "Register and change webhooks", "Webhook kaydetme ve değiştirme"},
	{DLPView, "mail", "See data-loss-prevention rules", "Veri sızıntısı kurallarını görme"},
	{DLPManage, "mail", "Change data-loss-prevention rules", "Veri sızıntısı kurallarını değiştirme"},
}

// Set is what a caller holds.
type Set map[Permission]struct{}

// NewSet makes a set.
func NewSet(ps ...Permission) Set {
	s := make(Set, len(ps))
	for _, p := range ps {
		s[p] = struct{}{}
	}
	return s
}

// Has says whether p is in the set.
func (s Set) Has(p Permission) bool { _, ok := s[p]; return ok }

// Sorted lists the set in order.
func (s Set) Sorted() []Permission {
	out := make([]Permission, 0, len(s))
	for p := range s {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// All is every permission, the owner's set.
func All() []Permission {
	out := make([]Permission, len(Table))
	for i, e := range Table {
		out[i] = e.Name
	}
	return out
}

// Known says whether p is in the table.
func Known(p Permission) bool {
	return slices.ContainsFunc(Table, func(e Entry) bool { return e.Name == p })
}
