package mailer

// Envelope says who sends a mail and who gets it.
type Envelope struct {
	From string // "" for nobody
	// To are recipients without whom the mail is not sent.
	To []string
	// Cc are recipients who may be refused while the others get the mail.
	Cc []string
}

// Refusal is a recipient whom a mail server did not take.
type Refusal struct {
	Address string
	Reason  string // the server's answer
	Final   bool   // trying again is useless
}

// NameRecipients names the recipients of a mail to its server, one after the
// other. The function name returns an error where the server does not take one,
// and with it a Refusal where the server's answer is about this recipient. It
// returns the copies that were refused; the error is that of a recipient in To,
// of the connection, or of a copy where the server took nobody.
func (e *Envelope) NameRecipients(name func(address string) (*Refusal, error)) (refused []Refusal, err error) {
	for _, address := range e.To {
		if _, err := name(address); err != nil {
			return nil, err
		}
	}
	for _, address := range e.Cc {
		r, failed := name(address)
		if failed != nil && r == nil {
			return nil, failed
		}
		if failed != nil {
			refused = append(refused, *r)
			if err == nil || !r.Final {
				err = failed // a recipient who may be tried again decides
			}
		}
	}
	if len(e.To) > 0 || len(refused) < len(e.Cc) {
		err = nil
	}
	return refused, err
}
