package fault

// because is a fault with the reason that it names.
type because struct {
	code   Code
	reason string
}

// TemplatesOnly is the reason of window_closed where a template can still be sent.
const TemplatesOnly = "templates_only"

// reasons are the texts of faults whose reason says what to do, in the place of the
// code's own.
var reasons = map[because]entry{
	{ValidationFailed, "step_is_seen"}: {422, "This step is found out by itself, from the domain, its records and the mailboxes. Only migration, policies and test_mail are marked.", "Bu adım alan adından, kayıtlarından ve posta kutularından kendiliğinden anlaşılır. Yalnızca migration, policies ve test_mail işaretlenir."},
	{TwoFactorOff, "own_account"}:      {409, "Turn on two-factor authentication for your own account first: you would lock yourself out.", "Önce kendi hesabınızda iki adımlı doğrulamayı açın: yoksa kendinizi dışarıda bırakırsınız."},
	{WindowClosed, TemplatesOnly}:      {422, "The channel's reply window is closed; send an approved template.", "Kanalın yanıt penceresi kapandı; onaylı bir şablon gönderin."},

	{ChannelUnavailable, "paused"}:         {409, "This channel is paused. Make it active on the channels page first.", "Bu kanal duraklatılmış. Önce kanallar sayfasından etkinleştirin."},
	{ChannelUnavailable, "disconnected"}:   {409, "This channel was disconnected. Connect it again on the channels page.", "Bu kanalın bağlantısı kesilmiş. Kanallar sayfasından yeniden bağlayın."},
	{ChannelUnavailable, "connecting"}:     {409, "This channel is not connected yet. Finish its set-up on the channels page.", "Bu kanal henüz bağlanmadı. Kurulumunu kanallar sayfasında tamamlayın."},
	{ChannelUnavailable, "token_expired"}:  {409, "The provider no longer accepts this channel's access token. Connect the channel again with a new one.", "Sağlayıcı bu kanalın erişim anahtarını artık kabul etmiyor. Kanalı yeni bir anahtarla yeniden bağlayın."},
	{ChannelUnavailable, "no_bot"}:         {409, "The workspace has no Telegram bot that works. Connect a bot first.", "Çalışma alanının çalışan bir Telegram botu yok. Önce bir bot bağlayın."},
	{ChannelUnavailable, "bot_taken"}:      {409, "The operator's Telegram bot belongs to another workspace. Connect a bot of your own first.", "İşletmecinin Telegram botu başka bir çalışma alanında. Önce kendi botunuzu bağlayın."},
	{ChannelUnavailable, "business_ended"}: {409, "The owner took the bot out of their Telegram account. They have to add it again under Telegram Business, Chatbots.", "Hesabın sahibi botu Telegram hesabından çıkardı. Telegram Business, Sohbet robotları bölümünden yeniden eklemesi gerekir."},
	{ChannelUnavailable, "no_reply_right"}: {409, "The owner of this Telegram account does not let the bot answer. They can allow it under Telegram Business, Chatbots.", "Bu Telegram hesabının sahibi botun yanıt vermesine izin vermiyor. İzni Telegram Business, Sohbet robotları bölümünden verebilir."},

	{Conflict, "no_webhook"}:          {409, "This channel has no webhook that could be registered here; there is nothing to do.", "Bu kanalın buradan kaydedilecek bir webhook'u yok; yapılacak bir şey yok."},
	{Conflict, "no_inbound_test"}:     {409, "This kind of channel has no inbound test. Write to it as a customer would; the message appears in the inbox.", "Bu tür kanalın gelen testi yok. Ona bir müşteri gibi yazın; ileti gelen kutusunda görünür."},
	{Conflict, "no_calls"}:            {409, "This kind of channel carries no calls. Use a WhatsApp number or a Messenger page.", "Bu tür kanalda arama yok. Bir WhatsApp numarası ya da Messenger sayfası kullanın."},
	{Conflict, "other_channel"}:       {409, "This conversation is on a channel without such calls. Call the customer by telephone, or write to them.", "Bu konuşma, böyle aramaların olmadığı bir kanalda. Müşteriyi telefonla arayın ya da ona yazın."},
	{Conflict, "channel_unavailable"}: {409, "The conversation's channel is paused or disconnected. Make it work again on the channels page first.", "Konuşmanın kanalı duraklatılmış ya da bağlantısı kesilmiş. Önce kanallar sayfasından yeniden çalışır duruma getirin."},
	{Conflict, "no_route"}:            {409, "The customer is not known on this channel. Wait until they write, or reach them another way.", "Müşteri bu kanalda tanınmıyor. Size yazmasını bekleyin ya da ona başka bir yoldan ulaşın."},
	{Conflict, "ai_off"}:              {409, "No assistant holds this conversation, so there is nothing to hand over.", "Bu konuşma bir asistanda değil; devredilecek bir şey yok."},
	{Conflict, "in_use"}:              {409, "This is still used. Choose another one wherever it is, then delete it.", "Bu hâlâ kullanılıyor. Kullanıldığı yerlerde başkasını seçin, sonra silin."},
	{Conflict, "account_taken"}:       {409, "This account is connected already. Change it on the channels page, or disconnect it first.", "Bu hesap zaten bağlı. Kanallar sayfasından değiştirin ya da önce bağlantısını kesin."},
	{Conflict, "already_granted"}:     {409, "The customer already lets you call; call them.", "Müşteri aramanıza zaten izin veriyor; arayabilirsiniz."},
	{Conflict, "request_limit"}:       {409, "The customer was asked as often as the provider allows. Ask again later.", "Müşteriye sağlayıcının izin verdiği kadar soruldu. Daha sonra yeniden sorun."},
	{Conflict, "region_unsupported"}:  {409, "The provider offers no calls to customers from numbers of this country. Let the customer call you.", "Sağlayıcı bu ülkenin numaralarından müşteri aramayı sunmuyor. Müşterinin sizi aramasını isteyin."},
	{Conflict, "not_configured"}:      {409, "The operator of this installation has not set this up. Connect the channel with its own credentials instead.", "Bu kurulumun işletmecisi bunu ayarlamamış. Kanalı kendi bilgileriyle bağlayın."},
	{Conflict, "state"}:               {409, "This sign-up was used already or took too long. Begin again on the channels page.", "Bu bağlantı işlemi daha önce kullanılmış ya da çok uzun sürmüş. Kanallar sayfasından yeniden başlayın."},
	{Conflict, "consent"}:             {409, "Nothing was shared at the provider. Begin again and agree to it there.", "Sağlayıcıda hiçbir şey paylaşılmadı. Yeniden başlayın ve orada onay verin."},
	{Conflict, "session"}:             {409, "Whoever began this sign-up has signed out since. Sign in and begin again on the channels page.", "Bu işlemi başlatan kişi oturumunu kapatmış. Oturum açın ve kanallar sayfasından yeniden başlayın."},
	{Conflict, "assets"}:              {409, "Nothing that can be connected was shared. Begin again and choose a number or a page.", "Bağlanabilecek bir şey paylaşılmadı. Yeniden başlayın ve bir numara ya da sayfa seçin."},
	{Conflict, "question_refused"}:    {409, "The provider does not put the question to the customer: %s. Write to them, or ask again later.", "Sağlayıcı soruyu müşteriye iletmiyor: %s. Müşteriye yazın ya da daha sonra yeniden sorun."},
	{Conflict, "has_articles"}:        {409, "There are articles in this category. Move or delete them first.", "Bu kategoride makaleler var. Önce onları taşıyın ya da silin."},
	{NotFound, "unknown_channel"}:     {404, "Channels of this kind are not connected this way. Connect whatsapp, telegram, messenger or instagram here; live chat, e-mail and custom channels have routes of their own.", "Bu tür kanallar bu yoldan bağlanmaz. Buradan whatsapp, telegram, messenger ya da instagram bağlayın; canlı sohbet, e-posta ve özel kanalların kendi yolları var."},
	{Forbidden, "permission"}:         {403, "Whoever began this sign-up may no longer connect channels. Ask an owner for the permission and begin again.", "Bu işlemi başlatan kişi artık kanal bağlayamıyor. Bir sahipten yetki isteyin ve yeniden başlayın."},

	{ReactionUnsupported, "sign_unsupported"}: {422, "This channel does not have this sign. React with another one.", "Bu kanalda bu simge yok. Başka bir simgeyle tepki verin."},

	{Conflict, "already_sent"}:     {409, "The customer has this message already, so it cannot be changed. Send a correction.", "Müşteri bu iletiyi almış; değiştirilemez. Bir düzeltme gönderin."},
	{Conflict, "sending"}:          {409, "This message is on its way. Wait until it was delivered or has failed.", "Bu ileti yolda. Ulaşmasını ya da başarısız olmasını bekleyin."},
	{Conflict, "customer_message"}: {409, "The customer wrote this, so it cannot be changed. Add a note instead.", "Bunu müşteri yazdı; değiştirilemez. Bunun yerine bir not ekleyin."},
	{Conflict, "too_old"}:          {409, "This was written more than a day ago and cannot be changed any more. Add a note instead.", "Bu bir günden önce yazılmış; artık değiştirilemez. Bunun yerine bir not ekleyin."},
	{Conflict, "event"}:            {409, "The timeline's own entries stay as they are; there is nothing to do.", "Zaman çizelgesinin kendi kayıtları olduğu gibi kalır; yapılacak bir şey yok."},
	{Conflict, "merged"}:           {409, "This conversation was merged into another. Open that one, or take the merge back first.", "Bu konuşma başka bir konuşmayla birleştirildi. Onu açın ya da önce birleştirmeyi geri alın."},

	{Conflict, "rule_taken"}:      {409, "There is a rule of this name. Choose another name, or delete that rule first.", "Bu adda bir kural var. Başka bir ad seçin ya da önce o kuralı silin."},
	{Conflict, "exception_taken"}: {409, "This address is exempt already; there is nothing to do.", "Bu adres zaten muaf; yapılacak bir şey yok."},
	{Conflict, "grant_taken"}:     {409, "The mailbox may send as this address already; there is nothing to do.", "Posta kutusu bu adresle zaten gönderebiliyor; yapılacak bir şey yok."},
	{Conflict, "migration_runs"}:  {409, "A migration into this mailbox is open. Cancel it first, or wait for its end.", "Bu posta kutusuna açık bir taşıma var. Önce onu iptal edin ya da bitmesini bekleyin."},
	{Conflict, "has_mailboxes"}:   {409, "There are mailboxes at this domain. Delete them first.", "Bu alan adında posta kutuları var. Önce onları silin."},
	{Conflict, "content_gone"}:    {409, "The content of this mail is no longer in our storage, so it cannot be sent. Reject it and ask the sender to send it again.", "Bu postanın içeriği artık depomuzda yok, gönderilemez. Reddedin ve göndericiden yeniden göndermesini isteyin."},
	{Conflict, "recipient_gone"}:  {409, "The conversation or the customer of this mail was deleted, so it is not sent. Reject it.", "Bu postanın konuşması ya da müşterisi silinmiş, bu yüzden gönderilmez. Reddedin."},
	{Conflict, "sender_gone"}:     {409, "The domain that this mail is from no longer belongs to the workspace, so it is not sent. Reject it.", "Bu postanın gönderildiği alan adı artık bu çalışma alanının değil, bu yüzden gönderilmez. Reddedin."},
	{Conflict, "held"}:            {409, "This mail is in quarantine. Release or reject its incident first.", "Bu posta karantinada. Önce olayını serbest bırakın ya da reddedin."},
	{Conflict, "done"}:            {409, "This is done already; there is nothing left to do.", "Bu iş zaten bitmiş; yapılacak bir şey kalmadı."},
	{Conflict, "released"}:        {409, "Somebody released this mail already, and it may have left. A decision cannot be taken back.", "Bu posta daha önce serbest bırakılmış, gitmiş olabilir. Karar geri alınamaz."},
	{Conflict, "false_positive"}:  {409, "Somebody released this mail already as a false alarm. A decision cannot be taken back.", "Bu posta daha önce yanlış alarm olarak serbest bırakılmış. Karar geri alınamaz."},
	{Conflict, "rejected"}:        {409, "This was rejected already, which cannot be taken back. Have it sent or asked for again.", "Bu daha önce reddedilmiş; geri alınamaz. Yeniden gönderilmesini ya da istenmesini sağlayın."},
	{Conflict, "completed"}:       {409, "This is completed already. Make a new one where more is to be done.", "Bu zaten tamamlanmış. Yapılacak başka bir şey varsa yenisini açın."},
	{Conflict, "domain"}:          {409, "The setup has no domain yet. Add one first.", "Kurulumda henüz alan adı yok. Önce bir alan adı ekleyin."},
	{Conflict, "ownership"}:       {409, "The record that shows that the domain is yours was not seen yet. Add it at your DNS provider, then check again.", "Alan adının sizin olduğunu gösteren kayıt henüz görülmedi. DNS sağlayıcınızda ekleyin, sonra yeniden denetleyin."},
	{Conflict, "mx"}:              {409, "The MX record does not lead here yet. Change it at your DNS provider, then check again.", "MX kaydı henüz buraya yönlenmiyor. DNS sağlayıcınızda değiştirin, sonra yeniden denetleyin."},
	{Conflict, "auth_records"}:    {409, "The records for SPF, DKIM and DMARC were not all seen yet. Add them at your DNS provider, then check again.", "SPF, DKIM ve DMARC kayıtlarının hepsi henüz görülmedi. DNS sağlayıcınızda ekleyin, sonra yeniden denetleyin."},
	{Conflict, "mailboxes"}:       {409, "There is no mailbox yet. Add one first.", "Henüz posta kutusu yok. Önce bir tane ekleyin."},

	{Conflict, "draft_exists"}:     {409, "The person has begun another reply. It stays; let them send or discard it first.", "Kişi başka bir yanıt yazmaya başlamış. O taslak kalır; önce gönderilmesi ya da silinmesi gerekir."},
	{Conflict, "not_an_ai_answer"}: {409, "The assistant did not write this message; only its answers are rated.", "Bu iletiyi asistan yazmadı; yalnızca asistanın yanıtları oylanır."},
	{Conflict, "ai_unavailable"}:   {409, "The assistant does not answer on this kind of channel. Switch it on for a channel that customers write to.", "Asistan bu tür kanalda yanıt vermez. Müşterilerin yazdığı bir kanalda açın."},
	{Conflict, "ai_not_licensed"}:  {409, "The workspace has no licence for the assistant, so it could not answer. Add the licence ai first.", "Çalışma alanının asistan lisansı yok, bu yüzden yanıt veremez. Önce ai lisansını ekleyin."},
}
