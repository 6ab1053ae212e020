package perm

// The permissions, by module. A module's routes name its own; keep each block in the order
// of the table below.
const (
	// Advisor.
	AdvisorSearch Permission = "advisor.search"
	CorpusManage  Permission = "advisor.corpus.manage"

	// Commerce.
	CommerceView   Permission = "commerce.records.view"
	CommerceManage Permission = "commerce.records.manage"

	// CRM: the inbox.
	ConversationsView   Permission = "crm.conversations.view"
	ConversationsReply  Permission = "crm.conversations.reply"
	ConversationsAssign Permission = "crm.conversations.assign"
	ConversationsManage Permission = "crm.conversations.manage"
	ConversationsDelete Permission = "crm.conversations.delete"
	ConversationsExport Permission = "crm.conversations.export"
	MacrosUse           Permission = "crm.macros.use"
	MacrosManage        Permission = "crm.macros.manage"
	CannedManage        Permission = "crm.canned_replies.manage"
	ViewsManage         Permission = "crm.views.manage"
	TagsManage          Permission = "crm.tags.manage"
	GroupsManage        Permission = "crm.groups.manage"
	RulesManage         Permission = "crm.rules.manage"
	ReportsView         Permission = "crm.reports.view"
	CRMSettingsView     Permission = "crm.settings.view"
	CRMSettingsManage   Permission = "crm.settings.manage"

	// CRM: contacts.
	ContactsView   Permission = "crm.contacts.view"
	ContactsManage Permission = "crm.contacts.manage"
	ContactsDelete Permission = "crm.contacts.delete"
	ContactsExport Permission = "crm.contacts.export"

	// CRM: channels, templates, the help center and the assistant.
	ChannelsView    Permission = "crm.channels.view"
	ChannelsManage  Permission = "crm.channels.manage"
	TemplatesView   Permission = "crm.templates.view"
	TemplatesManage Permission = "crm.templates.manage"
	TemplatesSend   Permission = "crm.templates.send"
	ArticlesView    Permission = "crm.articles.view"
	ArticlesManage  Permission = "crm.articles.manage"
	AssistantView   Permission = "crm.assistant.view"
	AssistantManage Permission = "crm.assistant.manage"

	// CRM: telephony.
	CallsView        Permission = "crm.calls.view"
	CallsMake        Permission = "crm.calls.make"
	CallsExport      Permission = "crm.calls.export"
	RecordingsListen Permission = "crm.recordings.listen"
	TelephonyManage  Permission = "crm.telephony.manage"
	WalletView       Permission = "crm.wallet.view"
	WalletManage     Permission = "crm.wallet.manage"

	// CRM: agents.
	AgentsView   Permission = "crm.agents.view"
	AgentsManage Permission = "crm.agents.manage"

	// ERP.
	SettingsView   Permission = "erp.settings.view"
	SettingsManage Permission = "erp.settings.manage"
	EventsEmit     Permission = "erp.events.emit"

	// Identity.
	WorkspaceManage Permission = "identity.workspace.manage"
	MembersManage   Permission = "identity.members.manage"
	RolesView       Permission = "identity.roles.view"
	RolesManage     Permission = "identity.roles.manage"
	APIKeysView     Permission = "identity.api_keys.view"
	APIKeysManage   Permission = "identity.api_keys.manage"
	AppsView        Permission = "identity.apps.view"
	AppsManage      Permission = "identity.apps.manage"
	AuditView       Permission = "identity.audit.view"
	OutboxView      Permission = "identity.outbox.view"

	// Mail.
	DLPView              Permission = "mail.dlp.view"
	DLPManage            Permission = "mail.dlp.manage"
	DomainsView          Permission = "mail.domains.view"
	DomainsManage        Permission = "mail.domains.manage"
	MailboxesView        Permission = "mail.mailboxes.view"
	MailboxesManage      Permission = "mail.mailboxes.manage"
	MailSettingsView     Permission = "mail.settings.view"
	MailSettingsManage   Permission = "mail.settings.manage"
	SendAsView           Permission = "mail.send_as.view"
	SendAsManage         Permission = "mail.send_as.manage"
	PrivacyView          Permission = "mail.privacy.view"
	PrivacyManage        Permission = "mail.privacy.manage"
	MailMigrationsView   Permission = "mail.migrations.view"
	MailMigrationsManage Permission = "mail.migrations.manage"
	MailWebhooksView     Permission = "mail.webhooks.view"
	MailWebhooksManage   Permission = "mail.webhooks.manage"
)

// Table lists every permission, sorted by module.
var Table = []Entry{
	{AdvisorSearch, "advisor", "Search the regulations", "Mevzuatta arama"},
	{CorpusManage, "advisor", "Add to and change the regulation corpus", "Mevzuat derlemine ekleme ve değiştirme"},

	{CommerceView, "commerce", "See orders, shipments, returns and balances", "Sipariş, gönderi, iade ve bakiyeleri görme"},
	{CommerceManage, "commerce", "Create and change orders, shipments, returns and ledger entries", "Sipariş, gönderi, iade ve cari hareket yazma"},
	{ConversationsView, "crm", "See conversations", "Konuşmaları görme"},
	{ConversationsReply, "crm", "Write replies and notes", "Yanıt ve not yazma"},
	{ConversationsAssign, "crm", "Assign conversations and transfer them to a group", "Konuşma atama ve gruba aktarma"},
	{ConversationsManage, "crm", "Change, close, snooze, merge and tag conversations", "Konuşmaları düzenleme, kapatma, erteleme, birleştirme ve etiketleme"},
	{ConversationsDelete, "crm", "Delete and restore conversations", "Konuşma silme ve geri getirme"},
	{ConversationsExport, "crm", "Export conversations", "Konuşmaları dışa aktarma"},
	{MacrosUse, "crm", "Apply macros", "Makro uygulama"},
	{MacrosManage, "crm", "Create and change macros", "Makro oluşturma ve değiştirme"},
	{CannedManage, "crm", "Create and change shared canned replies", "Ortak hazır yanıt oluşturma ve değiştirme"},
	{ViewsManage, "crm", "Create and change shared views", "Ortak görünüm oluşturma ve değiştirme"},
	{TagsManage, "crm", "Create and change tags", "Etiket oluşturma ve değiştirme"},
	{GroupsManage, "crm", "Create and change groups", "Grup oluşturma ve değiştirme"},
	{RulesManage, "crm", "Create and change automation rules", "Otomasyon kuralı oluşturma ve değiştirme"},
	{ReportsView, "crm", "See reports", "Raporları görme"},
	{CRMSettingsView, "crm", "See inbox settings", "Gelen kutusu ayarlarını görme"},
	{CRMSettingsManage, "crm", "Change inbox settings", "Gelen kutusu ayarlarını değiştirme"},
	{ContactsView, "crm", "See contacts", "Kişileri görme"},
	{ContactsManage, "crm", "Create, change and merge contacts", "Kişi oluşturma, değiştirme ve birleştirme"},
	{ContactsDelete, "crm", "Delete contacts", "Kişi silme"},
	{ContactsExport, "crm", "Export contacts", "Kişileri dışa aktarma"},
	{ChannelsView, "crm", "See channels", "Kanalları görme"},
	{ChannelsManage, "crm", "Connect and change channels", "Kanal bağlama ve değiştirme"},
	{TemplatesView, "crm", "See message templates", "Mesaj şablonlarını görme"},
	{TemplatesManage, "crm", "Submit, change and delete message templates", "Mesaj şablonu gönderme, değiştirme ve silme"},
	{TemplatesSend, "crm", "Send message templates and record consent", "Mesaj şablonu gönderme ve onay kaydetme"},
	{ArticlesView, "crm", "See help articles and their drafts", "Yardım makalelerini ve taslaklarını görme"},
	{ArticlesManage, "crm", "Write, publish and delete help articles", "Yardım makalesi yazma, yayımlama ve silme"},
	{AssistantView, "crm", "See the assistant's settings and answers", "Asistanın ayarlarını ve yanıtlarını görme"},
	{AssistantManage, "crm", "Change the assistant and its sources", "Asistanı ve kaynaklarını değiştirme"},
	{CallsView, "crm", "See calls", "Aramaları görme"},
	{CallsMake, "crm", "Make and take calls", "Arama yapma ve yanıtlama"},
	{CallsExport, "crm", "Export calls", "Aramaları dışa aktarma"},
	{RecordingsListen, "crm", "Listen to call recordings", "Arama kayıtlarını dinleme"},
	{TelephonyManage, "crm", "Manage numbers, lines and the phone team", "Numaraları, hatları ve telefon ekibini yönetme"},
	{WalletView, "crm", "See the call credit", "Arama kredisini görme"},
	{WalletManage, "crm", "Top up the call credit", "Arama kredisi yükleme"},
	{AgentsView, "crm", "See agents", "Temsilcileri görme"},
	{AgentsManage, "crm", "Add, change, suspend and remove agents", "Temsilci ekleme, değiştirme, askıya alma ve çıkarma"},

	{SettingsView, "erp", "See webhooks and the event catalog", "Webhook'ları ve olay kataloğunu görme"},
	{SettingsManage, "erp", "Register and change webhooks", "Webhook kaydetme ve değiştirme"},
	{EventsEmit, "erp", "Emit custom events", "Kendi olaylarını yayma"},

	{WorkspaceManage, "identity", "Change the workspace", "Çalışma alanını değiştirme"},
	{MembersManage, "identity", "Invite people to the workspace", "Çalışma alanına davet etme"},
	{RolesView, "identity", "See roles and permissions", "Rolleri ve yetkileri görme"},
	{RolesManage, "identity", "Create and change roles", "Rol oluşturma ve değiştirme"},
	{APIKeysView, "identity", "See API keys", "API anahtarlarını görme"},
	{APIKeysManage, "identity", "Create, rotate and revoke API keys", "API anahtarı oluşturma, yenileme ve iptal etme"},
	{AppsView, "identity", "See OAuth apps", "OAuth uygulamalarını görme"},
	{AppsManage, "identity", "Register and change OAuth apps", "OAuth uygulaması kaydetme ve değiştirme"},
	{AuditView, "identity", "Read the audit log", "Denetim kaydını okuma"},
	{OutboxView, "identity", "Read system mail that was kept instead of sent", "Gönderilmeyip saklanan sistem postalarını okuma"},

	{DLPView, "mail", "See data-loss-prevention rules", "Veri sızıntısı kurallarını görme"},
	{DLPManage, "mail", "Change data-loss-prevention rules", "Veri sızıntısı kurallarını değiştirme"},
	{DomainsView, "mail", "See mail domains", "Posta alan adlarını görme"},
	{DomainsManage, "mail", "Add and change mail domains", "Posta alan adı ekleme ve değiştirme"},
	{MailboxesView, "mail", "See mailboxes", "Posta kutularını görme"},
	{MailboxesManage, "mail", "Create and change mailboxes", "Posta kutusu oluşturma ve değiştirme"},
	{MailSettingsView, "mail", "See mail settings and the setup", "Posta ayarlarını ve kurulumu görme"},
	{MailSettingsManage, "mail", "Change mail settings and run the setup", "Posta ayarlarını değiştirme ve kurulumu yürütme"},
	{SendAsView, "mail", "See send-as grants", "Başkası adına gönderme izinlerini görme"},
	{SendAsManage, "mail", "Give and revoke send-as grants", "Başkası adına gönderme izni verme ve kaldırma"},
	{PrivacyView, "mail", "See privacy requests and their ledger", "Kişisel veri taleplerini ve defterini görme"},
	{PrivacyManage, "mail", "Work on privacy requests", "Kişisel veri taleplerini yürütme"},
	{MailMigrationsView, "mail", "See mailbox migrations", "Posta kutusu taşımalarını görme"},
	{MailMigrationsManage, "mail", "Start and cancel mailbox migrations", "Posta kutusu taşıması başlatma ve iptal etme"},
	{MailWebhooksView, "mail", "See mail webhooks", "Posta webhook'larını görme"},
	{MailWebhooksManage, "mail", "Register and change mail webhooks", "Posta webhook'u kaydetme ve değiştirme"},
}
