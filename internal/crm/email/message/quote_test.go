package message_test

import (
	"strings"
	"testing"

	"konak/internal/crm/email/message"
)

func TestFreshTextWithoutQuotes(t *testing.T) {
	t.Parallel()
	quoted := "\n> Merhaba,\n> siparişiniz yolda.\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing quoted", "Merhaba\n\nElif", "Merhaba\n\nElif"},
		{"gmail tr", "Tamam\n\nDestek <destek@firma.example>, 15 Kas 2026 Paz, 12:30 tarihinde şunu yazdı:\n" + quoted, "Tamam"},
		{"gmail tr wrapped", "Tamam\n\nDestek <destek@firma.example>, 15 Kas 2026 Paz, 12:30 tarihinde\nşunu yazdı:\n" + quoted, "Tamam"},
		{"gmail tr plural", "Tamam\n15 Kasım 2026 Pazar tarihinde Destek <d@f.example> şunları yazdı:\n" + quoted, "Tamam"},
		{"apple tr", "Tamam\n\nDestek <d@f.example> şunları yazdı (15 Kas 2026 12:30):\n" + quoted, "Tamam"},
		{"yahoo tr", "Tamam\n15 Kasım 2026 Pazar 12:30:00 GMT+3 tarihinde Destek <d@f.example> şunu yazdı:\n\nMerhaba,\nyolda.", "Tamam"},
		{"thunderbird tr", "Tamam\n\n15.11.2026 12:30 tarihinde Destek yazdı:" + quoted, "Tamam"},
		{"gmail en", "Fine\n\nOn Sun, Nov 15, 2026 at 12:30 PM Support <s@f.example> wrote:\n" + quoted, "Fine"},
		{"gmail en wrapped", "Fine\n\nOn Sun, Nov 15, 2026 at 12:30 PM Support of the Company\n<support@firma.example>\nwrote:\n" + quoted, "Fine"},
		{"thunderbird en", "Fine\n\nOn 15/11/2026 12:30, Support wrote:" + quoted, "Fine"},
		{"apple en", "Fine\n\n> On 15 Nov 2026, at 12:30, Support <s@f.example> wrote:\n> \n> Hello\n", "Fine"},
		{"outlook en", "Fine\n\nFrom: Support <s@f.example>\nSent: Sunday, 15 November 2026 12:30\nTo: Elif\nSubject: RE: Order\n\nHello", "Fine"},
		{"outlook tr", "Tamam\n\nKimden: Destek <d@f.example>\nGönderildi: 15 Kasım 2026 Pazar 12:30\nKime: Elif Kaya\nKonu: YNT: Sipariş\n\nMerhaba", "Tamam"},
		{"outlook tr bold", "Tamam\n\n*Kimden:* Destek <d@f.example>\n*Gönderilen:* 15 Kasım 2026\n*Kime:* Elif\n*Bilgi:* Ali\n*Konu:* YNT: Sipariş\n\nMerhaba", "Tamam"},
		{"outlook rule", "Tamam\n\n________________________________\nKimden: Destek\nTarih: 15 Kasım 2026\nKime: Elif\nKonu: Sipariş\n\nMerhaba", "Tamam"},
		{"original message", "Fine\n\n-----Original Message-----\nFrom: x\n\nHello", "Fine"},
		{"özgün ileti", "Tamam\n\n-----Özgün İleti-----\nMerhaba", "Tamam"},
		{"orijinal mesaj", "Tamam\n\n----- Orijinal Mesaj -----\nMerhaba", "Tamam"},
		{"bare quote", "Tamam\n" + quoted, "Tamam"},
		{"answer below", "On 15/11/2026 12:30, Support wrote:\n> Hello\n> there\n\nBelow it", "Below it"},
		{
			"answers between", "On 15/11/2026 12:30, Support wrote:\n> Size?\nM\n> Colour?\nBlue",
			"On 15/11/2026 12:30, Support wrote:\n> Size?\nM\n> Colour?\nBlue",
		},
		{"only a quote", "> Merhaba", "> Merhaba"},
		{"only an answered mail", "Kimden: a\nTarih: b\nKime: c\nKonu: d\n\nMerhaba", "Kimden: a\nTarih: b\nKime: c\nKonu: d\n\nMerhaba"},
		{
			"a forwarded mail stays", "Buna bakar mısınız?\n\n---------- Forwarded message ---------\nFrom: x@y.example\nSubject: z\n\nFatura",
			"Buna bakar mısınız?\n\n---------- Forwarded message ---------\nFrom: x@y.example\nSubject: z\n\nFatura",
		},
		{"signature", "Merhaba\n-- \nElif Kaya\n0532", "Merhaba"},
		{"signature above a quote", "Merhaba\n-- \nElif\n\nOn 15/11/2026 12:30, S wrote:" + quoted, "Merhaba"},
		{"a name stays", "Merhaba\n\nSaygılarımla,\nElif", "Merhaba\n\nSaygılarımla,\nElif"},
		{"phone en", "Fine\n\nSent from my iPhone", "Fine"},
		{"phone tr", "Tamam\n\niPhone'umdan gönderildi", "Tamam"},
		{"phone above a quote", "Tamam\n\niPhone'umdan gönderildi\n\n15 Kas 2026 12:30 tarihinde D <d@f.example> şunu yazdı:" + quoted, "Tamam"},
		{"wrote in a sentence", "Bana Ayşe şunu yazdı: sipariş yolda. Doğru mu?", "Bana Ayşe şunu yazdı: sipariş yolda. Doğru mu?"},
		{"from in a sentence", "From: Ankara\nTo: İzmir\nkargo ne kadar?", "From: Ankara\nTo: İzmir\nkargo ne kadar?"},
		{"a dash list", "Eksikler:\n--\nyok", "Eksikler:"},
		{"crlf", "Tamam\r\n\r\nOn 15/11/2026 12:30, S wrote:\r\n> x\r\n", "Tamam"},
	} {
		if got := message.Fresh(c.text); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestHTMLText(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p>Bir</p><p>İki<br>üç</p>":                                     "Bir\n\nİki\nüç",
		"<div>a <b>b</b>c</div><div>d</div>":                             "a bc\nd",
		"<style>x</style><script>y</script>z":                            "z",
		"<ul><li>bir<li>iki</ul>":                                        "- bir\n- iki",
		"yeni<blockquote>eski<blockquote>daha</blockquote></blockquote>": "yeni\n> eski\n>> daha",
		"<table><tr><td>a<td>b</tr><tr><td>c</td></tr></table>":          "a b\nc",
		"&lt;b&gt; &amp; &nbsp;x":                                        "<b> & x",
		"<pre>a\n  b</pre>":                                              "a\n  b",
	} {
		if got := strings.ReplaceAll(message.HTMLText(page), "\u00a0", ""); got != want {
			t.Errorf("%s:\n got %q\nwant %q", page, got, want)
		}
	}
}
