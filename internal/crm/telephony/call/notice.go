package call

import (
	"fmt"
	"time"

	"konak/internal/kit/fault"
)

// MessageNotice is what is told by e-mail when a caller left a message.
type MessageNotice struct {
	To     string // the address of the settings
	From   string // the caller's number; empty where it is withheld
	Length time.Duration
}

// Path is where the panel shows the message.
func (MessageNotice) Path() string { return "/calls" }

// Text is the subject and the paragraphs of the notice in a language.
func (n MessageNotice) Text(language string) (subject string, body []string) {
	seconds := max(int(n.Length.Round(time.Second)/time.Second), 1)
	length := fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	if language == "tr" {
		who := n.From
		if who == "" {
			who = "gizli bir numara"
		}
		return "Yeni sesli mesaj: " + who, []string{"Arayan: " + who + ". Mesajın süresi: " + length + "."}
	}
	who := n.From
	if who == "" {
		who = "a withheld number"
	}
	return "New voice message from " + who, []string{"Caller: " + who + ". Length of the message: " + length + "."}
}

// tellMessage tells the address of the settings that a caller left a message. A message
// is kept also where the workspace's mail of today is used up.
func (w *work) tellMessage() error {
	if w.settings.Voicemail.Email == "" {
		return nil
	}
	err := w.s.Mail.TellMessage(w.tx, MessageNotice{
		To: w.settings.Voicemail.Email, From: w.From, Length: time.Duration(w.RecordingMS) * time.Millisecond,
	})
	if fault.Is(err, fault.SendingQuotaReached) {
		w.s.Log.Warn("nobody is told of a voice message", "tenant", w.tx.Tenant(), "reason", err)
		return nil
	}
	return err
}
