package mailtest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// reports adds the reports that mail servers send back, in their various formats.
func (b *builder) reports() {
	report := func(name, action, status, code, more string) {
		b.add("report-"+name, "From: Mail Delivery System <MAILER-DAEMON@"+name+".example>"+crlf+"To: destek@firma.example"+crlf+
			"Subject: Undelivered Mail Returned to Sender"+crlf+"Auto-Submitted: auto-replied"+crlf+
			multipart("report; report-type=delivery-status", "b", part("text/plain; charset=utf-8", "İletiniz ulaşmadı. "+name),
				part("message/delivery-status", "Reporting-MTA: dns; mx."+name+".example"+crlf+crlf+"Final-Recipient: rfc822; elif@kaya.example"+crlf+
					"Action: "+action+crlf+"Status: "+status+crlf+"Diagnostic-Code: smtp; "+code), more))
	}
	headers := part("text/rfc822-headers", "Message-ID: <ours@firma.example>"+crlf+"Subject: Re: Teslimat")
	report("postfix", "failed", "5.1.1", "550 5.1.1 <elif@kaya.example>: Recipient address rejected", headers)
	report("full", "failed", "5.2.2", "552 5.2.2 Mailbox is full / Kutu dolu", headers)
	report("greylisted", "delayed", "4.7.1", "451 4.7.1 Greylisted, try later", headers)
	report("relayed", "relayed", "2.0.0", "250 ok", headers)
	report("expanded", "expanded", "2.0.0", "250 ok", headers)
	report("spam", "failed", "5.7.1", "554 5.7.1 Spam\r\n message refused,\r\n see https://x.example/"+strings.Repeat("a", 900), headers)
	report("no-headers", "failed", "5.0.0", "500", part("text/plain", "nothing"))
	report("whole-mail", "failed", "5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound", part("message/rfc822", Head("returned", "")+"Merhaba"))
	b.add("report-empty", "From: MAILER-DAEMON@x.example"+crlf+"Content-Type: multipart/report; report-type=delivery-status; boundary=b"+crlf+crlf+"--b--"+crlf)
	b.add("report-no-sender", "Return-Path: <>"+crlf+"Subject: Delivery Status Notification (Failure)"+crlf+
		multipart("report; report-type=delivery-status", "b", part("message/delivery-status", "Reporting-MTA: dns; x"+crlf+crlf+"Action: failed"+crlf+"Status: 5.0.0")))
	b.add("report-many", "From: MAILER-DAEMON@x.example"+crlf+"Subject: failure notice"+crlf+multipart("report; report-type=delivery-status", "b",
		part("message/delivery-status", "Reporting-MTA: dns; x"+strings.Repeat(crlf+crlf+"Final-Recipient: rfc822; a@b.example"+crlf+"Action: failed"+crlf+"Status: 5.1.1", 300))))
	b.add("report-feedback-loop", Head("arf", multipart("report; report-type=feedback-report", "b", part("text/plain", "Bu ileti istenmeyen olarak bildirildi"),
		part("message/feedback-report", "Feedback-Type: abuse"+crlf+"User-Agent: x/1"+crlf+"Version: 1"), part("message/rfc822", Head("abused", "")+"x"))))
	b.add("report-tls", Head("tlsrpt", multipart("report; report-type=tlsrpt", "b", part("text/plain", "TLS"), part("application/tlsrpt+gzip; name=r.json.gz", "H4sIAAAAAAAA", "Content-Transfer-Encoding: base64"))))
	b.add("report-dmarc", Head("dmarc", "Content-Type: application/zip; name=\"x!firma.example!1!2.zip\"", "Content-Disposition: attachment; filename=\"x!firma.example!1!2.zip\"", "Content-Transfer-Encoding: base64")+crlf+"UEsDBBQAAAAIAA==")
	b.add("receipt-read", Head("mdnread", multipart("report; report-type=disposition-notification", "b", part("text/plain; charset=iso-8859-9", "Okundu: \xddade"),
		part("message/disposition-notification", "Final-Recipient: rfc822; a@b.example"+crlf+"Original-Message-ID: <ours@firma.example>"+crlf+"Disposition: manual-action/MDN-sent-manually; displayed"))))
	b.add("receipt-broken", Head("mdnbroken", "Content-Type: multipart/report; report-type=disposition-notification; boundary=b")+crlf+"--b"+crlf+"Content-Type: message/disposition-notification"+crlf+crlf)
}

// tnef is a stream with one attribute and a wrong checksum, as old gateways produce it.
var tnef = base64.StdEncoding.EncodeToString([]byte{
	0x78, 0x9f, 0x3e, 0x22, 0x01, 0x00, 0x01, 0x06, 0x90, 0x08, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0xff, 0xff,
})

// offices adds mails from office work: meetings, invoices, scans, phones, ticket systems,
// forwards of forwards.
func (b *builder) offices() {
	text := part("text/plain; charset=utf-8", "Merhaba")
	file := func(kind, name, content string) string {
		return part(kind+"; name=\""+name+"\"", base64.StdEncoding.EncodeToString([]byte(content)), "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=\""+name+"\"")
	}
	for _, method := range []string{"REQUEST", "REPLY", "CANCEL", "COUNTER", "PUBLISH"} {
		event := "BEGIN:VCALENDAR" + crlf + "VERSION:2.0" + crlf + "METHOD:" + method + crlf + "BEGIN:VEVENT" + crlf + "UID:1@kaya" + crlf +
			"DTSTART;TZID=Turkey Standard Time:20261116T100000" + crlf + "SUMMARY:Toplantı: teslimat\\, fiyat" + crlf + "ATTENDEE;CN=Elif:mailto:elif@kaya.example" + crlf + "END:VEVENT" + crlf + "END:VCALENDAR"
		b.add("meeting-"+strings.ToLower(method), Head("m"+method, multipart("mixed", "m", strings.TrimSuffix(multipart("alternative", "a", text,
			part("text/calendar; charset=utf-8; method="+method, event, "Content-Class: urn:content-classes:calendarmessage")), crlf), file("application/ics", "davet.ics", event))))
	}
	b.add("meeting-alone", Head("malone", "Content-Type: text/calendar; method=REQUEST; charset=utf-8", "Content-Transfer-Encoding: base64")+crlf+base64.StdEncoding.EncodeToString([]byte("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")))
	b.add("meeting-unfolded", Head("munfolded", "Content-Type: text/calendar")+crlf+"BEGIN:VCALENDAR\r\nDESCRIPTION:"+strings.Repeat("uzun açıklama ", 2000))
	b.add("vcard", Head("vcf", multipart("mixed", "b", text, file("text/vcard", "elif.vcf", "BEGIN:VCARD\r\nFN:Elif Kaya\r\nEND:VCARD"))))
	b.add("invoice-xml", Head("ubl", multipart("mixed", "b", text, file("application/xml", "FTR2026000000001.xml", "<?xml version=\"1.0\"?><Invoice/>"), file("application/pdf", "FTR2026000000001.pdf", "%PDF-1.4"))))
	b.add("invoice-zip-password", Head("zipped", multipart("mixed", "b", part("text/plain; charset=windows-1254", "\xdeifre TC kimlik no"), file("application/x-zip-compressed", "EKSTRE.zip", "PK\x03\x04"))))
	b.add("scan-only", Head("scan", multipart("mixed", "b", file("image/tiff", "Tarama_0001.tif", "II*\x00"))))
	b.add("scan-no-name", Head("scan2", multipart("mixed", "b", part("image/jpeg", "/9j/4AAQ", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment"))))
	b.add("voicemail", Head("wav", multipart("voice-message; version=2.0", "b", part("text/plain", "Yeni sesli ileti"), file("audio/wav", "0532.wav", "RIFF"))))
	b.add("tnef-with-attribute", Head("tnef2", multipart("mixed", "b", text, part("application/ms-tnef; name=\"winmail.dat\"", tnef, "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=\"winmail.dat\""))))
	b.add("tnef-wrong-type", Head("tnef3", multipart("mixed", "b", text, part("application/octet-stream; name=\"WINMAIL.DAT\"", tnef, "Content-Transfer-Encoding: base64"))))
	b.add("smime-opaque", Head("opaque", "Content-Type: application/x-pkcs7-mime; smime-type=signed-data; name=smime.p7m", "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=smime.p7m")+crlf+"MIAGCSqGSIb3DQEHAqCA")
	b.add("smime-in-list", Head("smimelist", multipart("mixed", "l", strings.TrimSuffix(multipart("signed; protocol=\"application/x-pkcs7-signature\"", "s", text, file("application/x-pkcs7-signature", "smime.p7s", "0\x80")), crlf), part("text/plain", "-- \r\nliste altı"))))

	// A mail that was forwarded several times, as inline text and as nested attachments.
	quote := "asıl ileti"
	for i := range 6 {
		quote = fmt.Sprintf("---------- İletilen ileti ---------\r\nGönderen: Kişi %d <k%d@kaya.example>\r\nTarih: 15 Kas 2026 Paz, 12:3%d\r\nKonu: İlt: Teslimat\r\nAlıcı: destek@firma.example\r\n\r\n%s", i, i, i, quote)
	}
	b.add("forward-inline-six", Head("fwd6", "Content-Type: text/plain; charset=utf-8")+crlf+"Bilginize\r\n\r\n"+quote)
	inner := Head("fwd-in-0", "Content-Type: text/plain; charset=iso-8859-9", "") + "en i\xe7teki \xfe"
	for i := range 8 {
		inner = Head(fmt.Sprintf("fwd-in-%d", i+1), multipart("mixed", fmt.Sprintf("f%d", i), part("text/plain", fmt.Sprintf("kat %d", i)), part("message/rfc822", inner, "Content-Disposition: attachment; filename=\"İlt.eml\"")))
	}
	b.add("forward-attached-eight", inner)
	b.add("forward-attached-base64", Head("fwd64", multipart("mixed", "b", text, part("message/rfc822", base64.StdEncoding.EncodeToString([]byte(Head("in64", "")+"iç")), "Content-Transfer-Encoding: base64"))))
	b.add("forward-global", Head("fwdglobal", multipart("mixed", "b", text, part("message/global", "From: şule@öz.example\r\nSubject: Şikâyet\r\n\r\nmetin"))))
	b.add("resent", "Resent-From: mudur@kaya.example"+crlf+"Resent-To: destek@firma.example"+crlf+"Resent-Message-ID: <r@kaya.example>"+crlf+Head("resent", "")+"yönlendirildi")
	b.add("redirected-srs", "Return-Path: <SRS0=aBcD=XY=kaya.example=elif@relay.example>"+crlf+Head("srs", "")+"metin")

	// The same id twice, and mails that contain other mails.
	b.add("duplicate-id-first", Head("twice", "")+"birinci")
	b.add("duplicate-id-second", Head("twice", "")+"ikinci, aynı kimlikle")
	b.add("idn-sender", "From: Şule <şule@xn--z-zga.example>"+crlf+"To: destek@firma.example"+crlf+"Subject: IDN"+crlf+crlf+"x")
	b.add("group-recipients", "To: Satış ekibi: a@b.example, c@d.example;, undisclosed-recipients:;"+crlf+Head("group", "")+"x")
	b.add("authenticated", strings.Repeat("ARC-Seal: i=1; a=rsa-sha256; d=x.example; b="+strings.Repeat("A", 340)+crlf, 12)+"DKIM-Signature: v=1; a=rsa-sha256; h=from:to; b=x"+crlf+"Authentication-Results: mx; spf=pass"+crlf+Head("arc", "")+"metin")
	b.add("subject-folded-words", "Subject: =?utf-8?Q?Sipari=C5=9Fim_hakk=C4=B1nda?="+crlf+" =?utf-8?Q?_bilgi_almak_istiyorum?="+crlf+Head("fold", "")+"x")
	b.add("subject-quoted-word", "Subject: \"=?utf-8?Q?=C5=9E?=\" =?iso-8859-9?Q?=FE?="+crlf+Head("quotedword", "")+"x")
	b.add("utf-16-html", Head("utf16", "Content-Type: text/html; charset=utf-16le", "Content-Transfer-Encoding: base64")+crlf+"//48AHAAPgBNAGUAcgBoAGEAYgBhADwALwBwAD4A")
	b.add("empty-text-full-html", Head("emptytext", multipart("alternative", "b", part("text/plain", ""), part("text/html; charset=utf-8", "<p>Dolu</p>"))))
	b.add("blank-text-full-html", Head("blanktext", multipart("alternative", "b", part("text/plain", " \r\n\u00a0\r\n"), part("text/html; charset=utf-8", "<p>Dolu</p>"))))
	b.add("html-in-text", Head("htmltext", "Content-Type: text/plain; charset=utf-8")+crlf+"<html><body><p>Merhaba &amp; hoş geldiniz</p></body></html>")
	b.add("pictures-only", Head("cids", multipart("related", "r", part("text/html", "<img src=\"cid:a@x\"><img src=\"cid:b@x\">"), part("image/png", "iVBORw0KGgo=", "Content-Transfer-Encoding: base64", "Content-ID: <a@x>"), part("image/png", "iVBORw0KGgo=", "Content-Transfer-Encoding: base64", "Content-ID: b@x"))))
	b.add("picture-by-location", Head("location", multipart("related", "r", part("text/html", "<img src=\"logo.png\">"), part("image/png", "iVBORw0KGgo=", "Content-Transfer-Encoding: base64", "Content-Location: logo.png"))))
	b.add("fifty-files", Head("fifty", multipart("mixed", "b", append([]string{text}, repeatFiles(50)...)...)))
	b.add("same-file-names", Head("samefile", multipart("mixed", "b", text, file("application/pdf", "fatura.pdf", "bir"), file("application/pdf", "fatura.pdf", "iki"))))
	b.add("phone-signature", Head("phone", "Content-Type: text/plain; charset=utf-8")+crlf+"Tamam teşekkürler\r\n\r\niPhone'umdan gönderildi\r\n\r\nDestek <destek@firma.example> şunları yazdı (15 Kas 2026 12:30):\r\n\r\n> Merhaba\r\n")
	b.add("samsung", Head("samsung", "Content-Type: text/html; charset=utf-8")+crlf+"<html><body dir=\"auto\">Tamam<div id=\"composer_signature\">Samsung cihazımdan gönderildi</div><div>-------- Orjinal mesaj --------</div><div>Kimden: Destek &lt;destek@firma.example&gt; </div><div>Tarih: 15.11.2026  12:30  (GMT+03:00) </div><div>Alıcı: elif@kaya.example </div><div>Konu: Re: Teslimat </div><p>Merhaba</p></body></html>")
	b.add("disclaimer", Head("disclaimer", "Content-Type: text/plain; charset=utf-8")+crlf+"Onaylıyorum.\r\n\r\n"+strings.Repeat("YASAL UYARI: Bu ileti gizlidir. ", 300))
	b.add("ticket-system", Head("ticket", "Subject: [Talep #4711] Re: Teslimat", "Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: All", "Content-Type: text/plain; charset=utf-8")+crlf+"##- Lütfen yanıtınızı bu satırın üstüne yazın -##\r\n\r\nMerhaba, bakıyoruz.")
	b.add("web-form", "From: \"elif@kaya.example\" <no-reply@form.example>"+crlf+"Reply-To: Elif <elif@kaya.example>"+crlf+"Subject: İletişim formu"+crlf+"Content-Type: text/html; charset=utf-8"+crlf+crlf+"<table><tr><td>Ad</td><td>Elif</td></tr><tr><td>Mesaj</td><td>Fiyat?</td></tr></table>")
	b.add("fax-gateway", "From: +902121234567@faks.example"+crlf+"To: destek@firma.example"+crlf+"Subject: Faks"+crlf+multipart("mixed", "b", file("image/tiff", "faks.tif", "II*\x00")))
	b.add("boundary-in-body", Head("binbody", multipart("mixed", "b", part("text/plain", "satır\r\n--bb\r\n-- b\r\n --b\r\nson"))))
	b.add("part-lies-about-length", Head("length", multipart("mixed", "b", part("text/plain", "kısa", "Content-Length: 999999"))))
	cut, _, _ := strings.Cut(Head("cutfile", multipart("mixed", "b", text, part("application/pdf; name=a.pdf", "JVBERi0xLjQK", "Content-Transfer-Encoding: base64"))), "LjQK")
	b.add("truncated-base64-file", cut)
	b.add("antivirus-note", Head("av", multipart("mixed", "b", text, part("text/plain; charset=utf-8", "Bu ileti tarandı."), part("text/html", "<hr>"))))
	b.add("list-footer", Head("footer", "List-Id: <x.example>", multipart("mixed", "b", text, part("text/plain", "____\r\nliste@x.example", "Content-Disposition: inline"))))
}

func repeatFiles(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = part("application/octet-stream", "x", fmt.Sprintf("Content-Disposition: attachment; filename=ek%d.bin", i))
	}
	return out
}
