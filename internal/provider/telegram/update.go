package telegram

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	channel "konak/internal/crm/channel/telegram"
	"konak/internal/kit/trtext"
)

// Read implements channel.Provider.
func (c *Client) Read(body []byte) (channel.Update, error) {
	var u Update
	if err := json.Unmarshal(trtext.WithoutNUL(body), &u); err != nil {
		return channel.Update{}, fmt.Errorf("telegram: %w", err)
	}
	return readUpdate(&u), nil
}

func readUpdate(u *Update) channel.Update {
	out := channel.Update{ID: u.UpdateID}
	switch {
	case u.Message != nil:
		out.Message = received(u.Message)
	case u.BusinessMessage != nil:
		out.Message = received(u.BusinessMessage)
	case u.EditedMessage != nil:
		out.Edited = received(u.EditedMessage)
	case u.EditedBusinessMessage != nil:
		out.Edited = received(u.EditedBusinessMessage)
	case u.DeletedMessages != nil:
		d := u.DeletedMessages
		out.Deleted = &channel.Deleted{Connection: d.BusinessConnectionID, Chat: d.Chat.ID, IDs: d.MessageIDs}
	case u.MessageReaction != nil:
		out.Reaction = reaction(u.MessageReaction)
	case u.CallbackQuery != nil:
		out.Pressed = pressed(u.CallbackQuery)
	case u.BusinessConnection != nil:
		b := u.BusinessConnection
		out.Business = &channel.Connection{ID: b.ID, Owner: person(&b.User), CanReply: b.Rights != nil && b.Rights.CanReply, Enabled: b.IsEnabled}
	}
	return out
}

func nameOf(first, last string) string { return strings.TrimSpace(first + " " + last) }

func person(u *User) channel.Person {
	if u == nil {
		return channel.Person{}
	}
	return channel.Person{ID: u.ID, Name: nameOf(u.FirstName, u.LastName), Username: u.Username, Language: u.LanguageCode, Bot: u.IsBot}
}

// received reads a message. A private chat has the number of the customer, whoever wrote
// the message.
func received(m *Message) *channel.Received {
	out := &channel.Received{
		Chat: m.Chat.ID, ID: m.MessageID, Private: m.Chat.Type == "private", From: person(m.From),
		Connection: m.BusinessConnectionID, OfBot: m.SenderBusinessBot != nil,
		At: time.Unix(m.Date, 0).UTC(), Text: m.Text + m.Caption, Detail: map[string]any{},
	}
	out.OfOwner = out.Connection != "" && out.From.ID != m.Chat.ID
	out.Customer = out.From
	if out.OfOwner {
		out.Customer = channel.Person{ID: m.Chat.ID, Name: nameOf(m.Chat.FirstName, m.Chat.LastName), Username: m.Chat.Username}
	}
	if m.ReplyTo != nil {
		out.ReplyTo = m.ReplyTo.MessageID
	}
	if len(m.ForwardOrigin) > 0 {
		out.Detail["forwarded"] = true
	}
	if m.MediaGroupID != "" {
		out.Detail["album"] = m.MediaGroupID
	}
	if out.File = fileOf(m); out.File != nil {
		return out
	}
	if text := contentOf(m); text != "" {
		out.Text = text
	}
	out.Unsupported = out.Text == "" && (m.Story != nil || m.Game != nil || m.PaidMedia != nil || m.Invoice != nil || m.Checklist != nil)
	out.Empty = out.Text == "" && !out.Unsupported
	return out
}

// contentOf returns a text for a message that has no words.
func contentOf(m *Message) string {
	place := func(l Location) string {
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		return "https://maps.google.com/?q=" + number(l.Latitude) + "," + number(l.Longitude)
	}
	switch {
	case m.Venue != nil:
		return strings.Join(nonBlank(m.Venue.Title, m.Venue.Address, place(m.Venue.Location)), "\n")
	case m.Location != nil:
		return place(*m.Location)
	case m.Contact != nil:
		return strings.Join(nonBlank(nameOf(m.Contact.FirstName, m.Contact.LastName), m.Contact.PhoneNumber), "\n")
	case m.Poll != nil:
		return m.Poll.Question
	case m.Dice != nil:
		return m.Dice.Emoji + " " + strconv.Itoa(m.Dice.Value)
	case m.Sticker != nil: // an animated one is not a picture
		return m.Sticker.Emoji
	}
	return ""
}

func nonBlank(list ...string) (out []string) {
	for _, w := range list {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// fileOf returns the file of a message, nil if it has none.
func fileOf(m *Message) *channel.RemoteFile {
	file := func(f *File, kind, name, mimeType string) *channel.RemoteFile {
		return &channel.RemoteFile{ID: f.FileID, Kind: kind, Name: cmp.Or(f.FileName, name), Type: cmp.Or(f.MimeType, mimeType), Size: f.FileSize}
	}
	switch {
	case len(m.Photo) > 0: // in several sizes, the largest last
		return file(&m.Photo[len(m.Photo)-1], channel.KindPhoto, "photo.jpg", "image/jpeg")
	case m.Animation != nil: // it is also sent as a document
		return file(m.Animation, channel.KindVideo, "animation.mp4", "video/mp4")
	case m.Document != nil:
		return file(m.Document, channel.KindDocument, "document", "application/octet-stream")
	case m.Video != nil:
		return file(m.Video, channel.KindVideo, "video.mp4", "video/mp4")
	case m.VideoNote != nil:
		return file(m.VideoNote, channel.KindVideo, "video.mp4", "video/mp4")
	case m.Voice != nil:
		return file(m.Voice, channel.KindVoice, "voice.ogg", "audio/ogg")
	case m.Audio != nil:
		return file(m.Audio, channel.KindAudio, "audio.mp3", "audio/mpeg")
	case m.Sticker != nil && m.Sticker.IsVideo:
		return file(m.Sticker, channel.KindSticker, "sticker.webm", "video/webm")
	case m.Sticker != nil && !m.Sticker.IsAnimated:
		return file(m.Sticker, channel.KindSticker, "sticker.webp", "image/webp")
	}
	return nil
}

func reaction(r *MessageReaction) *channel.Reaction {
	if r.Chat.Type != "private" {
		return nil
	}
	out := &channel.Reaction{Chat: r.Chat.ID, ID: r.MessageID}
	for _, sign := range r.New {
		if sign.Type == "emoji" {
			out.Emoji = sign.Emoji
		}
	}
	return out
}

func pressed(q *CallbackQuery) *channel.Pressed {
	out := &channel.Pressed{ID: q.ID, From: person(&q.From), Data: q.Data, Text: q.Data}
	if q.Message == nil {
		return out
	}
	out.Chat, out.MessageID, out.Private = q.Message.Chat.ID, q.Message.MessageID, q.Message.Chat.Type == "private"
	if q.Message.Markup != nil {
		for _, row := range q.Message.Markup.Rows {
			for _, b := range row {
				if b.CallbackData == q.Data {
					out.Text = b.Text
				}
			}
		}
	}
	return out
}
