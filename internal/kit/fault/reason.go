package fault

// because is a fault's code together with its reason.
type because struct {
	code   Code
	reason string
}

// TemplatesOnly is the reason of window_closed if a template can still be sent.
const TemplatesOnly = "templates_only"

// reasons are the texts of faults whose reason says what to do; they replace the text of
// the code.
var reasons = map[because]entry{
	{ValidationFailed, "step_is_seen"}: {422, "Konak detects this step from the domain, its records and the mailboxes. You can mark only migration, policies and test_mail.", "Konak bu adımı alan adından, kayıtlarından ve posta kutularından kendisi saptar. Yalnızca migration, policies ve test_mail işaretlenebilir."},
	{TwoFactorOff, "own_account"}:      {409, "Turn on two-factor authentication for your own account first, or you would lock yourself out.", "Önce kendi hesabınızda iki adımlı doğrulamayı açın: yoksa kendinizi dışarıda bırakırsınız."},
	{WindowClosed, TemplatesOnly}:      {422, "The channel's reply window is closed. Send an approved template.", "Kanalın yanıt penceresi kapandı; onaylı bir şablon gönderin."},

	{ChannelUnavailable, "paused"}:         {409, "This channel is paused. Activate it on the channels page first.", "Bu kanal duraklatılmış. Önce kanallar sayfasından etkinleştirin."},
	{ChannelUnavailable, "disconnected"}:   {409, "This channel was disconnected. Connect it again on the channels page.", "Bu kanalın bağlantısı kesilmiş. Kanallar sayfasından yeniden bağlayın."},
	{ChannelUnavailable, "connecting"}:     {409, "This channel is not connected yet. Finish its set-up on the channels page.", "Bu kanal henüz bağlanmadı. Kurulumunu kanallar sayfasında tamamlayın."},
	{ChannelUnavailable, "token_expired"}:  {409, "The provider no longer accepts this channel's access token. Connect the channel again with a new one.", "Sağlayıcı bu kanalın erişim anahtarını artık kabul etmiyor. Kanalı yeni bir anahtarla yeniden bağlayın."},
	{ChannelUnavailable, "no_bot"}:         {409, "The workspace has no working Telegram bot. Connect a bot first.", "Çalışma alanının çalışan bir Telegram botu yok. Önce bir bot bağlayın."},
	{ChannelUnavailable, "bot_taken"}:      {409, "The operator's Telegram bot is used by another workspace. Connect your own bot first.", "İşletmecinin Telegram botu başka bir çalışma alanında. Önce kendi botunuzu bağlayın."},
	{ChannelUnavailable, "business_ended"}: {409, "The owner removed the bot from their Telegram account. They have to add it again under Telegram Business, Chatbots.", "Hesabın sahibi botu Telegram hesabından çıkardı. Telegram Business, Sohbet robotları bölümünden yeniden eklemesi gerekir."},
	{ChannelUnavailable, "no_reply_right"}: {409, "The owner of this Telegram account does not allow the bot to reply. They can allow it under Telegram Business, Chatbots.", "Bu Telegram hesabının sahibi botun yanıt vermesine izin vermiyor. İzni Telegram Business, Sohbet robotları bölümünden verebilir."},

	{Conflict, "no_webhook"}:          {409, "This channel has no webhook to register here; there is nothing to do.", "Bu kanalın buradan kaydedilecek bir webhook'u yok; yapılacak bir şey yok."},
	{Conflict, "no_inbound_test"}:     {409, "This kind of channel has no inbound test. Send it a message as a customer; it appears in the inbox.", "Bu tür kanalın gelen testi yok. Ona bir müşteri gibi yazın; ileti gelen kutusunda görünür."},
	{Conflict, "no_calls"}:            {409, "This kind of channel does not support calls. Use a WhatsApp number or a Messenger page.", "Bu tür kanalda arama yok. Bir WhatsApp numarası ya da Messenger sayfası kullanın."},
	{Conflict, "other_channel"}:       {409, "This conversation's channel does not support these calls. Call the customer by phone, or write to them.", "Bu konuşma, böyle aramaların olmadığı bir kanalda. Müşteriyi telefonla arayın ya da ona yazın."},
	{Conflict, "channel_unavailable"}: {409, "The conversation's channel is paused or disconnected. Activate or reconnect it on the channels page first.", "Konuşmanın kanalı duraklatılmış ya da bağlantısı kesilmiş. Önce kanallar sayfasından etkinleştirin ya da yeniden bağlayın."},
	{Conflict, "no_route"}:            {409, "The customer is not known on this channel. Wait until they write, or contact them another way.", "Müşteri bu kanalda tanınmıyor. Size yazmasını bekleyin ya da ona başka bir yoldan ulaşın."},
	{Conflict, "ai_off"}:              {409, "The assistant is not handling this conversation, so there is nothing to hand over.", "Bu konuşmayla asistan ilgilenmiyor; devredilecek bir şey yok."},
	{Conflict, "in_use"}:              {409, "This is still in use. Choose another one everywhere it is used, then delete it.", "Bu hâlâ kullanılıyor. Kullanıldığı yerlerde başkasını seçin, sonra silin."},
	{Conflict, "account_taken"}:       {409, "This account is already connected. Change it on the channels page, or disconnect it first.", "Bu hesap zaten bağlı. Kanallar sayfasından değiştirin ya da önce bağlantısını kesin."},
	{Conflict, "already_granted"}:     {409, "The customer already allows calls; call them.", "Müşteri aramanıza zaten izin veriyor; arayabilirsiniz."},
	{Conflict, "request_limit"}:       {409, "You have asked the customer as often as the provider allows. Ask again later.", "Müşteriye sağlayıcının izin verdiği kadar soruldu. Daha sonra yeniden sorun."},
	{Conflict, "region_unsupported"}:  {409, "The provider does not support calling customers from numbers of this country. Ask the customer to call you.", "Sağlayıcı bu ülkenin numaralarından müşteri aramayı sunmuyor. Müşterinin sizi aramasını isteyin."},
	{Conflict, "not_configured"}:      {409, "The operator of this installation has not set this up. Connect the channel with its own credentials instead.", "Bu kurulumun işletmecisi bunu ayarlamamış. Kanalı kendi bilgileriyle bağlayın."},
	{Conflict, "state"}:               {409, "This sign-up was already used or took too long. Start again on the channels page.", "Bu bağlantı işlemi daha önce kullanılmış ya da çok uzun sürmüş. Kanallar sayfasından yeniden başlayın."},
	{Conflict, "consent"}:             {409, "Nothing was shared at the provider. Start again and give your consent there.", "Sağlayıcıda hiçbir şey paylaşılmadı. Yeniden başlayın ve orada onay verin."},
	{Conflict, "session"}:             {409, "The person who started this sign-up has since signed out. Sign in and start again on the channels page.", "Bu işlemi başlatan kişi oturumunu kapatmış. Oturum açın ve kanallar sayfasından yeniden başlayın."},
	{Conflict, "assets"}:              {409, "Nothing that can be connected was shared. Start again and choose a number or a page.", "Bağlanabilecek bir şey paylaşılmadı. Yeniden başlayın ve bir numara ya da sayfa seçin."},
	{Conflict, "question_refused"}:    {409, "The provider did not forward the request to the customer: %s. Write to them, or ask again later.", "Sağlayıcı soruyu müşteriye iletmiyor: %s. Müşteriye yazın ya da daha sonra yeniden sorun."},
	{Conflict, "has_articles"}:        {409, "This category contains articles. Move or delete them first.", "Bu kategoride makaleler var. Önce onları taşıyın ya da silin."},
	{NotFound, "unknown_channel"}:     {404, "This kind of channel cannot be connected here. Connect whatsapp, telegram, messenger or instagram here; live chat, e-mail and custom channels have their own endpoints.", "Bu tür kanallar bu yoldan bağlanmaz. Buradan whatsapp, telegram, messenger ya da instagram bağlayın; canlı sohbet, e-posta ve özel kanalların kendi yolları var."},
	{Forbidden, "permission"}:         {403, "The person who started this sign-up is no longer allowed to connect channels. Ask an owner for the permission and start again.", "Bu işlemi başlatan kişi artık kanal bağlayamıyor. Bir sahipten yetki isteyin ve yeniden başlayın."},

	{ReactionUnsupported, "sign_unsupported"}: {422, "This channel does not support this emoji. React with another one.", "Bu kanal bu emojiyi desteklemiyor. Başka bir emojiyle tepki verin."},

	{Conflict, "already_sent"}:     {409, "The customer already has this message, so it cannot be changed. Send a correction.", "Müşteri bu iletiyi almış; değiştirilemez. Bir düzeltme gönderin."},
	{Conflict, "sending"}:          {409, "This message is being sent. Wait until it is delivered or fails.", "Bu ileti yolda. Ulaşmasını ya da başarısız olmasını bekleyin."},
	{Conflict, "customer_message"}: {409, "The customer wrote this, so it cannot be changed. Add a note instead.", "Bunu müşteri yazdı; değiştirilemez. Bunun yerine bir not ekleyin."},
	{Conflict, "too_old"}:          {409, "This was written more than a day ago and can no longer be changed. Add a note instead.", "Bu bir günden önce yazılmış; artık değiştirilemez. Bunun yerine bir not ekleyin."},
	{Conflict, "event"}:            {409, "Timeline events cannot be changed; there is nothing to do.", "Zaman çizelgesindeki olaylar değiştirilemez; yapılacak bir şey yok."},
	{Conflict, "merged"}:           {409, "This conversation was merged into another. Open that one, or undo the merge first.", "Bu konuşma başka bir konuşmayla birleştirildi. Onu açın ya da önce birleştirmeyi geri alın."},

	{Conflict, "rule_taken"}:      {409, "A rule with this name already exists. Choose another name, or delete that rule first.", "Bu adda bir kural var. Başka bir ad seçin ya da önce o kuralı silin."},
	{Conflict, "exception_taken"}: {409, "This address is already exempt; there is nothing to do.", "Bu adres zaten muaf; yapılacak bir şey yok."},
	{Conflict, "grant_taken"}:     {409, "The mailbox can already send as this address; there is nothing to do.", "Posta kutusu bu adresle zaten gönderebiliyor; yapılacak bir şey yok."},
	{Conflict, "migration_runs"}:  {409, "A migration into this mailbox is still open. Cancel it first, or wait until it ends.", "Bu posta kutusuna açık bir taşıma var. Önce onu iptal edin ya da bitmesini bekleyin."},
	{Conflict, "has_mailboxes"}:   {409, "This domain still has mailboxes. Delete them first.", "Bu alan adında posta kutuları var. Önce onları silin."},
	{Conflict, "content_gone"}:    {409, "The content of this mail is no longer stored, so it cannot be sent. Reject it and ask the sender to send it again.", "Bu postanın içeriği depoda yok, gönderilemez. Reddedin ve göndericiden yeniden göndermesini isteyin."},
	{Conflict, "recipient_gone"}:  {409, "This mail's conversation or customer was deleted, so it cannot be sent. Reject it.", "Bu postanın konuşması ya da müşterisi silinmiş, bu yüzden gönderilmez. Reddedin."},
	{Conflict, "sender_gone"}:     {409, "This mail's sender domain no longer belongs to the workspace, so it cannot be sent. Reject it.", "Bu postanın gönderildiği alan adı artık bu çalışma alanının değil, bu yüzden gönderilmez. Reddedin."},
	{Conflict, "held"}:            {409, "This mail is in quarantine. Release or reject its incident first.", "Bu posta karantinada. Önce olayını serbest bırakın ya da reddedin."},
	{Conflict, "done"}:            {409, "This is already done; there is nothing left to do.", "Bu iş zaten bitmiş; yapılacak bir şey kalmadı."},
	{Conflict, "released"}:        {409, "This mail was already released and may have been sent. A decision cannot be undone.", "Bu posta daha önce serbest bırakılmış, gitmiş olabilir. Karar geri alınamaz."},
	{Conflict, "false_positive"}:  {409, "This mail was already released as a false alarm. A decision cannot be undone.", "Bu posta daha önce yanlış alarm olarak serbest bırakılmış. Karar geri alınamaz."},
	{Conflict, "rejected"}:        {409, "This was already rejected, which cannot be undone. It has to be sent or requested again.", "Bu daha önce reddedilmiş; geri alınamaz. Yeniden gönderilmesini ya da istenmesini sağlayın."},
	{Conflict, "completed"}:       {409, "This is already completed. Create a new one if there is more to do.", "Bu zaten tamamlanmış. Yapılacak başka bir şey varsa yenisini açın."},
	{Conflict, "domain"}:          {409, "The setup has no domain yet. Add one first.", "Kurulumda henüz alan adı yok. Önce bir alan adı ekleyin."},
	{Conflict, "ownership"}:       {409, "The record that proves you own the domain has not been found yet. Add it at your DNS provider, then check again.", "Alan adının sizin olduğunu gösteren kayıt henüz görülmedi. DNS sağlayıcınızda ekleyin, sonra yeniden denetleyin."},
	{Conflict, "mx"}:              {409, "The MX record does not point here yet. Change it at your DNS provider, then check again.", "MX kaydı henüz buraya yönlenmiyor. DNS sağlayıcınızda değiştirin, sonra yeniden denetleyin."},
	{Conflict, "auth_records"}:    {409, "Some of the SPF, DKIM and DMARC records have not been found yet. Add them at your DNS provider, then check again.", "SPF, DKIM ve DMARC kayıtlarının hepsi henüz görülmedi. DNS sağlayıcınızda ekleyin, sonra yeniden denetleyin."},
	{Conflict, "mailboxes"}:       {409, "There are no mailboxes yet. Add one first.", "Henüz posta kutusu yok. Önce bir tane ekleyin."},

	{Conflict, "draft_exists"}:     {409, "The person has started another reply, which is kept. They have to send or discard it first.", "Kişi başka bir yanıt yazmaya başlamış. O taslak kalır; önce gönderilmesi ya da silinmesi gerekir."},
	{Conflict, "not_an_ai_answer"}: {409, "The assistant did not write this message; only its answers can be rated.", "Bu iletiyi asistan yazmadı; yalnızca asistanın yanıtları oylanabilir."},
	{Conflict, "ai_unavailable"}:   {409, "The assistant does not answer on this kind of channel. Turn it on for a channel that customers write to.", "Asistan bu tür kanalda yanıt vermez. Müşterilerin yazdığı bir kanalda açın."},
	{Conflict, "ai_not_licensed"}:  {409, "The workspace has no licence for the assistant, so it cannot answer. Add the licence ai first.", "Çalışma alanının asistan lisansı yok, bu yüzden yanıt veremez. Önce ai lisansını ekleyin."},
}
