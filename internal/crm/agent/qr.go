package agent

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
	"konak/internal/kit/mailer"
)

// How long a QR can be scanned.
const (
	ScreenLife = 2 * time.Minute
	MailLife   = 24 * time.Hour
)

// States of a QR.
const (
	Pending = "pending"
	Scanned = "scanned"
	Expired = "expired"
	Revoked = "revoked"
)

// NewQR is a QR with its key, which is shown once.
type NewQR struct {
	ID        uuid.UUID  `json:"qr_id"`
	Key       string     `json:"key" example:"qrk_…" doc:"Shown only in this response"`
	PNG       string     `json:"qr_png" example:"data:image/png;base64,iVBORw0KGgo=" doc:"The QR as a data: URL"`
	ExpiresAt clock.Time `json:"expires_at"`
}

// QR is a QR as it is shown after its creation, without the key.
type QR struct {
	ID        uuid.UUID            `json:"qr_id"`
	Status    string               `json:"status" enum:"pending,scanned,expired,revoked"`
	Mailed    bool                 `json:"mailed"`
	ExpiresAt clock.Time           `json:"expires_at"`
	ScannedAt *clock.Time          `json:"scanned_at" nullable:"true"`
	Device    api.Nullable[Device] `json:"device" doc:"Device that signed in"`

	revokedAt *clock.Time
}

// Device is the phone that scanned a QR.
type Device struct {
	Name     string `json:"name" example:"Ayşe's phone"`
	Platform string `json:"platform" example:"Android"`
}

// setStatus sets the QR's status at the given time.
func (q *QR) setStatus(now time.Time) {
	switch {
	case q.ScannedAt != nil:
		q.Status = Scanned
	case q.revokedAt != nil:
		q.Status = Revoked
	case !q.ExpiresAt.After(now):
		q.Status = Expired
	default:
		q.Status = Pending
	}
}

// Unscanned reports whether an agent has a QR that waits to be scanned.
type Unscanned struct {
	Unscanned bool             `json:"unscanned"`
	QR        api.Nullable[QR] `json:"qr" doc:"The newest unscanned QR"`
}

// RevokedCount is the answer to a revocation.
type RevokedCount struct {
	Revoked int64 `json:"revoked" example:"1" doc:"Number of QRs revoked; 0 if there were none"`
}

// qrMail returns the mail that carries a QR to an agent who is not at this screen.
func qrMail(a Agent, link string, png []byte) mailer.Mail {
	name := a.Name
	if name == "" {
		name = a.Email
	}
	if a.language == "en" {
		return mailer.Mail{
			To: a.Email, Language: "en", Subject: "Sign in on your phone", Greeting: "Hello " + name + ",",
			Body: []string{"Scan this code with your phone, or open the link on your phone, to sign in to Konak there."},
			PNG:  png, Link: link, LinkText: "Sign in on this phone",
			After: []string{"The code is valid for 24 hours and works once. Do not forward this e-mail: whoever scans the code is signed in as you."},
		}
	}
	return mailer.Mail{
		To: a.Email, Language: "tr", Subject: "Telefonunuzda oturum açın", Greeting: "Merhaba " + name + ",",
		Body: []string{"Bu kodu telefonunuzla okutun ya da bağlantıyı telefonunuzda açın; Konak'ta oturumunuz açılır."},
		PNG:  png, Link: link, LinkText: "Bu telefonda oturum aç",
		After: []string{"Kod 24 saat geçerlidir ve bir kez kullanılır. Bu e-postayı kimseye iletmeyin: kodu okutan sizin yerinize oturum açar."},
	}
}
