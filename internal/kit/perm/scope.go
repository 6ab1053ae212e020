package perm

import "slices"

// Scope is a named set of permissions, in which API keys and apps are given their rights.
// Each permission of the table is also a scope by itself.
type Scope struct {
	Name        string       `json:"name" example:"conversations.write"`
	Module      string       `json:"module" example:"crm"`
	EN          string       `json:"en" example:"Read, open, change and answer conversations"`
	TR          string       `json:"tr" example:"Konuşmaları okuma, açma, değiştirme ve yanıtlama"`
	Permissions []Permission `json:"permissions" nullable:"false"`
}

// Scopes lists every named set. A scope named "write" also includes reading.
var Scopes = []Scope{
	{"advisor.read", "advisor", "Search the regulations", "Mevzuatta arama", []Permission{AdvisorSearch}},
	{"commerce.read", "commerce", "Read orders, shipments, returns and balances", "Sipariş, gönderi, iade ve bakiyeleri okuma", []Permission{CommerceView}},
	{
		"commerce.write", "commerce", "Read and write orders, shipments, returns and ledger entries", "Sipariş, gönderi, iade ve cari hareket okuma ve yazma",
		[]Permission{CommerceView, CommerceManage},
	},
	{"agents.read", "crm", "Read agents", "Temsilcileri okuma", []Permission{AgentsView}},
	{"calls.read", "crm", "Read calls", "Aramaları okuma", []Permission{CallsView}},
	{"channels.read", "crm", "Read channels and templates", "Kanalları ve şablonları okuma", []Permission{ChannelsView, TemplatesView}},
	{
		"channels.write", "crm", "Deliver into channels and send templates", "Kanallara iletme ve şablon gönderme",
		[]Permission{ChannelsView, ChannelsManage, TemplatesView, TemplatesSend},
	},
	{"contacts.read", "crm", "Read contacts", "Kişileri okuma", []Permission{ContactsView}},
	{"contacts.write", "crm", "Read, create and change contacts", "Kişileri okuma, oluşturma ve değiştirme", []Permission{ContactsView, ContactsManage}},
	{"conversations.read", "crm", "Read conversations", "Konuşmaları okuma", []Permission{ConversationsView}},
	{
		"conversations.write", "crm", "Read, open, change and answer conversations", "Konuşmaları okuma, açma, değiştirme ve yanıtlama",
		[]Permission{ConversationsView, ConversationsReply, ConversationsAssign, ConversationsManage},
	},
	{"events.emit", "erp", "Emit custom events", "Kendi olaylarını yayma", []Permission{EventsEmit}},
	{"webhooks.manage", "erp", "Register and change webhooks", "Webhook kaydetme ve değiştirme", []Permission{SettingsView, SettingsManage}},
	{"webhooks.read", "erp", "Read webhooks and the event catalog", "Webhook'ları ve olay kataloğunu okuma", []Permission{SettingsView}},
	{"mail.read", "mail", "Read mail settings, rules and domains", "Posta ayarlarını, kurallarını ve alan adlarını okuma", []Permission{DLPView, DomainsView, MailboxesView, MailSettingsView}},
}

// KnownScope reports whether name is a named set or a permission.
func KnownScope(name string) bool {
	return Known(Permission(name)) || slices.ContainsFunc(Scopes, func(s Scope) bool { return s.Name == name })
}

// ScopeFor returns the narrowest scope that contains a permission: the named set with the
// fewest permissions, or else the permission itself.
func ScopeFor(p Permission) string {
	name, size := string(p), 0
	for _, s := range Scopes {
		if slices.Contains(s.Permissions, p) && (size == 0 || len(s.Permissions) < size) {
			name, size = s.Name, len(s.Permissions)
		}
	}
	return name
}

// Expand returns the permissions of scopes; a name that no longer exists adds none.
func Expand(scopes []string) Set {
	out := Set{}
	for _, name := range scopes {
		if Known(Permission(name)) {
			out[Permission(name)] = struct{}{}
			continue
		}
		for _, s := range Scopes {
			if s.Name == name {
				for _, p := range s.Permissions {
					out[p] = struct{}{}
				}
			}
		}
	}
	return out
}
