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
	{WindowClosed, TemplatesOnly}: {422, "The channel's reply window is closed; send an approved template.", "Kanalın yanıt penceresi kapandı; onaylı bir şablon gönderin."},

	{ChannelUnavailable, "paused"}:         {409, "This channel is paused. Make it active on the channels page first.", "Bu kanal duraklatılmış. Önce kanallar sayfasından etkinleştirin."},
	{ChannelUnavailable, "disconnected"}:   {409, "This channel was disconnected. Connect it again on the channels page.", "Bu kanalın bağlantısı kesilmiş. Kanallar sayfasından yeniden bağlayın."},
	{ChannelUnavailable, "connecting"}:     {409, "This channel is not connected yet. Finish its set-up on the channels page.", "Bu kanal henüz bağlanmadı. Kurulumunu kanallar sayfasında tamamlayın."},
	{ChannelUnavailable, "token_expired"}:  {409, "The provider no longer accepts this channel's access token. Connect the channel again with a new one.", "Sağlayıcı bu kanalın erişim anahtarını artık kabul etmiyor. Kanalı yeni bir anahtarla yeniden bağlayın."},
	{ChannelUnavailable, "no_bot"}:         {409, "The workspace has no Telegram bot that works. Connect a bot first.", "Çalışma alanının çalışan bir Telegram botu yok. Önce bir bot bağlayın."},
	{ChannelUnavailable, "bot_taken"}:      {409, "The operator's Telegram bot belongs to another workspace. Connect a bot of your own first.", "İşletmecinin Telegram botu başka bir çalışma alanında. Önce kendi botunuzu bağlayın."},
	{ChannelUnavailable, "business_ended"}: {409, "The owner took the bot out of their Telegram account. They have to add it again under Telegram Business, Chatbots.", "Hesabın sahibi botu Telegram hesabından çıkardı. Telegram Business, Sohbet robotları bölümünden yeniden eklemesi gerekir."},
	{ChannelUnavailable, "no_reply_right"}: {409, "The owner of this Telegram account does not let the bot answer. They can allow it under Telegram Business, Chatbots.", "Bu Telegram hesabının sahibi botun yanıt vermesine izin vermiyor. İzni Telegram Business, Sohbet robotları bölümünden verebilir."},

	{Conflict, "no_webhook"}:         {409, "This channel has no webhook that could be registered here; there is nothing to do.", "Bu kanalın buradan kaydedilecek bir webhook'u yok; yapılacak bir şey yok."},
	{Conflict, "no_inbound_test"}:    {409, "This kind of channel has no inbound test. Write to it as a customer would; the message appears in the inbox.", "Bu tür kanalın gelen testi yok. Ona bir müşteri gibi yazın; ileti gelen kutusunda görünür."},
	{Conflict, "no_calls"}:           {409, "This kind of channel carries no calls. Use a WhatsApp number or a Messenger page.", "Bu tür kanalda arama yok. Bir WhatsApp numarası ya da Messenger sayfası kullanın."},
	{Conflict, "already_granted"}:    {409, "The customer already lets you call; call them.", "Müşteri aramanıza zaten izin veriyor; arayabilirsiniz."},
	{Conflict, "request_limit"}:      {409, "The customer was asked as often as the provider allows. Ask again later.", "Müşteriye sağlayıcının izin verdiği kadar soruldu. Daha sonra yeniden sorun."},
	{Conflict, "region_unsupported"}: {409, "The provider offers no calls to customers from numbers of this country. Let the customer call you.", "Sağlayıcı bu ülkenin numaralarından müşteri aramayı sunmuyor. Müşterinin sizi aramasını isteyin."},
	{Conflict, "not_configured"}:     {409, "The operator of this installation has not set this up. Connect the channel with its own credentials instead.", "Bu kurulumun işletmecisi bunu ayarlamamış. Kanalı kendi bilgileriyle bağlayın."},
	{Conflict, "state"}:              {409, "This sign-up was used already or took too long. Begin again on the channels page.", "Bu bağlantı işlemi daha önce kullanılmış ya da çok uzun sürmüş. Kanallar sayfasından yeniden başlayın."},
	{Conflict, "consent"}:            {409, "Nothing was shared at the provider. Begin again and agree to it there.", "Sağlayıcıda hiçbir şey paylaşılmadı. Yeniden başlayın ve orada onay verin."},
	{Conflict, "session"}:            {409, "Whoever began this sign-up has signed out since. Sign in and begin again on the channels page.", "Bu işlemi başlatan kişi oturumunu kapatmış. Oturum açın ve kanallar sayfasından yeniden başlayın."},
	{Conflict, "assets"}:             {409, "Nothing that can be connected was shared. Begin again and choose a number or a page.", "Bağlanabilecek bir şey paylaşılmadı. Yeniden başlayın ve bir numara ya da sayfa seçin."},
	{Conflict, "has_articles"}:       {409, "There are articles in this category. Move or delete them first.", "Bu kategoride makaleler var. Önce onları taşıyın ya da silin."},
	{Conflict, "draft_exists"}:       {409, "The person has begun another reply. It stays; let them send or discard it first.", "Kişi başka bir yanıt yazmaya başlamış. O taslak kalır; önce gönderilmesi ya da silinmesi gerekir."},
	{Conflict, "not_an_ai_answer"}:   {409, "The assistant did not write this message; only its answers are rated.", "Bu iletiyi asistan yazmadı; yalnızca asistanın yanıtları oylanır."},
	{Conflict, "ai_unavailable"}:     {409, "The assistant does not answer on this kind of channel. Switch it on for a channel that customers write to.", "Asistan bu tür kanalda yanıt vermez. Müşterilerin yazdığı bir kanalda açın."},
	{Conflict, "ai_not_licensed"}:    {409, "The workspace has no licence for the assistant, so it could not answer. Add the licence ai first.", "Çalışma alanının asistan lisansı yok, bu yüzden yanıt veremez. Önce ai lisansını ekleyin."},
	{Forbidden, "permission"}:        {403, "Whoever began this sign-up may no longer connect channels. Ask an owner for the permission and begin again.", "Bu işlemi başlatan kişi artık kanal bağlayamıyor. Bir sahipten yetki isteyin ve yeniden başlayın."},
}
