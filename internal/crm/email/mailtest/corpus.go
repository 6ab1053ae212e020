// Package mailtest holds mails that are hard to read: the kinds that senders, relays,
// scanners and forty years of mail programs really produce, and some that only an attacker
// would send. They are built in code so that they can be read.
package mailtest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Sample is a hard mail.
type Sample struct {
	Name string
	Raw  []byte
	// Unreadable mails belong in the store of failed mail; all others must become a
	// message.
	Unreadable bool
}

// builder collects samples.
type builder struct{ list []Sample }

func (b *builder) add(name, raw string) {
	b.list = append(b.list, Sample{Name: name, Raw: []byte(raw)})
}

func (b *builder) bad(name, raw string) {
	b.list = append(b.list, Sample{Name: name, Raw: []byte(raw), Unreadable: true})
}

const crlf = "\r\n"

// Head returns a well-formed header up to the fields of the body.
func Head(id string, more ...string) string {
	return strings.Join(append([]string{
		"From: Elif Kaya <elif@kayamobilya.example>", "To: destek@firma.example", "Subject: Teslimat " + id,
		"Date: Sun, 15 Nov 2026 12:30:00 +0300", "Message-ID: <" + id + "@kayamobilya.example>", "MIME-Version: 1.0",
	}, more...), crlf) + crlf
}

// Hard returns all samples.
func Hard() []Sample {
	b := &builder{}
	b.shapes()
	b.headers()
	b.charsets()
	b.structures()
	b.encodings()
	b.programs()
	b.reports()
	b.offices()
	b.attacks()
	b.unreadable()
	return b.list
}

func (b *builder) shapes() {
	plain := "Content-Type: text/plain; charset=utf-8" + crlf
	b.add("plain", Head("plain", "")+"Siparişim ne zaman gelir?"+crlf)
	b.add("empty-body", Head("empty", plain)+"")
	b.add("no-blank-line", strings.TrimSuffix(Head("noblank"), crlf))
	b.add("only-newlines", Head("newlines", "")+strings.Repeat(crlf, 500))
	b.add("bare-lf", strings.ReplaceAll(Head("lf", "")+"satır\r\nsatır", crlf, "\n"))
	b.add("bare-cr", strings.ReplaceAll(Head("cr", "")+"satır\r\nsatır", crlf, "\r\n\r")+"x")
	b.add("mbox-line", "From elif@kayamobilya.example Sun Nov 15 12:30:00 2026\n"+Head("mbox", "")+"merhaba")
	b.add("mbox-line-quoted", ">From elif@kayamobilya.example Sun Nov 15 12:30:00 2026\n"+Head("mbox2", "")+"merhaba")
	b.add("leading-newlines", "\r\n\r\n"+Head("leading", "")+"merhaba")
	b.add("nul-in-body", Head("nul", "")+"mer\x00haba\x00")
	b.add("nul-in-header", Head("nulh", "X-Note: a\x00b")+crlf+"merhaba")
	b.add("long-line", Head("longline", "")+strings.Repeat("uzun ", 40_000))
	b.add("control-characters", Head("ctrl", "")+"\x01\x02\x07\x1b[31mkırmızı\x1b[0m")
	b.add("lone-dots", Head("dots", "")+".\r\n..\r\n...\r\n")
	b.add("unicode-extremes", Head("unicode", plain)+"\u202eters\u202c \u200b\u200d👩‍👩‍👧 𝕳𝖎 \uFFFE\uFFFF ﷽")
	b.add("utf8-bom", Head("bom", plain)+"\uFEFFmerhaba")
	b.add("signature", Head("sig", "")+"Merhaba\r\n-- \r\nElif Kaya\r\n+90 532 123 45 67")
	b.add("only-signature", Head("onlysig", "")+"-- \r\nElif Kaya")
	b.add("only-quote", Head("onlyquote", "")+"> bir\r\n> iki\r\n")
}

func (b *builder) headers() {
	b.add("huge-header", Head("huge", "X-Big: "+strings.Repeat("x", 250_000))+crlf+"merhaba")
	b.add("many-headers", Head("many", strings.TrimSuffix(strings.Repeat("X-Trace: 1\r\n", 5_000), crlf))+crlf+"merhaba")
	b.add("folded-forever", Head("folded", "X-Fold: a"+strings.Repeat("\r\n b", 5_000))+crlf+"merhaba")
	b.add("many-received", strings.Repeat("Received: from a by b; Sun, 15 Nov 2026 12:30:00 +0300\r\n", 500)+Head("received", "")+"merhaba")
	b.add("many-recipients", "To: "+strings.TrimSuffix(strings.Repeat("a@b.example, ", 2_000), ", ")+crlf+Head("recipients", "")+"merhaba")
	b.add("header-without-colon", Head("nocolon", "this is no header")+crlf+"merhaba")
	b.add("header-with-space-before-colon", Head("spacecolon", "X-Odd : 1")+crlf+"merhaba")
	b.add("colon-first", Head("colonfirst", ": nothing")+crlf+"merhaba")
	b.add("eight-bit-subject-1254", "Subject: \xddade talebi \xfe\xf0\xfd"+crlf+Head("eight", "")+"merhaba")
	b.add("eight-bit-from", "From: \xdeule \xd6z <sule@oz.example>"+crlf+"Subject: x"+crlf+crlf+"merhaba")
	b.add("utf8-header", "From: Şule Öz <sule@oz.example>"+crlf+"Subject: İade"+crlf+crlf+"merhaba")
	b.add("broken-encoded-word", "Subject: =?utf-8?Q?=C5=9Ei?= =?utf-8?B?broken"+crlf+Head("word", "")+"x")
	b.add("encoded-word-unknown-charset", "Subject: =?x-klingon?Q?qapla?="+crlf+Head("klingon", "")+"x")
	b.add("encoded-word-split-character", "Subject: =?utf-8?B?xZ/F?= =?utf-8?B?n2k=?="+crlf+Head("split", "")+"x")
	b.add("encoded-word-in-address", "From: =?utf-8?Q?=C5=9Eule?= <sule@oz.example>"+crlf+crlf+"x")
	b.add("encoded-address", "From: =?utf-8?Q?sule=40oz.example?="+crlf+"Sender: sule@oz.example"+crlf+crlf+"x")
	b.add("no-subject", "From: a@b.example"+crlf+crlf+"x")
	b.add("no-date", "From: a@b.example"+crlf+"Subject: x"+crlf+crlf+"x")
	b.add("no-message-id", "From: a@b.example"+crlf+"Subject: kimliksiz"+crlf+crlf+"x")
	b.add("no-to", "From: a@b.example"+crlf+"Message-ID: <noto@b.example>"+crlf+crlf+"x")
	for i, d := range []string{"yesterday", "32 Foo 2026", "Sun, 15 Nov 99999 12:30:00 +0300", "Mon, 01 Jan 0001 00:00:00 +0000", "15.11.2026", "-1", "Thu, 15 Nov 26 12:30 EST (Eastern)", ""} {
		b.add(fmt.Sprintf("date-%d", i), "From: a@b.example"+crlf+"Date: "+d+crlf+fmt.Sprintf("Subject: tarih %d", i)+crlf+crlf+"x")
	}
	for i, f := range []string{
		"a@b.example (Elif)", "\"Kaya, Elif\" <a@b.example>", "Kaya, Elif <a@b.example>", "<a@b.example", "a@b.example>", "Elif a@b.example",
		"Elif <a@b.example> <c@d.example>", "mailto:a@b.example", "\"\\\"<a@b.example>\" <a@b.example>", "Elif <A@B.EXAMPLE>", "undisclosed:a@b.example;", "'a@b.example'",
		"a@b.example, c@d.example", "=?utf-8?Q?Elif_=3Ca=40b.example=3E?= <real@b.example>",
	} {
		b.add(fmt.Sprintf("from-%d", i), "From: "+f+crlf+fmt.Sprintf("Subject: gönderen %d", i)+crlf+crlf+"x")
	}
	for i, id := range []string{"<>", "<a b@c>", "no-brackets@x", "<double@x> <double2@x>", "<" + strings.Repeat("x", 3000) + "@y>", "<a@b", "<a\x00b@c>", "<şule@öz>", "Message from Elif", "<a@b>\r\n <c@d>"} {
		b.add(fmt.Sprintf("message-id-%d", i), "From: a@b.example"+crlf+"Message-ID: "+id+crlf+fmt.Sprintf("Subject: kimlik %d", i)+crlf+crlf+"x")
	}
	for i, r := range []string{"Your message of Sunday <a@b>", "a@b", "<a@b><c@d>", strings.Repeat("<a@b> ", 5000), "<>", "<<a@b>>", "\"a\"@b"} {
		b.add(fmt.Sprintf("references-%d", i), "From: a@b.example"+crlf+"In-Reply-To: "+r+crlf+"References: "+r+crlf+fmt.Sprintf("Subject: yanıt %d", i)+crlf+crlf+"x")
	}
	b.add("duplicate-fields", "From: first@b.example"+crlf+"From: second@b.example"+crlf+"Subject: bir"+crlf+"Subject: iki"+crlf+"Message-ID: <1@x>"+crlf+"Message-ID: <2@x>"+crlf+crlf+"x")
}

func (b *builder) charsets() {
	for i, c := range []string{"windows-1254", "iso-8859-9", "iso-8859-1", "utf-8", "us-ascii", "ascii", "ansi_x3.4-1968", "x-unknown", "utf-7", "utf-16", "gb2312", "shift_jis", "koi8-r", "unicode-1-1-utf-7", "\"utf-8", "utf8mb4", "8859-9", "", "cp1254", "latin5", "iso-2022-jp", "default_charset", "_iso-8859-9$esc"} {
		b.add(fmt.Sprintf("charset-%d-text", i), Head(fmt.Sprintf("charset%d", i), "Content-Type: text/plain; charset="+c, "Content-Transfer-Encoding: 8bit")+crlf+"\xddyi g\xfcnler, sipari\xfe\xfdm gelmedi. \xc5\x9f")
		b.add(fmt.Sprintf("charset-%d-html", i), Head(fmt.Sprintf("charseth%d", i), "Content-Type: text/html; charset="+c)+crlf+"<p>\xddyi g\xfcnler</p>")
	}
	b.add("no-spaces", "Subject: "+strings.Repeat("中文邮件", 40)+crlf+Head("nospaces", "Content-Type: text/plain; charset=utf-8")+crlf+strings.Repeat("中文邮件", 4000))
	b.add("charset-in-meta", Head("meta", "Content-Type: text/html")+crlf+"<html><head><meta charset=\"windows-1254\"></head><body>\xddade</body></html>")
	b.add("charset-lies", Head("lies", "Content-Type: text/plain; charset=iso-2022-jp")+crlf+"Türkçe utf-8 metin şğı")
}

func multipart(kind, boundary string, parts ...string) string {
	return "Content-Type: multipart/" + kind + "; boundary=\"" + boundary + "\"" + crlf + crlf +
		"--" + boundary + crlf + strings.Join(parts, crlf+"--"+boundary+crlf) + crlf + "--" + boundary + "--" + crlf
}

func part(kind, content string, more ...string) string {
	return strings.Join(append([]string{"Content-Type: " + kind}, more...), crlf) + crlf + crlf + content
}

func nested(depth int) string {
	in := part("text/plain; charset=utf-8", "en içteki metin")
	for i := range depth {
		in = strings.TrimSuffix(multipart("mixed", fmt.Sprintf("b%d", i), in), crlf)
	}
	return in
}

func (b *builder) structures() {
	text, page := part("text/plain; charset=utf-8", "Merhaba düz"), part("text/html; charset=utf-8", "<p>Merhaba <b>zengin</b></p>")
	png := part("image/png; name=\"logo.png\"", "iVBORw0KGgo=", "Content-Transfer-Encoding: base64", "Content-ID: <logo@x>", "Content-Disposition: inline; filename=\"logo.png\"")
	b.add("alternative", Head("alt", multipart("alternative", "b", text, page)))
	b.add("related", Head("rel", multipart("related", "r", part("text/html", "<img src=\"cid:logo@x\"><img src=\"http://tracker.example/p.gif\">"), png)))
	b.add("mixed-alternative-related", Head("mar", multipart("mixed", "m", strings.TrimSuffix(multipart("alternative", "a", text, strings.TrimSuffix(multipart("related", "r", page, png), crlf)), crlf), part("application/pdf; name=fatura.pdf", "JVBERi0=", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=fatura.pdf"))))
	b.add("nested-5", Head("nested5", nested(5)))
	b.add("nested-12", Head("nested12", nested(12)))
	b.add("missing-final-boundary", strings.TrimSuffix(Head("nofinal", multipart("mixed", "b", text, page)), "--b--"+crlf+crlf))
	b.add("missing-boundary-parameter", Head("noparam", "Content-Type: multipart/mixed")+crlf+"--b\r\nContent-Type: text/plain\r\n\r\nmerhaba\r\n--b--")
	b.add("boundary-not-found", Head("wrongboundary", "Content-Type: multipart/mixed; boundary=abc")+crlf+"hiç sınır yok")
	b.add("boundary-empty", Head("emptyboundary", "Content-Type: multipart/mixed; boundary=\"\"")+crlf+"--\r\n\r\nmerhaba\r\n----")
	b.add("boundary-with-spaces", Head("spaced", multipart("mixed", "a b  c", text, page)))
	b.add("boundary-too-long", Head("longboundary", multipart("mixed", strings.Repeat("x", 500), text)))
	b.add("boundary-same-nested", Head("same", multipart("mixed", "b", strings.TrimSuffix(multipart("alternative", "b", text, page), crlf))))
	b.add("boundary-prefix-of-another", Head("prefix", multipart("mixed", "b", strings.TrimSuffix(multipart("alternative", "bb", text, page), crlf), text)))
	b.add("preamble-and-epilogue", Head("preamble", strings.Replace(multipart("mixed", "b", text), crlf+crlf+"--b", crlf+crlf+"This is MIME."+crlf+"--b", 1))+"epilogue text")
	b.add("empty-multipart", Head("emptymulti", "Content-Type: multipart/mixed; boundary=b")+crlf+"--b\r\n--b--\r\n")
	b.add("part-without-header", Head("nohead", "Content-Type: multipart/mixed; boundary=b")+crlf+"--b\r\n\r\nbaşlıksız parça\r\n--b--\r\n")
	b.add("part-with-broken-header", Head("brokenhead", multipart("mixed", "b", "Content-Type text/plain\r\n\r\nx", text)))
	b.add("hundred-parts", Head("hundred", multipart("mixed", "b", repeatParts(100)...)))
	b.add("attached-mail", Head("rfc822", multipart("mixed", "b", text, part("message/rfc822", Head("inner", "")+"iç posta"))))
	b.add("mail-in-mail-in-mail", Head("rfc822x3", multipart("mixed", "b", part("message/rfc822", Head("in1", multipart("mixed", "c", part("message/rfc822", Head("in2", "")+"en iç")))))))
	b.add("digest", Head("digest", multipart("digest", "b", "\r\n"+Head("d1", "")+"bir", "\r\n"+Head("d2", "")+"iki")))
	b.add("calendar", Head("ics", multipart("alternative", "b", text, part("text/calendar; method=REQUEST", "BEGIN:VCALENDAR\r\nEND:VCALENDAR"))))
	b.add("partial", Head("partial", "Content-Type: message/partial; id=1; number=1; total=2")+crlf+"yarım")
	b.add("external-body", Head("external", "Content-Type: message/external-body; access-type=URL")+crlf+"x")
	b.add("content-type-garbage", Head("ctgarbage", "Content-Type: ;;;===///")+crlf+"metin")
	b.add("content-type-twice", Head("cttwice", "Content-Type: text/plain", "Content-Type: text/html")+crlf+"metin")
	b.add("content-type-no-slash", Head("ctnoslash", "Content-Type: text")+crlf+"metin")
	b.add("two-html-parts", Head("twohtml", multipart("mixed", "b", page, page)))
}

func repeatParts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = part("text/plain", fmt.Sprintf("parça %d", i))
	}
	return out
}

func (b *builder) encodings() {
	for i, e := range []string{"base64", "quoted-printable", "7bit", "8bit", "binary", "x-uuencode", "uuencode", "bogus", "BASE64 ", "quoted_printable", ""} {
		b.add(fmt.Sprintf("encoding-%d", i), Head(fmt.Sprintf("enc%d", i), "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: "+e)+crlf+"TWVyaGFiYQ==")
	}
	b.add("base64-broken", Head("b64", "Content-Type: text/plain", "Content-Transfer-Encoding: base64")+crlf+"TWVy!!aGFi*YQ")
	b.add("base64-one-line", Head("b64line", "Content-Type: text/plain", "Content-Transfer-Encoding: base64")+crlf+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("merhaba ", 20_000))))
	b.add("base64-with-text-below", Head("b64foot", "Content-Type: text/plain", "Content-Transfer-Encoding: base64")+crlf+"TWVyaGFiYQ==\r\n\r\n-- \r\nliste altbilgisi: ücretsiz")
	b.add("qp-broken", Head("qp", "Content-Type: text/plain", "Content-Transfer-Encoding: quoted-printable")+crlf+"Merhaba =XX =C5=9 = \r\n=\r\n=")
	b.add("qp-soft-break-at-end", Head("qpend", "Content-Type: text/plain", "Content-Transfer-Encoding: quoted-printable")+crlf+"Merhaba=")
	b.add("attachment-broken-base64", Head("attb64", multipart("mixed", "b", part("text/plain", "ekte"), part("application/pdf", "%%%%", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=x.pdf"))))
	for i, n := range []string{"../../etc/passwd", `C:\Users\x\fatura.pdf`, strings.Repeat("a", 2000) + ".pdf", "\u202efdp.exe", "a\x00b.pdf", "", "=?utf-8?Q?=C5=9Feker.pdf?=", "fatura;.pdf", "con", "..", "a/b/c.txt", "şğı.pdf", "\u2066\u202dfdp\u2069\u200e.exe"} {
		b.add(fmt.Sprintf("file-name-%d", i), Head(fmt.Sprintf("fname%d", i), multipart("mixed", "b", part("text/plain", "ekte"), part("application/octet-stream", "data", "Content-Disposition: attachment; filename=\""+n+"\""))))
	}
	b.add("file-name-rfc2231", Head("rfc2231", multipart("mixed", "b", part("application/pdf", "x", "Content-Disposition: attachment; filename*0*=utf-8''%C5%9F; filename*1*=eker.pdf"))))
	b.add("file-name-rfc2231-broken", Head("rfc2231b", multipart("mixed", "b", part("application/pdf", "x", "Content-Disposition: attachment; filename*0*=utf-8''%C5%; filename*9*=x"))))
	b.add("zero-byte-file", Head("zero", multipart("mixed", "b", part("text/plain", "ekte"), part("application/pdf", "", "Content-Disposition: attachment; filename=bos.pdf"))))
}

func (b *builder) programs() {
	b.add("winmail", Head("winmail", multipart("mixed", "b", part("text/plain", "Ekte"), part("application/ms-tnef; name=winmail.dat", "eJ8+Ig==", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=winmail.dat"))))
	b.add("winmail-only", Head("tnef", "Content-Type: application/ms-tnef; name=winmail.dat", "Content-Transfer-Encoding: base64")+crlf+"eJ8+Ig==")
	b.add("smime-signed", Head("smime", multipart("signed; protocol=\"application/pkcs7-signature\"; micalg=sha-256", "b", part("text/plain", "imzalı"), part("application/pkcs7-signature; name=smime.p7s", "MIIB", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=smime.p7s"))))
	b.add("smime-encrypted", Head("p7m", "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=smime.p7m")+crlf+"MIIB")
	b.add("pgp-encrypted", Head("pgp", multipart("encrypted; protocol=\"application/pgp-encrypted\"", "b", part("application/pgp-encrypted", "Version: 1"), part("application/octet-stream; name=encrypted.asc", "-----BEGIN PGP MESSAGE-----\r\n-----END PGP MESSAGE-----"))))
	b.add("pgp-inline", Head("pgpi", "")+"-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nmerhaba\r\n-----BEGIN PGP SIGNATURE-----\r\nx\r\n-----END PGP SIGNATURE-----")
	b.add("uuencode-inline", Head("uu", "")+"begin 644 x.txt\r\n#0V%T\r\n`\r\nend\r\n")
	b.add("apple-double", Head("apple", multipart("mixed", "b", strings.TrimSuffix(multipart("appledouble", "c", part("application/applefile", "AAU=", "Content-Transfer-Encoding: base64"), part("image/jpeg; name=a.jpg", "/9j/", "Content-Transfer-Encoding: base64")), crlf))))
	b.add("amp", Head("amp", multipart("alternative", "b", part("text/plain", "düz"), part("text/x-amp-html", "<!doctype html><html ⚡4email></html>"), part("text/html", "<p>zengin</p>"))))
	b.add("outlook-html", Head("outlook", "Content-Type: text/html; charset=utf-8")+crlf+`<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if gte mso 9]><xml><o:OfficeDocumentSettings/></xml><![endif]--><style>p{margin:0}</style></head><body lang="TR"><div class="WordSection1"><p class="MsoNormal">Merhaba,<o:p></o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p></div></body></html>`)
	b.add("gmail-reply", Head("gmail", multipart("alternative", "b", part("text/plain; charset=utf-8", "Teşekkürler\r\n\r\nDestek <destek@firma.example>, 15 Kas 2026 Paz, 12:30 tarihinde\r\nşunu yazdı:\r\n\r\n> Merhaba\r\n"), part("text/html; charset=utf-8", "<div>Teşekkürler</div><div class=\"gmail_quote\">x<blockquote>Merhaba</blockquote></div>"))))
	b.add("vacation", Head("vacation", "Auto-Submitted: auto-replied", "Precedence: bulk", "")+"Ofis dışındayım")
	b.add("mailing-list", Head("list", "List-Id: <x.example>", "List-Unsubscribe: <mailto:x@y>", "")+"bülten")
	b.add("read-receipt", Head("mdn", multipart("report; report-type=disposition-notification", "b", part("text/plain", "okundu"), part("message/disposition-notification", "Final-Recipient: rfc822; a@b.example"))))
	b.add("format-flowed", Head("flowed", "Content-Type: text/plain; format=flowed; delsp=yes")+crlf+"uzun bir \r\nsatır \r\nböyle")
	b.add("text-enriched", Head("enriched", "Content-Type: text/enriched")+crlf+"<bold>kalın</bold>")
	b.add("image-only", Head("image", "Content-Type: image/png", "Content-Transfer-Encoding: base64")+crlf+"iVBORw0KGgo=")
	b.add("pdf-only", Head("pdf", "Content-Type: application/pdf; name=fatura.pdf", "Content-Transfer-Encoding: base64")+crlf+"JVBERi0=")
}

func (b *builder) attacks() {
	page := func(name, body string) {
		b.add("html-"+name, Head("h"+name, "Content-Type: text/html; charset=utf-8")+crlf+body)
	}
	page("script", `<script>alert(1)</script><p onclick="alert(1)">metin</p>`)
	page("svg", `<svg onload=alert(1)><script>1</script></svg>metin`)
	page("javascript-link", `<a href="javascript:alert(1)">a</a><a href=" jav&#x09;ascript:alert(1)">b</a><a href="data:text/html,x">c</a>`)
	page("style", `<style>@import url(http://evil.example)</style><div style="background:url(http://evil.example/x);color:red">metin</div>`)
	page("form", `<form action="http://evil.example"><input name=a><button>gönder</button></form>`)
	page("iframe", `<iframe src="http://evil.example"></iframe><object data=x></object><embed src=x>metin`)
	page("meta-refresh", `<meta http-equiv=refresh content="0;url=http://evil.example">metin`)
	page("base", `<base href="http://evil.example/"><a href="x">metin</a>`)
	page("unclosed", `<div><p><b>metin<table><tr><td>`)
	page("deep", strings.Repeat("<div>", 50_000)+"metin")
	page("attributes", `<p `+strings.Repeat(`a="b" `, 20_000)+`>metin</p>`)
	page("comment", `<!-- <script> -->metin<!-->`)
	page("entities", `&lt;script&gt; &#0; &#x110000; &amp;amp; &nbsp;`)
	page("nul", "<scr\x00ipt>alert(1)</scr\x00ipt>metin")
	page("mutation", `<noscript><p title="</noscript><img src=x onerror=alert(1)>">metin`)
	b.add("header-injection", Head("inject", "Subject: x\r\n Bcc: victim@x.example")+crlf+"x")
	b.add("smuggling", Head("smuggle", "")+"metin\r\n.\r\nMAIL FROM:<a@b>\r\n")
	b.add("zip-bomb-name", Head("zip", multipart("mixed", "b", part("text/plain", "ekte"), part("application/zip", "UEsDBA==", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=42.zip"))))
	b.add("quote-bomb", Head("quotes", "")+strings.Repeat(strings.Repeat(">", 500)+" x\r\n", 500))
	b.add("wrote-bomb", Head("wrote", "")+strings.Repeat("On 15 Nov 2026 12:30 a@b.example ", 5_000)+" wrote:")
	b.add("wrote-many", Head("wrotemany", "")+strings.Repeat("On 15 Nov 2026, a@b.example wrote:\r\n> x\r\ny\r\n", 5_000))
	b.add("encoded-word-bomb", "Subject: "+strings.Repeat("=?utf-8?Q?a?= ", 5_000)+crlf+Head("wordbomb", "")+"x")
}

func (b *builder) unreadable() {
	b.bad("nothing", "")
	b.bad("spaces", " \r\n \r\n")
	b.bad("only-mbox-line", "From a@b Sun Nov 15 12:30:00 2026")
	b.bad("no-from", "To: destek@firma.example"+crlf+"Subject: kimden?"+crlf+crlf+"imzasız")
	b.bad("from-empty", "From:"+crlf+"Subject: boş"+crlf+crlf+"x")
	b.bad("from-no-address", "From: Elif Kaya"+crlf+"Subject: adressiz"+crlf+crlf+"x")
	b.bad("binary", string([]byte{0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1}))
	b.bad("nested-60", Head("nested60", nested(60)))
	b.bad("nested-2000", Head("nested2000", nested(2000)))
}
