package customer

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"

	page "konak/internal/provider/social"
	bot "konak/internal/provider/telegram"
	graph "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/social"
	"konak/internal/sandbox/telegram"
	"konak/internal/sandbox/whatsapp"
)

// Providers whose behaviour the page can change.
const (
	Meta     = "Meta"
	Telegram = "Telegram"
	App      = "App"
)

// States of a bot's connection to a person's Telegram account.
const (
	BusinessOn     = "on"
	BusinessPaused = "paused" // the bot may not answer
	BusinessEnded  = "ended"
)

// What the owner of a number does in the app on their phone.
const (
	OwnerAnswers  = "answers"
	OwnerShares   = "shares" // what was written there before
	OwnerDeclines = "declines"
)

// samplePicture is sent if the visitor has no picture.
func samplePicture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 240, 160))
	for x := range 240 {
		for y := range 160 {
			img.Set(x, y, color.RGBA{R: uint8(x), G: 120, B: uint8(y), A: 255})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // writing into memory does not fail
	return b.Bytes()
}

// pictureOr returns the visitor's picture, or the sample.
func pictureOr(content []byte) []byte {
	if len(content) == 0 {
		return samplePicture()
	}
	return content
}

// PictureOr returns the visitor's picture, or the sample, with its type.
func PictureOr(content []byte) (picture []byte, kind string) {
	content = pictureOr(content)
	return content, pictureType(content)
}

// pictureType returns the type of a picture that every channel accepts, or "".
func pictureType(content []byte) string {
	if kind := http.DetectContentType(content); kind == "image/png" || kind == "image/jpeg" {
		return kind
	}
	return ""
}

// OnWhatsApp returns the channel of a number on WhatsApp.
func OnWhatsApp(s *whatsapp.Server, business, number string) Channel {
	who := func(p Person) whatsapp.Customer {
		return whatsapp.Customer{ID: "90555" + strconv.FormatInt(p.Number(), 10), Name: p.Name}
	}
	return Channel{
		Kind: "whatsapp", Name: "WhatsApp", Account: number,
		ID:    func(p Person) string { return who(p).ID },
		Write: func(p Person, text string) (string, error) { return s.Say(number, who(p), text) },
		Picture: func(p Person, content []byte) (string, error) {
			content, kind := PictureOr(content)
			file := s.File(business, kind, content)
			return s.Write(number, who(p), graph.Incoming{Type: "image", Image: &graph.Media{ID: file, MimeType: kind}})
		},
		React: func(p Person, message, emoji string) error {
			_, err := s.Write(number, who(p), graph.Incoming{Type: "reaction", Reaction: &graph.Reaction{MessageID: message, Emoji: emoji}})
			return err
		},
		AnswerCall: func(p Person, agrees bool) error { return s.AnswerCallRequest(number, who(p), agrees, false) },
		Owner: func(p Person, does string) error {
			if does == OwnerAnswers {
				_, err := s.OwnerSays(number, who(p).ID, graph.Incoming{Text: &graph.Text{Body: "Telefondan yanıt · An answer from the phone"}})
				return err
			}
			return s.TellHistory(number, who(p), s.File(business, "image/png", pictureOr(nil)), does == OwnerShares)
		},
		Call:   func(p Person, tell func(string)) error { return s.Call(number, who(p), tell) },
		HangUp: func(p Person) { s.HangUp(who(p)) },
		Seen:   func(p Person) string { return "+" + who(p).ID + ", " + p.Name },
		More: []Sending{{"sticker", "Çıkartma gönder · Send a sticker", "🙂", func(p Person) (string, error) {
			file := s.File(business, "image/png", samplePicture())
			return s.Write(number, who(p), graph.Incoming{Type: "sticker", Sticker: &graph.Media{ID: file, MimeType: "image/png"}})
		}}},
		Lacks: []string{
			"Değiştirme ve silme: WhatsApp bunları işletmelere bildirmez. · Edits and deletions: WhatsApp tells businesses of neither.",
			"Albüm: her resim kendi mesajıyla gelir. · Albums: every picture arrives as a message of its own.",
		},
	}
}

// OnTelegram returns the channel of a bot on Telegram.
func OnTelegram(s *telegram.Server, id int64) Channel {
	who := func(p Person) telegram.Person {
		return telegram.Person{ID: p.Number(), Name: p.Name, Username: username(p), Language: "tr"}
	}
	return Channel{
		Kind: "telegram", Name: "Telegram", Account: strconv.FormatInt(id, 10),
		ID: func(p Person) string { return strconv.FormatInt(p.Number(), 10) },
		Write: func(p Person, text string) (string, error) {
			return strconv.FormatInt(s.Say(id, who(p), text), 10), nil
		},
		Picture: func(p Person, content []byte) (string, error) {
			file := s.File(pictureOr(content))
			return strconv.FormatInt(s.Write(id, who(p), bot.Message{Photo: []bot.File{{FileID: file}}}), 10), nil
		},
		React: func(p Person, message, emoji string) error { s.React(id, who(p), number(message), emoji); return nil },
		Business: func(p Person, state string) error {
			s.Connect(id, "demo"+strconv.FormatInt(p.Number(), 10), who(p), state == BusinessOn, state != BusinessEnded)
			return nil
		},
		Edit: func(p Person, message, text string) error {
			s.Edit(id, who(p), bot.Message{MessageID: number(message), Text: text})
			return nil
		},
		Seen: func(p Person) string { return "@" + username(p) + ", " + p.Name },
		More: []Sending{
			{"album", "Albüm gönder · Send an album", "🖼🖼", func(p Person) (string, error) {
				file := s.File(samplePicture())
				photo := bot.Message{MediaGroupID: "album " + file, Photo: []bot.File{{FileID: file}}}
				s.Write(id, who(p), photo)
				photo.Caption = "Albüm · Album"
				name := s.Write(id, who(p), photo)
				return strconv.FormatInt(name, 10), nil
			}},
			{"sticker", "Çıkartma gönder · Send a sticker", "🙂", func(p Person) (string, error) {
				file := s.File(samplePicture())
				return strconv.FormatInt(s.Write(id, who(p), bot.Message{Sticker: &bot.File{FileID: file, MimeType: "image/png"}}), 10), nil
			}},
		},
		Lacks: []string{
			"Silme: Telegram botlara silinen mesajları bildirmez; yalnızca botun kişisel bir hesapta çalıştığı görüşmelerde bildirir. · " +
				"Deletions: Telegram tells bots of none, except in the chats of a person’s own account that the bot works in.",
			"Arama: botlar aranamaz ve arayamaz. · Calls: nobody can call a bot, and it calls nobody.",
		},
	}
}

// username returns the person's name on Telegram: at least five of the characters that it
// allows.
func username(p Person) string {
	plain := strings.NewReplacer("ç", "c", "ğ", "g", "ı", "i", "ö", "o", "ş", "s", "ü", "u", "i̇", "i", " ", "_").Replace(strings.ToLower(p.Name))
	plain = strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, plain)
	return "demo_" + plain
}

// OnPage returns the channel of a page on Messenger, or of its Instagram account. base is
// the address of the stand-in.
func OnPage(s *social.Server, pageID string, instagram bool, base string) Channel {
	kind, name, prefix, account := "messenger", "Messenger", "", pageID
	if instagram {
		kind, name, prefix, account = "instagram", "Instagram", social.InstagramPrefix, "instagram of "+pageID
	}
	who := func(p Person) social.Person {
		return social.Person{ID: prefix + "7" + strconv.FormatInt(p.Number(), 10), Name: p.Name}
	}
	c := Channel{
		Kind: kind, Name: name, Account: account,
		ID:    func(p Person) string { return who(p).ID },
		Write: func(p Person, text string) (string, error) { return s.Say(pageID, who(p), text), nil },
		Picture: func(p Person, content []byte) (string, error) {
			a := page.Attachment{Type: "image"}
			content, kind := PictureOr(content)
			a.Payload.URL = s.File(base, kind, content)
			return s.Write(pageID, who(p), page.Incoming{Attachments: []page.Attachment{a}}), nil
		},
		React: func(p Person, message, emoji string) error {
			r := &page.Reaction{ID: message, Action: "react", Reaction: "other", Emoji: emoji}
			if emoji == "" {
				r.Action = "unreact"
			}
			s.Do(pageID, who(p), page.Messaging{Reaction: r})
			return nil
		},
		Edit: func(p Person, message, text string) error {
			s.Do(pageID, who(p), page.Messaging{Edit: &page.Edit{ID: message, Text: text}})
			return nil
		},
		Delete: func(p Person, message string) error {
			s.Write(pageID, who(p), page.Incoming{ID: message, Deleted: true})
			return nil
		},
	}
	c.Seen = func(p Person) string { return p.Name + " (" + who(p).ID + ")" }
	if !instagram {
		c.AnswerCall = func(p Person, agrees bool) error { s.AnswerCallRequest(pageID, who(p), agrees); return nil }
		c.Lacks = []string{"Arama: Messenger aramaları Meta’nın kendi uygulamalarında kalır, santrale gelmez. · Calls: those of Messenger stay in Meta’s own apps and do not reach a telephone exchange."}
		return c
	}
	c.Lacks = []string{"Arama: Instagram’da işletmeler aranamaz. · Calls: nobody can call a business on Instagram."}
	picture := func() string { return s.File(base, "image/png", samplePicture()) }
	c.More = []Sending{
		{"story-reply", "Hikâyeye yanıt ver · Reply to a story", "↩︎ Bu ne kadar? · How much is this?", func(p Person) (string, error) {
			story := &page.ReplyTo{Story: &page.Story{ID: "story-1", URL: picture()}}
			return s.Write(pageID, who(p), page.Incoming{Text: "Bu ne kadar? · How much is this?", ReplyTo: story}), nil
		}},
		{"story-mention", "Hikâyende işletmeyi an · Mention the business in a story", "@ 🖼", func(p Person) (string, error) {
			a := page.Attachment{Type: "story_mention"}
			a.Payload.URL = picture()
			return s.Write(pageID, who(p), page.Incoming{Attachments: []page.Attachment{a}}), nil
		}},
	}
	return c
}

// OnPhone returns the telephone channel of a workspace. call dials its number from the
// number of a person.
func OnPhone(slug string, call func(from string, tell func(state string)) error, hangUp func(from string)) Channel {
	number := func(p Person) string { return "+90555" + strconv.FormatInt(p.Number(), 10) }
	return Channel{
		Kind: "phone", Name: "Telefon · Phone", Account: "phone of " + slug, ID: number,
		Call:   func(p Person, tell func(string)) error { return call(number(p), tell) },
		HangUp: func(p Person) { hangUp(number(p)) },
		Seen:   number,
		Lacks:  []string{"Mesaj: telefon yalnızca arar. · Messages: a telephone only calls."},
	}
}

// WatchWhatsApp records what numbers send.
func (p *Page) WatchWhatsApp(m whatsapp.Message, to string) {
	out := Message{ID: m.ID, Text: "📎"}
	switch {
	case m.Reaction != nil:
		p.change(m.NumberID, to, m.Reaction.MessageID, func(own *Message) { own.Reaction = m.Reaction.Emoji })
		return
	case m.Text != nil:
		out.Text = m.Text.Body
	case m.Template != nil:
		out.Text = "[" + m.Template.Name + "]"
	case m.Interactive != nil:
		out.Text = m.Interactive.Body.Text
	}
	p.Told(m.NumberID, to, out)
}

// WatchTelegram records what bots send.
func (p *Page) WatchTelegram(id int64, m telegram.Sent) {
	account, to := strconv.FormatInt(id, 10), strconv.FormatInt(m.Chat, 10)
	if m.ReactTo != 0 {
		p.change(account, to, strconv.FormatInt(m.ReactTo, 10), func(own *Message) { own.Reaction = m.Emoji })
		return
	}
	text := m.Text
	if len(m.Files) > 0 {
		text += " 📎"
	}
	p.Told(account, to, Message{ID: strconv.FormatInt(m.MessageID, 10), Text: text})
}

// WatchPage records what is sent in a page's name.
func (p *Page) WatchPage(pageID string, m social.Sent) {
	account := pageID
	if m.Platform == page.ObjectInstagram {
		account = "instagram of " + pageID
	}
	if m.Message == nil {
		if m.Payload != nil {
			p.change(account, m.Recipient.ID, m.Payload.MessageID, func(own *Message) { own.Reaction = m.Payload.Reaction })
		}
		return
	}
	out := Message{ID: m.MessageID, Text: m.Message.Text}
	if a := m.Message.Attachment; a != nil {
		out.Text = "📎"
		if a.Payload.Text != "" {
			out.Text = a.Payload.Text
		}
	}
	p.Told(account, m.Recipient.ID, out)
}
