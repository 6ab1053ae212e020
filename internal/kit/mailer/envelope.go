package mailer

// Envelope is the sender and the recipients of a mail.
type Envelope struct {
	From string // "" for nobody
	// To are the recipients who must all be accepted for the mail to be sent.
	To []string
	// Cc are recipients who may be refused while the others get the mail.
	Cc []string
}

// Refusal is a recipient that a mail server did not accept.
type Refusal struct {
	Address string
	Reason  string // the server's answer
	Final   bool   // trying again is useless
}

// NameRecipients sends the recipients of a mail to its server, one by one. The function
// name returns an error if the server does not accept one, together with a Refusal if the
// server's answer is about this recipient. NameRecipients returns the copies that were
// refused; the error is that of a recipient in To, of the connection, or of a copy if the
// server accepted nobody.
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
