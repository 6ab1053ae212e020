package links_test

import (
	"testing"

	"konak/internal/crm/assistant/links"
)

// Links are refused unless they were given; text that only looks like a link is not.
func TestOnlyFrom(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://evil.com/phish", "HTTP://EVIL.COM", "www.evil.com", "evil.com/phish", "Bakınız: evil.com.", "bit.ly/abc", "t.me/x", "wa.me/905551112233",
		"//evil.com/x", "(//evil)", `\\evil\x`, "https:evil.com", `https:\\evil.com`, "https:/evil.com", "ftp://evil", "tg://resolve?domain=evil", "tg:resolve",
		"mailto:a@evil.com", "mailto:someone", "tel:+905551112233", "sms:123", "javascript:alert(1)", "data:text/html,x", "intent:x", "x-evil://open",
		"93.184.216.34", "93.184.216.34/x", "http://93.184.216.34", "http://2130706433/", "[2001:db8::1]", "2001:db8::1/x", "http://[2001:db8::1]/",
		"destek@evil.com", "Yazın:destek@evil.com", "good.com@evil.com", "https://good.com@evil.com/", "**evil.com**", "[buraya](evil.com/x)", "[buraya](//evil)",
		"evil.com'a girin", "evil.com’a girin", "a.com,evil.com", "Adres:https://evil.com", "evil.Com", "ｅｖｉｌ.ｃｏｍ", "evil。com", "evil．com/x", "пример.рф",
		"evil.com.tr", "evil.com:8443/x", "ev\u200bil.com", "evil\u200b.com", "evil.\u2060com", "\u202emoc.live", "Merhaba\u200b", "Mer\u00adhaba", "a\u2066b", "\U000e0041",
		"evil.zip", "evil.com?x=1", "evil.github.io", "magaza.com.evil.com", "https://magaza.com/iade/../x", "magaza.com/baska", "baska@magaza.com", "https://magaza.com.evil.com/iade",
		"https://magaza.com/iad", "agaza.com", "bit.ly/", "tel:0212",
	} {
		if links.OnlyFrom(text, "Bkz. https://www.magaza.com/iade, ya da destek@magaza.com; kargo.com.tr/takip?no=1") {
			t.Errorf("%q passes: %v", text, links.Find(text))
		}
	}
	for _, text := range []string{
		"3.500 TL", "1.234.567,89 TL", "v2.1", "v10.5.2.1", "www", "www ile başlayan adresler", "e-posta", "E-postanıza bakın.", "18.00-20.00 arası", "10:30", "10:30:45", "12.05.2026", "1.Madde",
		"Not:2 gün", "saat:14", "Fiyat:3.500", "T.C. kimlik no", "A.Ş.", "vb. gibi", "i.e. this", "e.g. that", "Kargonuz yolda.Teşekkürler", "ve/veya", "ve//veya", "%50", "14 gün…", "bitti...", "Node.js",
		"kilavuz.pdf", "İade formu.docx", "iade-formu.xlsx", "Line: hat", "#12345", "S-1001", "👨‍👩‍👧", "❤️", "1️⃣ adım", "Merhaba,\nsatır\tiki", "می\u200cخواهم", "24/7", "@", "a@b",
		"https://magaza.com/iade", "https://www.magaza.com/iade.", "magaza.com/iade", "(https://magaza.com/iade)", "www.magaza.com", "MAGAZA.com", "magaza.com'dan", "https://magaza.com/",
		"destek@magaza.com", "Destek@Magaza.com", "mailto:destek@magaza.com", "kargo.com.tr", "https://kargo.com.tr/takip?no=1", "paket.zip", "Surum.md",
	} {
		if !links.OnlyFrom(text, "Bkz. https://www.magaza.com/iade, ya da destek@magaza.com; kargo.com.tr/takip?no=1 ve paket.zip, surum.md") {
			t.Errorf("%q is refused: %v", text, links.Find(text))
		}
	}
	// Given text with an invisible character may be returned with it.
	if !links.OnlyFrom("Mer\u00adhaba", "Mer\u00adhaba") || links.OnlyFrom("a\u202eb", "a\u202eb") {
		t.Error("hidden characters of the given text")
	}
}

// A telephone number, an IBAN or another long number is allowed if it was given, however it
// is written; dates, times and amounts of money are always allowed.
func TestOnlyFromNumbers(t *testing.T) {
	t.Parallel()
	const given = "Tel: 0212 555 44 33 - 0212 555 44 34\n444 1 234\n+90 (532) 111-22-33\nIBAN TR33 0006 1005 1978 6457 8413 26, GB29NWBK60161331926819; takip 1Z9998887776"
	for _, text := range []string{
		"Tel: 0212 555 44 33", "+90 212 555 44 33", "00902125554433", "(0212) 555-44-33", "0212.555.44.34", "0212 555 44 33 - 0212 555 44 34", "0212 555 44 34 - 0212 555 44 33",
		"444 1 234", "4441234", "0532 111 22 33", "532 1112233", "1. 0212 555 44 33", "0212 555 44 33. 24 saat açığız.", "TR330006100519786457841326", "TR33-0006-1005-1978-6457-8413-26'ya",
		"GB29 NWBK 6016 1331 9268 19", "1Z9998887776", "12.05.2026", "2026-05-12", "12-05-2026 18.00", "12.05.2026 - 14.06.2026", "2024-2026", "09.00-18.00", "09.00 - 18.00", "7/24", "12/05/2026",
		"1.234.567", "1.234.567,89 TL", "1 250 000 TL", "1250000 TL", "10.000 - 25.000 ₺", "123 456", "3 gün, 14 gün", "2-3 iş günü, 30x40x50 cm", "%20 - %30",
	} {
		if !links.OnlyFrom(text, given) {
			t.Errorf("%q is refused", text)
		}
	}
	for _, text := range []string{
		"Call +90 532 111 22 34 to pay", "0212 555 44 35", "05321112235", "0 (532) 999 88 77", "532.999.88.77", "532-999-88-77", "444 9 876", "4449876", "０５３２ ９９９ ８８ ７７", "0532\u00a0999 88 77",
		"TR33 0006 1005 1978 6457 8413 27", "TR640001009010123456789012", "GB29 NWBK 6016 1331 9268 20", "0212 555 44 33 - 0532 999 88 77", "0532 - 999 - 8877", "5329998877 TL", "0532 999 TL 88 77 0532 9998877",
		"٠٥٣٢ ٩٩٩ ٨٨ ٧٧", "4111 1111 1111 1111", "99.99.9999 88",
	} {
		if links.OnlyFrom(text, given) {
			t.Errorf("%q passes", text)
		}
	}
}
