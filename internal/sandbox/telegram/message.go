package telegram

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	wire "konak/internal/provider/telegram"
)

// methods are the methods that send one file, with the name of its parameter.
var methods = map[string]string{
	"sendPhoto": "photo", "sendVideo": "video", "sendAudio": "audio", "sendVoice": "voice", "sendDocument": "document",
	"sendSticker": "sticker", "sendAnimation": "animation",
}

// send carries out the methods that send; the caller holds the lock.
func (s *Server) send(b *bot, method string, in params) (any, *refusal) {
	file, isFile := methods[method]
	if !isFile && method != "sendMessage" && method != "sendMediaGroup" {
		return nil, no(404, "Not Found: method not found")
	}
	out := Sent{Method: method, Chat: in.number("chat_id"), Connection: in.text("business_connection_id")}
	if err := s.mayWrite(b, out.Chat, out.Connection); err != nil {
		return nil, err
	}
	var keyboard wire.Keyboard
	in.object("reply_markup", &keyboard)
	for _, row := range keyboard.Rows {
		out.Buttons = append(out.Buttons, row...)
	}
	if method == "sendMediaGroup" {
		return s.sendAlbum(b, out, in)
	}
	out.Text = in.text("text") + in.text("caption")
	if err := checkText(out.Text, isFile); err != nil {
		return nil, err
	}
	if isFile {
		f, ok := in.file(file)
		if !ok {
			return nil, no(400, "Bad Request: there is no %s in the request", file)
		}
		f.Kind = file
		out.Files = []SentFile{f}
	}
	return s.accept(b, out), nil
}

// mayWrite reports whether a bot may write to a chat: to a person who wrote to it, or who
// wrote in an account that it is connected to.
func (s *Server) mayWrite(b *bot, chat int64, connection string) *refusal {
	if connection != "" {
		c, ok := b.connections[connection]
		switch {
		case !ok || !c.IsEnabled:
			return no(400, "Bad Request: BUSINESS_CONNECTION_INVALID")
		case c.Rights == nil || !c.Rights.CanReply:
			return no(400, "Bad Request: BUSINESS_PEER_USAGE_MISSING")
		}
	}
	if !b.chats[chat] && !s.KnowsEverybody {
		return no(400, "Bad Request: chat not found")
	}
	return nil
}

func checkText(text string, caption bool) *refusal {
	n := len(utf16.Encode([]rune(text)))
	switch {
	case caption && n > 1024:
		return no(400, "Bad Request: message caption is too long")
	case n > 4096:
		return no(400, "Bad Request: message is too long")
	case !caption && strings.TrimSpace(text) == "":
		return no(400, "Bad Request: message text is empty")
	}
	return nil
}

// keepSent records what a bot sent; the caller holds the lock.
func (s *Server) keepSent(b *bot, out Sent) {
	b.sent = append(b.sent, out)
	if s.OnSent != nil {
		s.OnSent(b.ID, out)
	}
}

// accept records a message that a bot sent; the caller holds the lock.
func (s *Server) accept(b *bot, out Sent) wire.Message {
	out.MessageID = s.number()
	s.keepSent(b, out)
	user := b.user()
	m := wire.Message{
		MessageID: out.MessageID, From: &user, Chat: wire.Chat{ID: out.Chat, Type: "private"}, Date: s.clock.Now().Unix(),
		BusinessConnectionID: out.Connection, Text: out.Text,
	}
	if len(out.Files) > 0 {
		m.Text, m.Caption = "", out.Text
	}
	return m
}

func (s *Server) sendAlbum(b *bot, out Sent, in params) (any, *refusal) {
	var album []struct{ Type, Media, Caption string }
	in.object("media", &album)
	if len(album) < 2 || len(album) > 10 {
		return nil, no(400, "Bad Request: wrong number of album items")
	}
	list := make([]wire.Message, 0, len(album))
	for _, item := range album {
		f, ok := in.files[strings.TrimPrefix(item.Media, "attach://")]
		if !ok {
			return nil, no(400, "Bad Request: wrong file in the album")
		}
		if err := checkText(item.Caption, true); err != nil {
			return nil, err
		}
		f.Kind = item.Type
		out.Text, out.Files = item.Caption, []SentFile{f}
		list = append(list, s.accept(b, out))
	}
	return list, nil
}

// reactions are the reactions that Telegram has.
var reactions = strings.Fields("❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤\u200d🔥 " +
	"🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨\u200d💻 👀 🎃 🙈 😇 😨 " +
	"🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷\u200d♂ 🤷 🤷\u200d♀ 😡")

func (s *Server) setReaction(b *bot, in params) (any, *refusal) {
	var list []wire.ReactionType
	in.object("reaction", &list)
	out := Sent{Method: "setMessageReaction", Chat: in.number("chat_id"), ReactTo: in.number("message_id")}
	if err := s.mayWrite(b, out.Chat, ""); err != nil {
		return nil, err
	}
	if len(list) > 0 {
		if out.Emoji = list[0].Emoji; !slices.Contains(reactions, out.Emoji) {
			return nil, no(400, "Bad Request: REACTION_INVALID")
		}
	}
	s.keepSent(b, out)
	return true, nil
}

// Person is a person on Telegram.
type Person struct {
	ID                       int64
	Name, Username, Language string
}

func (p Person) user() *wire.User {
	return &wire.User{ID: p.ID, FirstName: p.Name, Username: p.Username, LanguageCode: p.Language}
}

func (p Person) chat() wire.Chat {
	return wire.Chat{ID: p.ID, Type: "private", FirstName: p.Name, Username: p.Username}
}

// fill completes a message of a person; the caller holds the lock.
func (s *Server) fill(b *bot, from Person, m *wire.Message) {
	if m.MessageID == 0 {
		m.MessageID = s.number()
	}
	if m.Date == 0 {
		m.Date = s.clock.Now().Unix()
	}
	if m.From == nil {
		m.From = from.user()
	}
	if m.Chat.ID == 0 {
		m.Chat = from.chat()
	}
	b.chats[m.Chat.ID] = true
}

// Write lets a person write a message of any kind to a bot and returns its number.
func (s *Server) Write(id int64, from Person, m wire.Message) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bots[id]
	s.fill(b, from, &m)
	if m.BusinessConnectionID != "" {
		s.tell(b, wire.Update{BusinessMessage: &m})
	} else {
		s.tell(b, wire.Update{Message: &m})
	}
	return m.MessageID
}

// Say lets a person write a text.
func (s *Server) Say(id int64, from Person, text string) int64 {
	return s.Write(id, from, wire.Message{Text: text})
}

// Edit lets a person change a message.
func (s *Server) Edit(id int64, from Person, m wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bots[id]
	s.fill(b, from, &m)
	if m.BusinessConnectionID != "" {
		s.tell(b, wire.Update{EditedBusinessMessage: &m})
	} else {
		s.tell(b, wire.Update{EditedMessage: &m})
	}
}

// Delete lets a person delete messages in an account that the bot is connected to.
func (s *Server) Delete(id int64, connection string, from Person, messages ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(s.bots[id], wire.Update{DeletedMessages: &wire.DeletedMessages{BusinessConnectionID: connection, Chat: from.chat(), MessageIDs: messages}})
}

// React lets a person react to a message; an empty reaction removes it.
func (s *Server) React(id int64, from Person, message int64, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &wire.MessageReaction{Chat: from.chat(), MessageID: message, User: from.user(), Date: s.clock.Now().Unix(), Old: []wire.ReactionType{}, New: []wire.ReactionType{}}
	if emoji != "" {
		r.New = append(r.New, wire.ReactionType{Type: "emoji", Emoji: emoji})
	}
	s.tell(s.bots[id], wire.Update{MessageReaction: r})
}

// Press lets a person press a button below a message and returns the press's name.
func (s *Server) Press(id int64, from Person, message int64, b wire.Button) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strconv.FormatInt(s.number(), 10)
	s.tell(s.bots[id], wire.Update{CallbackQuery: &wire.CallbackQuery{ID: name, From: *from.user(), Data: b.CallbackData, Message: &wire.Message{
		MessageID: message, Chat: from.chat(), Markup: &wire.Keyboard{Rows: [][]wire.Button{{b}}},
	}}})
	return name
}

// Connect lets a person add a bot to their account, change what it may do there, or remove
// it.
func (s *Server) Connect(id int64, connection string, owner Person, canReply, enabled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := wire.BusinessConnection{
		ID: connection, User: *owner.user(), UserChatID: owner.ID, Date: s.clock.Now().Unix(),
		Rights: &wire.BusinessRights{CanReply: canReply}, IsEnabled: enabled,
	}
	s.bots[id].connections[connection] = c
	s.tell(s.bots[id], wire.Update{BusinessConnection: &c})
}

// File stores a file of a person's message and returns its name.
func (s *Server) File(content []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := "file" + strconv.FormatInt(s.number(), 10)
	s.files[id] = content
	return id
}

// control is the stand-in's addition to the Bot API: BOT/messages lets a person write a
// text.
func (s *Server) control(r *http.Request, path string) (any, *refusal) {
	name, what, _ := strings.Cut(path, "/")
	id, _ := strconv.ParseInt(name, 10, 64)
	s.mu.Lock()
	_, known := s.bots[id]
	s.mu.Unlock()
	if !known || what != "messages" || r.Method != http.MethodPost {
		return nil, no(404, "Not Found")
	}
	var in struct {
		From int64  `json:"from"`
		Name string `json:"name"`
		Text string `json:"text"`
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil || in.From == 0 {
		return nil, no(400, "Bad Request: from and text are required")
	}
	return s.Say(id, Person{ID: in.From, Name: cmp.Or(in.Name, "Müşteri")}, in.Text), nil
}
