package call

import (
	"cmp"
	"fmt"
	"time"

	"konak/internal/kit/fault"
)

// MessageNotice is the e-mail notice that a caller left a message.
type MessageNotice struct {
	To     string // the address in the settings
	From   string // the caller's number; empty if it is withheld
	Length time.Duration
}

// Path returns the page of the panel that shows the message.
func (MessageNotice) Path() string { return "/calls" }

// Text returns the subject and the paragraphs of the notice in a language.
func (n MessageNotice) Text(language string) (subject string, body []string) {
	seconds := max(int(n.Length.Round(time.Second)/time.Second), 1)
	length := fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	if language == "tr" {
		who := cmp.Or(n.From, "gizli bir numara")
		return "Yeni sesli mesaj: " + who, []string{"Arayan: " + who + ". Mesajın süresi: " + length + "."}
	}
	who := cmp.Or(n.From, "a withheld number")
	return "New voicemail message from " + who, []string{"Caller: " + who + ". Duration of the message: " + length + "."}
}

// tellMessage notifies the address in the settings that a caller left a message. The
// message is kept even if the workspace's mail quota for today is used up.
func (w *work) tellMessage() error {
	if w.settings.Voicemail.Email == "" {
		return nil
	}
	err := w.s.Mail.TellMessage(w.tx, MessageNotice{
		To: w.settings.Voicemail.Email, From: w.From, Length: time.Duration(w.RecordingMS) * time.Millisecond,
	})
	if fault.Is(err, fault.SendingQuotaReached) {
		w.s.Log.Warn("the e-mail about a voice message was not sent", "tenant", w.tx.Tenant(), "reason", err)
		return nil
	}
	return err
}
