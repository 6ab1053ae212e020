package notice

import (
	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/outbound"
	"konak/internal/kit/webpush"
)

// PushKey is the key with which a browser subscribes.
type PushKey struct {
	PublicKey string `json:"public_key" example:"BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8" doc:"The applicationServerKey, in URL-safe base64"`
}

// NewSubscription is what a browser sends: the JSON of its PushSubscription.
type NewSubscription struct {
	Endpoint string     `json:"endpoint" minLength:"1" maxLength:"2000" example:"https://push.example.com/send/d2Vic3"`
	Keys     ClientKeys `json:"keys"`
}

// ClientKeys are the browser's keys, in URL-safe base64.
type ClientKeys struct {
	P256dh string `json:"p256dh" maxLength:"200" example:"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"`
	Auth   string `json:"auth" maxLength:"100" example:"BTBZMqHH6r4Tts7J_aSIgg"`
}

// Subscription is a browser that receives pushes.
type Subscription struct {
	ID        uuid.UUID  `json:"id" format:"uuid"`
	CreatedAt clock.Time `json:"created_at"`
}

// maxSubscriptions is the number of browsers of one agent that receive pushes; a further
// one replaces the oldest.
const maxSubscriptions = 10

// check returns an id for the push service's host, or a fault if nothing can be sent to the
// subscription.
func (n NewSubscription) check(out *outbound.Client) (service uuid.UUID, err error) {
	u, err := out.ParseField("endpoint", n.Endpoint)
	if err != nil {
		return service, err
	}
	if err := webpush.Keys(n.Keys).Check(); err != nil {
		return service, fault.Invalid("keys", "invalid")
	}
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(u.Host)), nil
}

// device is a stored subscription.
type device struct {
	id, agent, session uuid.UUID
	service            uuid.UUID // the push service
	sealed             []byte    // a NewSubscription
}

// sealedAs returns the name under which the subscription is sealed.
func (d device) sealedAs() string { return "push_subscription/" + d.id.String() }

// sealedKey is the name under which the workspace's key is sealed.
const sealedKey = "push_key"
