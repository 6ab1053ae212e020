package webhook

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/outbound"
)

// The kinds of mails to the owners of a workspace.
const (
	NoticeRotated  = "rotated"
	NoticeDeleted  = "deleted"
	NoticeDisabled = "disabled"
	NoticeGivenUp  = "given_up"
)

// Notice is a mail to the owners.
type Notice struct {
	Kind string
	// Module and Endpoint identify the endpoint; a deleted one has no id.
	Module   string
	Endpoint uuid.UUID
	Address  string
	// Class, Code and Reason explain why the endpoint is disabled.
	Class  string
	Code   *int
	Reason string
	// IP is the address of the caller who rotated or deleted it.
	IP string
}

// Owners sends a mail to the owners of the transaction's workspace if the transaction
// commits.
type Owners interface {
	Notify(tx *db.Tx, n Notice) error
}

// Text returns the mail in one language: "tr" or "en".
func (n Notice) Text(lang string) (subject string, body []string) {
	if lang == "tr" {
		return n.turkish()
	}
	return n.english()
}

func (n Notice) english() (subject string, body []string) {
	switch n.Kind {
	case NoticeRotated:
		return "The signing secret of a webhook was rotated",
			[]string{
				fmt.Sprintf("The signing secret of the webhook %s was rotated from the address %s.", n.Address, n.IP),
				"If this was not you or your team, someone knows a credential or the webhook's keyless id: delete the webhook and register a new one.",
			}
	case NoticeDeleted:
		return "A webhook was deleted",
			[]string{
				fmt.Sprintf("The webhook %s was deleted from the address %s. Its events are no longer sent.", n.Address, n.IP),
				"If this was not you or your team, register it again; what it missed can be recovered.",
			}
	case NoticeGivenUp:
		return "A webhook has not responded for days and stays disabled",
			[]string{
				fmt.Sprintf("The webhook %s has failed for five days; the last error was: %s.", n.Address, n.Reason),
				"It is tried once a day for another week. After that, it stays disabled until someone enables it. Events are kept for 30 days and can be recovered.",
			}
	}
	return "A webhook is not responding and was disabled",
		[]string{
			fmt.Sprintf("The webhook %s keeps failing; the last error was: %s.", n.Address, n.Reason),
			"Its deliveries are waiting. One is tried now and then; as soon as it is accepted, the rest are sent automatically.",
		}
}

func (n Notice) turkish() (subject string, body []string) {
	switch n.Kind {
	case NoticeRotated:
		return "Bir webhook'un imza anahtarı yenilendi",
			[]string{
				fmt.Sprintf("%s adresli webhook'un imza anahtarı %s adresinden yenilendi.", n.Address, n.IP),
				"Bunu siz ya da ekibiniz yapmadıysa bir oturumu, anahtarı ya da webhook'un anahtarsız kimliğini bilen biri var demektir: webhook'u silip yenisini kaydedin.",
			}
	case NoticeDeleted:
		return "Bir webhook silindi",
			[]string{
				fmt.Sprintf("%s adresli webhook %s adresinden silindi. Olayları artık gönderilmiyor.", n.Address, n.IP),
				"Bunu siz ya da ekibiniz yapmadıysa yeniden kaydedin; kaçırdığı olaylar kurtarılabilir.",
			}
	case NoticeGivenUp:
		return "Bir webhook günlerdir yanıt vermiyor ve devre dışı kalacak",
			[]string{
				fmt.Sprintf("%s adresli webhook beş gündür hata veriyor; son hata: %s.", n.Address, n.turkishReason()),
				"Bir hafta daha günde bir kez denenecek. Sonrasında biri etkinleştirene kadar devre dışı kalır. Olaylar 30 gün saklanır ve kurtarılabilir.",
			}
	}
	return "Bir webhook yanıt vermediği için devre dışı bırakıldı",
		[]string{
			fmt.Sprintf("%s adresli webhook sürekli hata veriyor; son hata: %s.", n.Address, n.turkishReason()),
			"İletimleri bekletiliyor. Arada bir tanesi denenir; kabul edilir edilmez gerisi kendiliğinden gönderilir.",
		}
}

// turkishReason returns the error's class in Turkish, since its text is English.
func (n Notice) turkishReason() string {
	switch {
	case n.Class == outbound.ClassStatus && n.Code != nil:
		return fmt.Sprintf("alıcı %d koduyla yanıt verdi", *n.Code)
	case n.Class == outbound.ClassDNS:
		return "sunucu adı bulunamadı"
	case n.Class == outbound.ClassConnect:
		return "bağlantı kurulamadı"
	case n.Class == outbound.ClassTLS:
		return "sertifika ya da şifreleme kabul edilmedi"
	case n.Class == outbound.ClassTimeout:
		return "alıcı zamanında yanıt vermedi"
	case n.Class == outbound.ClassRefused:
		return "adrese izin verilmiyor"
	case n.Class == outbound.ClassBody:
		return "yanıt okunamadı"
	}
	return n.Reason
}

// Path is the panel's path of the endpoint.
func (n Notice) Path() string {
	path := "/" + n.Module + "/webhooks"
	switch {
	case n.Module == Channel:
		return "/crm/channels"
	case n.Endpoint == uuid.Nil:
		return path
	}
	return path + "/" + n.Endpoint.String()
}

// mailOwners sends the mail about a disabled endpoint that is due, if it still is: the row
// records which were sent.
func (s *Sender) mailOwners(ctx context.Context, k laneKey) {
	err := s.db.Tenant(k.tenant).InTx(ctx, func(tx *db.Tx) error {
		t, err := lockTarget(tx, k)
		if err != nil {
			return err
		}
		kind, due := t.mail(tx.Now())
		if !due || t.reason == nil {
			return nil
		}
		if err := setHealth(tx, k, &t.health); err != nil {
			return err
		}
		n := Notice{Kind: kind, Module: t.module, Endpoint: k.id, Address: t.address, Code: t.code, Reason: *t.reason}
		if t.class != nil {
			n.Class = *t.class
		}
		return s.owners.Notify(tx, n)
	})
	if err != nil && !db.IsNoRow(err) {
		s.log.Error("the owners could not be notified about a webhook", "endpoint", k.id, "error", err)
	}
}
