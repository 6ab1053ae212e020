package helpcenter

// siteWords are the site's own texts in one language.
type siteWords struct {
	Skip, Search, SearchLabel, Home, Categories, Newest, Articles, Updated, Related         string
	Helped, Yes, No, Thanks, NotFound, NotFoundText, Results, NoResults                     string
	Contact, ContactIntro, Name, Email, Subject, Message, Send, Sent, SentText              string
	Required, WrongEmail, TooLong, Busy, Wrong, Languages, Empty, Leave, Unavailable, Again string
	Pages, Previous, Next                                                                   string
}

var turkish = siteWords{
	Skip: "İçeriğe geç", Search: "Ara", SearchLabel: "Yardım makalelerinde ara", Home: "Ana sayfa", Categories: "Konular",
	Newest: "Yeni makaleler", Articles: "makale", Updated: "Güncellendi:", Related: "Bu konudaki diğer makaleler",
	Helped: "Bu makale yardımcı oldu mu?", Yes: "Evet", No: "Hayır", Thanks: "Geri bildiriminiz için teşekkürler.",
	NotFound: "Sayfa bulunamadı", NotFoundText: "Aradığınız sayfa yok ya da yayından kaldırıldı.",
	Results: "Arama sonuçları", NoResults: "Hiçbir makale bulunamadı. Başka sözcüklerle deneyin ya da bize yazın.",
	Contact: "Bize yazın", ContactIntro: "Aradığınızı bulamadıysanız bize yazın; yanıtımız e-posta ile gelir.",
	Name: "Adınız", Email: "E-posta adresiniz", Subject: "Konu", Message: "Mesajınız", Send: "Gönder",
	Sent: "Mesajınız bize ulaştı", SentText: "En kısa sürede e-posta ile yanıtlayacağız.",
	Required: "Bu alanı doldurun.", WrongEmail: "Geçerli bir e-posta adresi yazın.", TooLong: "Bu metin çok uzun.",
	Busy: "Kısa sürede çok fazla istek geldi. Lütfen biraz sonra yeniden deneyin.", Wrong: "Lütfen işaretli alanları düzeltin.",
	Languages: "Diller", Empty: "Burada henüz makale yok.", Leave: "Bu alanı boş bırakın", Pages: "Sayfalar", Previous: "Önceki sayfa", Next: "Sonraki sayfa",
	Unavailable: "Sayfa şu anda gösterilemiyor. Lütfen biraz sonra yeniden deneyin.",
	Again:       "Mesajınız henüz gönderilmedi. Lütfen bir kez daha Gönder düğmesine basın.",
}

var english = siteWords{
	Skip: "Skip to content", Search: "Search", SearchLabel: "Search the help articles", Home: "Home", Categories: "Topics",
	Newest: "New articles", Articles: "articles", Updated: "Updated:", Related: "More on this topic",
	Helped: "Did this article help?", Yes: "Yes", No: "No", Thanks: "Thank you for your feedback.",
	NotFound: "Page not found", NotFoundText: "The page does not exist, or is no longer published.",
	Results: "Search results", NoResults: "No article was found. Try other words, or write to us.",
	Contact: "Write to us", ContactIntro: "If you did not find what you need, write to us; we reply by e-mail.",
	Name: "Your name", Email: "Your e-mail address", Subject: "Subject", Message: "Your message", Send: "Send",
	Sent: "We have your message", SentText: "We will reply by e-mail as soon as we can.",
	Required: "Fill in this field.", WrongEmail: "Enter a valid e-mail address.", TooLong: "This text is too long.",
	Busy: "There were too many requests in a short time. Please try again a little later.", Wrong: "Please correct the marked fields.",
	Languages: "Languages", Empty: "There are no articles here yet.", Leave: "Leave this field empty", Pages: "Pages", Previous: "Previous page", Next: "Next page",
	Unavailable: "The page cannot be shown right now. Please try again a little later.",
	Again:       "Your message was not sent yet. Please press Send once more.",
}

// wordsIn returns the site's own texts: Turkish, or English for every other language.
func wordsIn(language string) *siteWords {
	if language == "tr" {
		return &turkish
	}
	return &english
}

// languageNames are the languages' names in the languages themselves.
var languageNames = map[string]string{
	"tr": "Türkçe", "en": "English", "de": "Deutsch", "fr": "Français", "es": "Español",
	"it": "Italiano", "nl": "Nederlands", "ar": "العربية", "ru": "Русский", "az": "Azərbaycanca",
}
