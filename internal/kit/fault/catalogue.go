package fault

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Code identifies a kind of failure. Clients switch on it, so a code never changes its
// meaning after its release.
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
	InvalidClient:       {400, "This app does not exist.", "Böyle bir uygulama yok."},
	InvalidRedirect:     {400, "The app did not register this redirect URI.", "Uygulama bu dönüş adresini kaydetmemiş."},
	InvalidScope:        {400, "The app asks for scopes that it did not register.", "Uygulama, kaydetmediği yetkileri istiyor."},
	InvalidGrant:        {400, "The code is wrong, expired or already used.", "Kod yanlış, daha önce kullanılmış ya da süresi dolmuş."},
	InvalidRedirectURIs: {400, "A redirect URI must start with https://, or with http:// on the user's own machine.", "Dönüş adresi https:// ile, ya da kişinin kendi bilgisayarında http:// ile başlamalıdır."},
	InvalidClientData:   {400, "The client cannot be registered with this metadata.", "Bu özelliklerle bir istemci kaydedilemez."},
	InvalidTarget:       {400, "The URL in resource does not belong to this server.", "resource alanındaki adres bu sunucunun değil."},
	UnsupportedResponse: {400, "Only the response type \"code\" is supported.", "Yalnızca \"code\" yanıt türü desteklenir."},
	UnsupportedGrant:    {400, "Only the grant type \"authorization_code\" is supported.", "Yalnızca \"authorization_code\" izin türü desteklenir."},
	Unauthenticated:     {401, "Sign in, or send a valid token or API key as \"Authorization: Bearer …\".", "Oturum açın ya da geçerli bir kimlik bilgisini \"Authorization: Bearer …\" olarak gönderin."},
	SessionRequired:     {401, "This endpoint needs a session, not an API key. API keys work on the endpoints under /public/ and on those that say so.", "Bu adres API anahtarı değil, oturum ister. API anahtarları /public/ altındaki ve bunu belirten adreslerde kullanılır."},
	KeyRequired:         {401, "This endpoint needs an API key, not a session. Send it as \"Authorization: Bearer key_live_…\".", "Bu adres oturum değil, API anahtarı ister. Anahtarı \"Authorization: Bearer key_live_…\" olarak gönderin."},
	Forbidden:           {403, "You need the permission %q for this.", "Bunun için %q yetkisi gerekir."},
	NotLicensed:         {403, "This workspace has no licence for the module %q.", "Bu çalışma alanının %q modülü için lisansı yok."},
	StepUpRequired:      {403, "Confirm your password to continue.", "Devam etmek için parolanızı doğrulayın."},
	OwnSessionRequired:  {403, "Use a session that you opened yourself. Sessions of apps, or opened with a code that someone else created, cannot do this.", "Bunun için kendi açtığınız bir oturum gerekir; bir uygulamanın ya da başkasının oluşturduğu kodun oturumu yetmez."},
	IPNotAllowed:        {403, "Your IP address %s is not on the workspace's allowlist for mail administration.", "%s IP adresiniz, çalışma alanının posta yönetimi için izin verdiği adresler arasında değil."},
	SignUpClosed:        {403, "You cannot create accounts or workspaces yourself here. Ask the owner of a workspace for an invitation. If sign-up is closed, ask the operator, who creates them with konak workspace create.", "Burada kendiniz hesap ya da çalışma alanı açamazsınız. Bir çalışma alanının sahibinden davet isteyin. Kayıt kapalıysa bunları konak workspace create ile oluşturan işletmeciden isteyin."},
	TwoFactorRequired:   {403, "This workspace requires two-factor authentication. Turn it on in your account to continue.", "Bu çalışma alanı iki adımlı doğrulamayı zorunlu tutuyor. Devam etmek için hesabınızda açın."},
	WorkspaceSuspended:  {403, "This workspace is suspended. Contact the operator of this service.", "Bu çalışma alanı askıya alındı. Hizmetin işletmecisine başvurun."},
	CrossOrigin:         {403, "Requests from another site are refused.", "Başka bir siteden gelen istekler kabul edilmez."},
	NotFound:            {404, "This record does not exist.", "Böyle bir kayıt yok."},
	UnknownAddress:      {404, "This address does not exist. /openapi.json lists the available ones.", "Böyle bir adres yok. Var olanlar /openapi.json içindedir."},
	MethodNotAllowed:    {405, "This endpoint does not support this method.", "Bu adres bu yöntemi desteklemez."},
	Conflict:            {409, "This conflicts with an existing record.", "Bu işlem var olan bir kayıtla çakışıyor."},
	TwoFactorOn:         {409, "Two-factor authentication is already on. Turn it off first.", "İki adımlı doğrulama zaten açık. Önce kapatın."},
	TwoFactorOff:        {409, "Two-factor authentication is off.", "İki adımlı doğrulama kapalı."},
	LastAdmin:           {409, "The workspace needs at least one active owner. Make someone else an owner first.", "Çalışma alanında en az bir etkin sahip olmalı. Önce bir başkasını sahip yapın."},
	AccountExists:       {409, "This e-mail address already has an account. Sign in, then open the invitation again.", "Bu e-posta adresinin zaten bir hesabı var. Oturum açın, sonra daveti yeniden açın."},
	OtherAddress:        {409, "The invitation was sent to a different e-mail address.", "Davet sizinkinden başka bir adrese gönderilmiş."},
	NotActive:           {409, "This person is not active: they are suspended or have not accepted their invitation.", "Bu kişi etkin değil: askıya alınmış ya da davetini henüz kabul etmemiş."},
	AlreadyMailed:       {409, "This QR code was already mailed. Create a new one to mail another.", "Bu QR kodu zaten e-postayla gönderildi. Bir daha göndermek için yenisini oluşturun."},
	RoleFixed:           {409, "The owner role always holds every permission and cannot be changed.", "Sahip rolü her zaman bütün yetkilere sahiptir, değiştirilemez."},
	RoleInUse:           {409, "Some members still have this role. Give them another one first.", "Bu role sahip kişiler var. Önce onlara başka bir rol verin."},
	TestEnvironment:     {409, "The test environment is isolated: it sends nothing and changes no live records.", "Test ortamı yalıtılmıştır: hiçbir şey göndermez, canlı kayıtları değiştirmez."},
	WebhookPaused:       {409, "This webhook is paused, so nothing is sent to it. Activate it first.", "Bu webhook duraklatılmış, ona bir şey gönderilmiyor. Önce etkinleştirin."},
	NoAssistant:         {409, "No assistant is connected to this workspace.", "Bu çalışma alanına bağlı bir asistan yok."},
	NoLanguageModel:     {409, "No language model is set up for this workspace.", "Bu çalışma alanı için bir dil modeli kurulmamış."},
	ModelBudgetSpent:    {409, "The language model's budget for today is used up. It resets at midnight UTC.", "Dil modelinin bugünkü bütçesi bitti. UTC gece yarısından sonra yenilenir."},
	ChannelUnavailable:  {409, "This channel is paused, disconnected or not connected yet.", "Bu kanal duraklatılmış, bağlantısı kesilmiş ya da henüz bağlanmamış."},
	TemplateLocked:      {409, "The provider does not allow changing or deleting this template in its current status. Wait for its decision, or create a new template.", "Sağlayıcı, bu şablonun şu anki durumunda değiştirilmesine ya da silinmesine izin vermiyor. Kararını bekleyin ya da yeni bir şablon oluşturun."},
	TemplateEditLimit:   {409, "An approved template can be changed once in 24 hours and ten times in 30 days. You can change this one again from %s (UTC).", "Onaylı bir şablon 24 saatte bir, 30 günde on kez değiştirilebilir; bu şablon için sıradaki zaman: %s (UTC)."},
	NameBarred:          {409, "A template with this name was deleted. You can use the name again from %s.", "Bu adda bir şablon silindi; ad %s tarihinden sonra yeniden kullanılabilir."},
	CSATDisabled:        {409, "This workspace does not ask for ratings.", "Bu çalışma alanı memnuniyet puanı istemiyor."},
	CSATExpired:         {409, "The time to rate this conversation is over.", "Puan verme süresi doldu."},
	OtherCustomer:       {409, "These conversations belong to two customers. If they are the same person, merge the contacts first.", "Bu konuşmalar iki ayrı müşterinin. İkisi aynı kişiyse önce kişileri birleştirin."},
	DomainTaken:         {409, "Another workspace has verified ownership of this domain.", "Başka bir çalışma alanı bu alan adının kendisine ait olduğunu doğrulamış."},
	MailboxKindAbsent:   {409, "This kind of mailbox is not supported yet. Use inbox or forward.", "Bu tür posta kutusu henüz desteklenmiyor. inbox ya da forward kullanın."},
	StorageFull:         {409, "The workspace's storage is full, so this file cannot be saved. Delete files you do not need, or ask the operator for more storage.", "Çalışma alanının depolama alanı dolu, bu dosya saklanamıyor. Gerekmeyenleri silin ya da işletmeciden daha fazla alan isteyin."},
	NotConfigured:       {409, "The operator of this installation has not set this up.", "Bu kurulumun işletmecisi bunu ayarlamamış."},
	NumberNotActive:     {409, "This phone number is not active: its purchase is in progress, or its fee has not been paid.", "Bu telefon numarası etkin değil: satın alma sürüyor ya da ücreti ödenmemiş."},
	NoCredit:            {409, "There is not enough call credit. Top it up first.", "Arama kredisi yetmiyor. Önce kredi yükleyin."},
	NoDevice:            {409, "There is no phone to ring: a telephony manager must set one up, and it must be signed in.", "Çalabilecek bir telefon yok: telefon yöneticisinin bir telefon tanımlaması ve telefonun oturum açmış olması gerekir."},
	NoLine:              {409, "There is no line for outside calls. Connect your own line, or buy a number.", "Dışarıya çıkan bir hat yok: kendi hattınızı bağlayın ya da numara satın alın."},
	CallState:           {409, "The call is not in a state that allows this.", "Arama buna izin veren bir durumda değil."},
	CapReached:          {409, "A limit in the telephony settings blocks this call, or there is no rate for the number.", "Telefon ayarlarındaki bir sınır bu aramayı engelliyor ya da numara için ücret tanımlı değil."},
	IdempotencyReplay:   {409, "This request was already processed, and its response cannot be shown again.", "Bu istek daha önce gerçekleştirildi ve yanıtı yeniden gösterilemez."},
	FileMissing:         {410, "The content of this file is no longer stored. Upload the same file again to restore it.", "Bu dosyanın içeriği depoda yok. Geri getirmek için aynı dosyayı yeniden yükleyin."},
	FileDamaged:         {410, "The content of this file is damaged in storage and cannot be shown. Upload the same file again to restore it.", "Bu dosyanın içeriği depoda bozulmuş, gösterilemiyor. Geri getirmek için aynı dosyayı yeniden yükleyin."},
	BodyTooLarge:        {413, "The request body is larger than %d bytes.", "İstek gövdesi %d bayttan büyük."},
	UnsupportedMedia:    {415, "Send the body as application/json.", "Gövdeyi application/json olarak gönderin."},
	ValidationFailed:    {422, "Some fields need attention.", "Bazı alanlar düzeltilmeli."},
	WrongCredentials:    {422, "The e-mail address or the password is wrong.", "E-posta adresi ya da parola yanlış."},
	WrongPassword:       {422, "The password is wrong.", "Parola yanlış."},
	WrongCode:           {422, "The code is wrong or already used.", "Kod yanlış ya da daha önce kullanılmış."},
	CodeExpired:         {422, "This code has expired, was already used or was tried too many times. Request a new one.", "Bu kodun süresi dolmuş, kod daha önce kullanılmış ya da çok kez denenmiş. Yenisini isteyin."},
	DNSRecordMissing:    {422, "The DNS record was not found. New records can take up to an hour to become visible everywhere.", "DNS kaydı bulunamadı. Yeni kayıtların her yerden görülmesi bir saat sürebilir."},
	SelfLockout:         {422, "This list does not contain your own IP address %s, so it would lock you out.", "Bu listede kendi IP adresiniz %s yok; kaydedilirse dışarıda kalırsınız."},
	DLPBlocked:          {422, "A data-loss-prevention rule blocks this message.", "Bir veri sızıntısı kuralı bu iletinin gönderilmesini engelliyor."},
	DLPWarning:          {422, "A data-loss-prevention rule warns about this message. Give a reason to send it anyway.", "Bir veri sızıntısı kuralı bu ileti için uyarıyor. Yine de göndermek için bir gerekçe yazın."},
	SignInExpired:       {422, "This sign-in took too long or had too many attempts. Start again.", "Bu oturum açma çok uzun sürdü ya da çok kez denendi. Baştan başlayın."},
	LinkExpired:         {422, "This link has expired or was already used. Request a new one.", "Bu bağlantı daha önce kullanılmış ya da süresi dolmuş. Yenisini isteyin."},
	EmailNotVerified:    {422, "Confirm your e-mail address first, with the link in your mailbox.", "Önce posta kutunuzdaki bağlantıyla e-posta adresinizi doğrulayın."},
	CaptchaRequired:     {422, "Confirm that you are not a robot.", "Robot olmadığınızı gösterin."},
	CaptchaFailed:       {422, "The robot check failed. Try again.", "Robot denetimi başarısız oldu. Yeniden deneyin."},
	PasskeyRefused:      {422, "This passkey could not be accepted.", "Bu geçiş anahtarı kabul edilemedi."},
	IdempotencyMismatch: {422, "This Idempotency-Key was already used with a different request.", "Bu Idempotency-Key başka bir istekle kullanılmış."},
	LimitReached:        {422, "The limit of %d is reached.", "%d sınırına ulaşıldı."},
	NoRoute:             {422, "No connected channel reaches this customer.", "Bu müşteriye ulaşan bağlı bir kanal yok."},
	NothingToSummarize:  {422, "There is nothing to summarize yet.", "Henüz özetlenecek bir şey yok."},
	NothingToAnswer:     {422, "The customer has not written anything to answer.", "Müşteri yanıtlanacak bir şey yazmamış."},
	TemplateRejected:    {422, "The provider refused the template: %s", "Sağlayıcı şablonu kabul etmedi: %s"},
	WindowClosed:        {422, "The channel's reply window is closed. The customer has to write first.", "Bu kanalda yanıt verme süresi doldu. Önce müşterinin yazması gerekir."},
	ReactionUnsupported: {422, "This channel does not allow a reaction to this message.", "Bu kanalda bu iletiye tepki verilemez."},
	PaymentRefused:      {422, "The payment was refused: %s", "Ödeme reddedildi: %s"},
	NotSupported:        {422, "This installation cannot do that yet.", "Bu kurulum bunu henüz yapamıyor."},
	RangeNotSatisfiable: {416, "The requested range is outside the file.", "İstenen aralık dosyanın dışında."},
	UpgradeRequired:     {426, "This endpoint accepts WebSocket connections only.", "Bu adres yalnızca WebSocket bağlantısı kabul eder."},
	RateLimited:         {429, "Too many requests. Try again in %d seconds.", "Çok fazla istek. %d saniye sonra yeniden deneyin."},
	SendingQuotaReached: {429, "The workspace has reached its daily sending limit of %d recipients. It can send again after midnight UTC.", "Çalışma alanı günlük gönderim sınırına ulaştı (%d alıcı). UTC gece yarısından sonra yeniden gönderebilir."},
	TooManyStreams:      {429, "Too many live connections are open. The limit is %d; close one first.", "Çok fazla canlı bağlantı açık; sınır %d. Önce birini kapatın."},
	Internal:            {500, "Something went wrong on our side. The trace id helps us find it.", "Bizim tarafımızda bir hata oldu. İzleme numarası onu bulmamıza yardım eder."},
	ProviderRejected:    {502, "The provider refused the request or did not respond: %s", "Sağlayıcı reddetti ya da yanıt vermedi: %s"},
	ModelUnreachable:    {502, "The language model's server is not responding. Try again later.", "Dil modelinin sunucusu yanıt vermiyor. Daha sonra yeniden deneyin."},
	ModelBadAnswer:      {502, "The language model returned an unusable answer. Try again, or write it yourself.", "Dil modeli kullanılamayacak bir yanıt verdi. Yeniden deneyin ya da kendiniz yazın."},
	Unavailable:         {503, "The service is not ready. Try again shortly.", "Hizmet hazır değil. Birazdan yeniden deneyin."},
}

// Status returns the HTTP status of a code.
func (c Code) Status() int {
	if e, ok := catalogue[c]; ok {
		return e.status
	}
	return 500
}

// Message returns the text of f in the language ("tr" or "en").
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
		form := " %s must be one of: %s."
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

// Table returns the catalogue as a page of the documentation.
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
