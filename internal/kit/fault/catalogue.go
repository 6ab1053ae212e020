package fault

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Code identifies a kind of failure. Clients switch on it, so a code never
// changes its meaning once released.
type Code string

// The catalogue. Every code has one status and one text in each language.
const (
	BadRequest          Code = "bad_request"
	Unauthenticated     Code = "unauthenticated"
	WrongCredentials    Code = "wrong_credentials"
	WrongPassword       Code = "wrong_password"
	WrongCode           Code = "wrong_code"
	SignInExpired       Code = "sign_in_expired"
	LinkExpired         Code = "link_expired"
	EmailNotVerified    Code = "email_not_verified"
	CaptchaRequired     Code = "captcha_required"
	CaptchaFailed       Code = "captcha_failed"
	PasskeyRefused      Code = "passkey_refused"
	TwoFactorOn         Code = "two_factor_on"
	TwoFactorOff        Code = "two_factor_off"
	TwoFactorRequired   Code = "two_factor_required"
	WorkspaceSuspended  Code = "workspace_suspended"
	Forbidden           Code = "forbidden"
	NotLicensed         Code = "not_licensed"
	StepUpRequired      Code = "step_up_required"
	CrossOrigin         Code = "cross_origin"
	UnknownAddress      Code = "unknown_address"
	SessionRequired     Code = "session_required"
	KeyRequired         Code = "key_required"
	NotFound            Code = "not_found"
	MethodNotAllowed    Code = "method_not_allowed"
	Conflict            Code = "conflict"
	IdempotencyMismatch Code = "idempotency_mismatch"
	IdempotencyReplay   Code = "idempotency_replay"
	BodyTooLarge        Code = "body_too_large"
	UnsupportedMedia    Code = "unsupported_media_type"
	ValidationFailed    Code = "validation_failed"
	UnknownEvent        Code = "unknown_event"
	LimitReached        Code = "limit_reached"
	InvalidParameter    Code = "invalid_parameter"
	InvalidClient       Code = "invalid_client"
	InvalidRedirect     Code = "invalid_redirect_uri"
	InvalidRedirectURIs Code = "invalid_redirect_uris"
	InvalidClientData   Code = "invalid_client_metadata"
	InvalidScope        Code = "invalid_scope"
	InvalidGrant        Code = "invalid_grant"
	InvalidTarget       Code = "invalid_target"
	UnsupportedResponse Code = "unsupported_response_type"
	UnsupportedGrant    Code = "unsupported_grant_type"
	OwnSessionRequired  Code = "own_session_required"
	AccountExists       Code = "account_exists"
	OtherAddress        Code = "other_address"
	NotActive           Code = "not_active"
	AlreadyMailed       Code = "already_mailed"
	NoRoute             Code = "no_route"
	NoAssistant         Code = "no_assistant"
	NothingToSummarize  Code = "nothing_to_summarize"
	NoLanguageModel     Code = "no_language_model"
	ModelBudgetSpent    Code = "model_budget_spent"
	ModelUnreachable    Code = "model_unreachable"
	ModelBadAnswer      Code = "model_bad_answer"
	NothingToAnswer     Code = "nothing_to_answer"
	WindowClosed        Code = "window_closed"
	ReactionUnsupported Code = "reaction_unsupported"
	RoleFixed           Code = "role_fixed"
	RoleInUse           Code = "role_in_use"
	LastAdmin           Code = "last_admin"
	TestEnvironment     Code = "test_environment"
	WebhookPaused       Code = "webhook_paused"
	ChannelUnavailable  Code = "channel_unavailable"
	TemplateLocked      Code = "template_locked"
	TemplateEditLimit   Code = "template_edit_limit"
	NameBarred          Code = "name_barred"
	TemplateRejected    Code = "template_rejected"
	ProviderRejected    Code = "provider_rejected"
	CSATDisabled        Code = "csat_disabled"
	CSATExpired         Code = "csat_expired"
	OtherCustomer       Code = "other_customer"
	StorageFull         Code = "storage_full"
	NotConfigured       Code = "not_configured"
	NoCredit            Code = "no_credit"
	PaymentRefused      Code = "payment_refused"
	NumberNotActive     Code = "number_not_active"
	NoDevice            Code = "no_device"
	NoLine              Code = "no_line"
	CallState           Code = "call_state"
	CapReached          Code = "cap_reached"
	NotSupported        Code = "not_supported"
	FileMissing         Code = "file_missing"
	FileDamaged         Code = "file_damaged"
	UpgradeRequired     Code = "upgrade_required"
	RangeNotSatisfiable Code = "range_not_satisfiable"
	RateLimited         Code = "rate_limited"
	SendingQuotaReached Code = "sending_quota_reached"
	CodeExpired         Code = "code_expired"
	DNSRecordMissing    Code = "dns_record_missing"
	DomainTaken         Code = "domain_taken"
	MailboxKindAbsent   Code = "mailbox_kind_unavailable"
	IPNotAllowed        Code = "ip_not_allowed"
	SignUpClosed        Code = "sign_up_closed"
	SelfLockout         Code = "self_lockout"
	DLPBlocked          Code = "dlp_blocked"
	DLPWarning          Code = "dlp_warning"
	TooManyStreams      Code = "too_many_streams"
	Internal            Code = "internal"
	Unavailable         Code = "unavailable"
)

type entry struct {
	status int
	en, tr string
}

var catalogue = map[Code]entry{
	BadRequest:          {400, "The request could not be read.", "İstek okunamadı."},
	UnknownEvent:        {400, "The event catalog has no event named %q.", "Olay kataloğunda %q adında bir olay yok."},
	InvalidParameter:    {400, "Some parameters are not valid.", "Bazı parametreler geçerli değil."},
	InvalidClient:       {400, "There is no such app.", "Böyle bir uygulama yok."},
	InvalidRedirect:     {400, "The app did not register this return address.", "Uygulama bu dönüş adresini kaydetmemiş."},
	InvalidScope:        {400, "The app asks for rights that it did not register.", "Uygulama, kaydetmediği yetkileri istiyor."},
	InvalidGrant:        {400, "The code is wrong, was used already or is too old.", "Kod yanlış, daha önce kullanılmış ya da süresi dolmuş."},
	InvalidRedirectURIs: {400, "A return address must begin with https://, or with http:// on the person's own machine.", "Dönüş adresi https:// ile, ya da kişinin kendi bilgisayarında http:// ile başlamalıdır."},
	InvalidClientData:   {400, "A client with these properties cannot be registered.", "Bu özelliklerle bir istemci kaydedilemez."},
	InvalidTarget:       {400, "The address in resource is not one of this server.", "resource alanındaki adres bu sunucunun değil."},
	UnsupportedResponse: {400, "Only the response type \"code\" is served.", "Yalnızca \"code\" yanıt türü sunulur."},
	UnsupportedGrant:    {400, "Only the grant type \"authorization_code\" is served.", "Yalnızca \"authorization_code\" izin türü sunulur."},
	Unauthenticated:     {401, "Sign in, or send a valid credential as \"Authorization: Bearer …\".", "Oturum açın ya da geçerli bir kimlik bilgisini \"Authorization: Bearer …\" olarak gönderin."},
	SessionRequired:     {401, "This address takes a session, not an API key. Keys are for the addresses under /public/ and those that say so.", "Bu adres API anahtarı değil, oturum ister. Anahtarlar /public/ altındaki ve bunu belirten adresler içindir."},
	KeyRequired:         {401, "This address takes an API key, not a session. Send it as \"Authorization: Bearer key_live_…\".", "Bu adres oturum değil, API anahtarı ister. Anahtarı \"Authorization: Bearer key_live_…\" olarak gönderin."},
	Forbidden:           {403, "You need the permission %q for this.", "Bunun için %q yetkisi gerekir."},
	NotLicensed:         {403, "This workspace has no licence for the module %q.", "Bu çalışma alanının %q modülü için lisansı yok."},
	StepUpRequired:      {403, "Confirm your password to go on.", "Devam etmek için parolanızı doğrulayın."},
	OwnSessionRequired:  {403, "This needs a session that you opened yourself, not one of an app or of a code that somebody else made.", "Bunun için kendi açtığınız bir oturum gerekir; bir uygulamanın ya da başkasının oluşturduğu kodun oturumu yetmez."},
	IPNotAllowed:        {403, "Mail administration is not open to your address %s. The workspace has a list of addresses for it.", "Posta yönetimi %s adresinize açık değil. Çalışma alanının bunun için bir adres listesi var."},
	SignUpClosed:        {403, "Accounts and workspaces are given out here. Ask the owner of a workspace for an invitation; where sign-up is closed, ask whoever runs this service, who makes them with konak workspace create.", "Burada hesaplar ve çalışma alanları verilir. Bir çalışma alanının sahibinden davet isteyin; kayıt kapalıysa bunları konak workspace create ile oluşturan işleticiden isteyin."},
	TwoFactorRequired:   {403, "This workspace asks for two-factor authentication. Turn it on in your account to go on.", "Bu çalışma alanı iki adımlı doğrulama istiyor. Devam etmek için hesabınızda açın."},
	WorkspaceSuspended:  {403, "This workspace is suspended. Ask whoever runs this service.", "Bu çalışma alanı askıya alındı. Bu hizmeti işletene sorun."},
	CrossOrigin:         {403, "Requests from another site are refused.", "Başka bir siteden gelen istekler kabul edilmez."},
	NotFound:            {404, "There is no such record.", "Böyle bir kayıt yok."},
	UnknownAddress:      {404, "This address does not exist. /openapi.json lists those that do.", "Böyle bir adres yok. Var olanlar /openapi.json içindedir."},
	MethodNotAllowed:    {405, "This address does not answer that method.", "Bu adres bu yöntemi yanıtlamaz."},
	Conflict:            {409, "This would collide with a record that exists.", "Bu işlem var olan bir kayıtla çakışıyor."},
	TwoFactorOn:         {409, "Two-factor authentication is already on. Turn it off first.", "İki adımlı doğrulama zaten açık. Önce kapatın."},
	TwoFactorOff:        {409, "Two-factor authentication is off.", "İki adımlı doğrulama kapalı."},
	LastAdmin:           {409, "The workspace needs at least one active owner. Make somebody else an owner first.", "Çalışma alanında en az bir etkin sahip olmalı. Önce bir başkasını sahip yapın."},
	AccountExists:       {409, "This address has an account. Sign in, then open the invitation again.", "Bu adresin bir hesabı var. Oturum açın, sonra daveti yeniden açın."},
	OtherAddress:        {409, "The invitation is for another address than yours.", "Davet sizinkinden başka bir adrese gönderilmiş."},
	NotActive:           {409, "This person is not active: suspended, or the invitation waits.", "Bu kişi etkin değil: askıda ya da daveti bekliyor."},
	AlreadyMailed:       {409, "This QR was mailed already. Make a new one to mail another.", "Bu QR zaten postalandı. Bir daha göndermek için yenisini oluşturun."},
	RoleFixed:           {409, "The owner role always holds every permission and cannot be changed.", "Sahip rolü her zaman bütün yetkilere sahiptir, değiştirilemez."},
	RoleInUse:           {409, "People still have this role. Give them another one first.", "Bu role sahip kişiler var. Önce onlara başka bir rol verin."},
	TestEnvironment:     {409, "The test environment stays by itself: it sends nothing and changes no live record.", "Test ortamı kendi içinde kalır: hiçbir şey göndermez, canlı kayıtları değiştirmez."},
	WebhookPaused:       {409, "This webhook is paused and is sent nothing. Make it active first.", "Bu webhook duraklatılmış, ona bir şey gönderilmiyor. Önce etkinleştirin."},
	NoAssistant:         {409, "No assistant is connected to this workspace.", "Bu çalışma alanına bağlı bir asistan yok."},
	NoLanguageModel:     {409, "No language model is set up for this workspace.", "Bu çalışma alanı için bir dil modeli kurulmamış."},
	ModelBudgetSpent:    {409, "The language model's budget for today is used up. It starts anew after midnight UTC.", "Dil modelinin bugünkü bütçesi bitti. UTC gece yarısından sonra yenilenir."},
	ChannelUnavailable:  {409, "This channel is paused, disconnected or not connected yet.", "Bu kanal duraklatılmış, bağlantısı kesilmiş ya da henüz bağlanmamış."},
	TemplateLocked:      {409, "The provider does not let this template be changed or deleted in its present status. Wait for its decision, or make a new template.", "Sağlayıcı, bu şablonun şu anki durumunda değiştirilmesine ya da silinmesine izin vermiyor. Kararını bekleyin ya da yeni bir şablon oluşturun."},
	TemplateEditLimit:   {409, "An approved template can be changed once in 24 hours and ten times in 30 days; this one from %s (UTC).", "Onaylı bir şablon 24 saatte bir, 30 günde on kez değiştirilebilir; bu şablon için sıradaki zaman: %s (UTC)."},
	NameBarred:          {409, "A template of this name was deleted; the name can be used again from %s.", "Bu adda bir şablon silindi; ad %s tarihinden sonra yeniden kullanılabilir."},
	CSATDisabled:        {409, "This workspace does not ask for ratings.", "Bu çalışma alanı memnuniyet puanı istemiyor."},
	CSATExpired:         {409, "The time for a rating is over.", "Puan verme süresi doldu."},
	OtherCustomer:       {409, "These conversations belong to two customers. If the two are one person, merge the contacts first.", "Bu konuşmalar iki ayrı müşterinin. İkisi aynı kişiyse önce kişileri birleştirin."},
	DomainTaken:         {409, "Another workspace has shown that this domain is its own.", "Başka bir çalışma alanı bu alan adının kendisine ait olduğunu göstermiş."},
	MailboxKindAbsent:   {409, "This kind of mailbox is not served yet; use inbox or forward.", "Bu tür posta kutusu henüz sunulmuyor; inbox ya da forward kullanın."},
	StorageFull:         {409, "The workspace's storage is full, so this file cannot be kept. Delete what is not needed, or ask the operator for more.", "Çalışma alanının depolama alanı dolu, bu dosya saklanamıyor. Gerekmeyenleri silin ya da işletmeciden daha fazla alan isteyin."},
	NotConfigured:       {409, "The operator of this installation has not set this up.", "Bu kurulumun işletmecisi bunu ayarlamamış."},
	NumberNotActive:     {409, "This phone number is not active: its purchase is under way, or its fee is not paid.", "Bu telefon numarası etkin değil: satın alma sürüyor ya da ücreti ödenmemiş."},
	NoCredit:            {409, "The call credit does not suffice. Top it up first.", "Arama kredisi yetmiyor. Önce kredi yükleyin."},
	NoDevice:            {409, "There is no phone that could ring: a telephony manager must give one, and it must be signed in.", "Çalabilecek bir telefon yok: telefon yöneticisinin telefon vermesi ve telefonun oturum açmış olması gerekir."},
	NoLine:              {409, "There is no line to the outside: connect your own line, or buy a number.", "Dışarıya çıkan bir hat yok: kendi hattınızı bağlayın ya da numara satın alın."},
	CallState:           {409, "The call is not in a state that allows this.", "Arama buna izin veren bir durumda değil."},
	CapReached:          {409, "A cap of the telephony settings keeps this call back.", "Telefon ayarlarındaki bir sınır bu aramayı engelliyor."},
	IdempotencyReplay:   {409, "This request was already carried out and its answer cannot be shown again.", "Bu istek daha önce gerçekleştirildi ve yanıtı yeniden gösterilemez."},
	FileMissing:         {410, "The content of this file is no longer in our storage. Uploading the same file again brings it back.", "Bu dosyanın içeriği artık depomuzda yok. Aynı dosyayı yeniden yüklemek onu geri getirir."},
	FileDamaged:         {410, "The content of this file is damaged in our storage and cannot be shown. Uploading the same file again brings it back.", "Bu dosyanın içeriği depomuzda bozulmuş, gösterilemiyor. Aynı dosyayı yeniden yüklemek onu geri getirir."},
	BodyTooLarge:        {413, "The request body is larger than %d bytes.", "İstek gövdesi %d bayttan büyük."},
	UnsupportedMedia:    {415, "Send the body as application/json.", "Gövdeyi application/json olarak gönderin."},
	ValidationFailed:    {422, "Some fields need attention.", "Bazı alanlar düzeltilmeli."},
	WrongCredentials:    {422, "The e-mail address or the password is wrong.", "E-posta adresi ya da parola yanlış."},
	WrongPassword:       {422, "The password is wrong.", "Parola yanlış."},
	WrongCode:           {422, "The code is wrong or was used already.", "Kod yanlış ya da daha önce kullanılmış."},
	CodeExpired:         {422, "This code is too old, was used already or was tried too often. Ask for a new one.", "Bu kodun süresi dolmuş, kod daha önce kullanılmış ya da çok kez denenmiş. Yenisini isteyin."},
	DNSRecordMissing:    {422, "The DNS record was not found. New records can take an hour to be seen everywhere.", "DNS kaydı bulunamadı. Yeni kayıtların her yerden görülmesi bir saat sürebilir."},
	SelfLockout:         {422, "This list does not contain your own address %s, so it would lock you out.", "Bu listede kendi adresiniz %s yok; kaydedilirse dışarıda kalırsınız."},
	DLPBlocked:          {422, "A data-loss-prevention rule keeps this message from being sent.", "Bir veri sızıntısı kuralı bu iletinin gönderilmesini engelliyor."},
	DLPWarning:          {422, "A data-loss-prevention rule warns about this message. Give a reason to send it all the same.", "Bir veri sızıntısı kuralı bu ileti için uyarıyor. Yine de göndermek için bir gerekçe yazın."},
	SignInExpired:       {422, "This sign-in took too long or too many tries. Start again.", "Bu oturum açma çok uzun sürdü ya da çok kez denendi. Baştan başlayın."},
	LinkExpired:         {422, "This link was used already or is too old. Ask for a new one.", "Bu bağlantı daha önce kullanılmış ya da süresi dolmuş. Yenisini isteyin."},
	EmailNotVerified:    {422, "Confirm your e-mail address first. The link is in your mailbox.", "Önce e-posta adresinizi doğrulayın. Bağlantı posta kutunuzda."},
	CaptchaRequired:     {422, "Show that you are not a robot.", "Robot olmadığınızı gösterin."},
	CaptchaFailed:       {422, "The robot check failed. Try it again.", "Robot denetimi başarısız oldu. Yeniden deneyin."},
	PasskeyRefused:      {422, "This passkey could not be accepted.", "Bu geçiş anahtarı kabul edilemedi."},
	IdempotencyMismatch: {422, "This Idempotency-Key was used with another request.", "Bu Idempotency-Key başka bir istekle kullanılmış."},
	LimitReached:        {422, "The limit of %d is reached.", "%d sınırına ulaşıldı."},
	NoRoute:             {422, "No connected channel leads to this customer.", "Bu müşteriye ulaşan bağlı bir kanal yok."},
	NothingToSummarize:  {422, "Nothing has been written that could be summarized.", "Özetlenecek bir şey yazılmamış."},
	NothingToAnswer:     {422, "The customer has not written anything that could be answered.", "Müşteri yanıtlanacak bir şey yazmamış."},
	TemplateRejected:    {422, "The provider refused the template: %s", "Sağlayıcı şablonu kabul etmedi: %s"},
	WindowClosed:        {422, "The time in which this channel takes answers is over. The customer has to write first.", "Bu kanalda yanıt verme süresi doldu. Önce müşterinin yazması gerekir."},
	ReactionUnsupported: {422, "This message cannot be reacted to on its channel.", "Bu iletiye kanalında tepki verilemez."},
	PaymentRefused:      {422, "The payment was refused: %s", "Ödeme reddedildi: %s"},
	NotSupported:        {422, "This installation cannot do that yet.", "Bu kurulum bunu henüz yapamıyor."},
	RangeNotSatisfiable: {416, "The file has no such part.", "Dosyanın böyle bir bölümü yok."},
	UpgradeRequired:     {426, "This address speaks WebSocket only.", "Bu adres yalnızca WebSocket konuşur."},
	RateLimited:         {429, "Too many requests. Try again in %d seconds.", "Çok fazla istek. %d saniye sonra yeniden deneyin."},
	SendingQuotaReached: {429, "The workspace has sent all the mail that it may send today (%d recipients a day). It can send again after midnight UTC.", "Çalışma alanı bugün gönderebileceği postanın tamamını gönderdi (günde %d alıcı). UTC gece yarısından sonra yeniden gönderebilir."},
	TooManyStreams:      {429, "Too many live connections are open; %d is the limit. Close one first.", "Çok fazla canlı bağlantı açık; sınır %d. Önce birini kapatın."},
	Internal:            {500, "Something failed on our side. The trace id helps us find it.", "Bizim tarafımızda bir hata oldu. İzleme numarası onu bulmamıza yardım eder."},
	ProviderRejected:    {502, "The provider refused or did not answer: %s", "Sağlayıcı reddetti ya da yanıt vermedi: %s"},
	ModelUnreachable:    {502, "The language model's server does not answer. Try again later.", "Dil modelinin sunucusu yanıt vermiyor. Daha sonra yeniden deneyin."},
	ModelBadAnswer:      {502, "The language model gave an answer that cannot be used. Try again, or write it yourself.", "Dil modeli kullanılamayacak bir yanıt verdi. Yeniden deneyin ya da kendiniz yazın."},
	Unavailable:         {503, "The service is not ready. Try again shortly.", "Hizmet hazır değil. Birazdan yeniden deneyin."},
}

// Status is the HTTP status of a code.
func (c Code) Status() int {
	if e, ok := catalogue[c]; ok {
		return e.status
	}
	return 500
}

// Message is the text of f in the language ("tr" or "en").
func (f *Fault) Message(lang string) string {
	e, ok := catalogue[f.Code]
	if !ok {
		e = catalogue[Internal]
	}
	if precise, said := reasons[because{f.Code, f.Reason}]; said {
		e, ok = precise, strings.Contains(precise.en, "%s")
	}
	text := e.en
	if lang == "tr" {
		text = e.tr
	}
	for _, a := range f.allowed {
		form := " %s takes one of: %s."
		if lang == "tr" {
			form = " %s şunlardan biri olabilir: %s."
		}
		text += fmt.Sprintf(form, a.field, a.values)
	}
	if len(f.Args) == 0 || !ok {
		return text
	}
	return fmt.Sprintf(text, f.Args...)
}

// Table is the catalogue as a page of the documentation.
func Table() string {
	codes := slices.SortedFunc(maps.Keys(catalogue), func(a, b Code) int {
		return cmp.Or(cmp.Compare(catalogue[a].status, catalogue[b].status), cmp.Compare(a, b))
	})
	var b strings.Builder
	b.WriteString("| status | code | message | mesaj |\n|---|---|---|---|\n")
	for _, c := range codes {
		e := catalogue[c]
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", e.status, c, e.en, e.tr)
	}
	return b.String()
}
