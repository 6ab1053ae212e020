package social

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	channel "konak/internal/crm/channel/social"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
	"konak/internal/provider/graph"
)

// Signed implements channel.Provider.
func (c *Client) Signed(appSecret secret.Text, body []byte, signature string) bool {
	return graph.Signed(appSecret, body, signature)
}

// Read implements channel.Provider.
func (c *Client) Read(body []byte) (out []channel.Event, err error) {
	var hook Webhook
	if err := json.Unmarshal(trtext.WithoutNUL(body), &hook); err != nil {
		return nil, fmt.Errorf("social: cannot read the webhook: %w", err)
	}
	kind, ok := map[string]string{ObjectPage: channel.Messenger, ObjectInstagram: channel.Instagram}[hook.Object]
	if !ok {
		return nil, fmt.Errorf("social: unexpected webhook object %q", hook.Object)
	}
	for _, e := range hook.Entry {
		for _, m := range e.Messaging {
			out = append(out, parseEvent(kind, e, m))
		}
		if len(e.Messaging) == 0 { // an unknown event on one of our accounts
			out = append(out, channel.Event{Kind: kind, Account: e.ID})
		}
	}
	return out, nil
}

func parseEvent(kind string, e Entry, m Messaging) channel.Event {
	out := channel.Event{Kind: kind, Account: e.ID, At: moment(m.Timestamp, e.Time)}
	switch {
	case m.Message != nil:
		out.Message = parseMessage(e.ID, m)
	case m.Edit != nil:
		out.Edited = &channel.Received{ID: m.Edit.ID, Text: m.Edit.Text, Customer: m.Sender.ID, OfPage: m.Sender.ID == e.ID, Detail: map[string]any{}}
	case m.Reaction != nil && m.Sender.ID == e.ID: // the page's own reaction, which we have sent
	case m.Reaction != nil:
		out.Reaction = &channel.Reaction{MessageID: m.Reaction.ID, Emoji: sign(m.Reaction)}
	case m.Read != nil:
		out.Read = &channel.ReadReport{Customer: m.Sender.ID, MessageID: m.Read.ID, Until: moment(m.Read.Watermark, m.Timestamp)}
	case m.Delivery != nil:
		out.Arrived = m.Delivery.IDs
	case m.Postback != nil:
		out.Message = parsePostback(m)
	}
	return out
}

// moment returns the first of several times that is set; they are in milliseconds.
func moment(times ...int64) time.Time {
	for _, t := range times {
		if t > 0 {
			return time.UnixMilli(t).UTC()
		}
	}
	return time.Time{}
}

// signs are the emoji of reactions that are sent without one.
var signs = map[string]string{"smile": "😆", "angry": "😠", "sad": "😢", "wow": "😮", "love": "❤️", "like": "👍", "dislike": "👎"}

func sign(r *Reaction) string {
	if r.Action == "unreact" {
		return ""
	}
	if r.Emoji != "" {
		return r.Emoji
	}
	return signs[r.Reaction]
}

// files are the kinds of attachment that are files of the message itself.
var files = []string{channel.FileImage, channel.FileVideo, channel.FileAudio, channel.FileOther}

func parseMessage(account string, m Messaging) *channel.Received {
	in := m.Message
	out := &channel.Received{
		ID: in.ID, Customer: m.Sender.ID, OfPage: in.Echo || m.Sender.ID == account, AppID: string(in.AppID), Mark: in.Metadata,
		Text: in.Text, Deleted: in.Deleted, Unsupported: in.Unsupported, Detail: map[string]any{},
	}
	if out.OfPage {
		out.Customer = m.Recipient.ID
	}
	if in.QuickReply != nil {
		out.Choice = in.QuickReply.Payload
	}
	if r := in.ReplyTo; r != nil {
		out.ReplyTo = r.ID
		if r.Story != nil {
			out.Detail["story"] = map[string]string{"id": r.Story.ID, "url": r.Story.URL}
		}
	}
	if in.Referral != nil {
		out.Detail["referral"] = in.Referral
	}
	for _, a := range in.Attachments {
		switch {
		case a.Type == "story_mention":
			out.Detail["story_mention"] = true
			addFile(out, channel.FileImage, a.Payload.URL)
		case slices.Contains(files, a.Type):
			addFile(out, a.Type, a.Payload.URL)
		default: // a share, a reel, a location: its link
			address := a.Payload.URL
			if at := a.Payload.Coordinates; at != nil {
				address = fmt.Sprintf("https://maps.google.com/?q=%v,%v", at.Latitude, at.Longitude)
			}
			out.Text = strings.TrimSpace(out.Text + "\n" + strings.TrimSpace(a.Payload.Title+"\n"+address))
		}
	}
	return out
}

func parsePostback(m Messaging) *channel.Received {
	p := m.Postback
	out := &channel.Received{ID: p.ID, Customer: m.Sender.ID, Text: cmp.Or(p.Title, p.Payload), Choice: p.Payload, Detail: map[string]any{}}
	if out.ID == "" { // the same press has the same time
		out.ID = fmt.Sprintf("postback/%s/%d", m.Sender.ID, m.Timestamp)
	}
	if p.Referral != nil {
		out.Detail["referral"] = p.Referral
	}
	return out
}

// filesMax is the number of files of a message that are fetched: as many as the inbox
// accepts, and more than the apps let people send at once.
const filesMax = 20

func addFile(m *channel.Received, kind, address string) {
	if address != "" && len(m.Files) < filesMax {
		m.Files = append(m.Files, channel.RemoteFile{Kind: kind, ID: address})
	}
}
