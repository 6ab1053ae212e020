package meta

import (
	"context"
	"io"

	"konak/internal/kit/api"
)

type challengeIn struct {
	Mode      string `query:"hub.mode" maxLength:"40" example:"subscribe"`
	Token     string `query:"hub.verify_token" maxLength:"200" example:"token"`
	Challenge string `query:"hub.challenge" maxLength:"200" example:"1158201444"`
}

type hookIn struct {
	Signature string `header:"X-Hub-Signature-256" maxLength:"200" doc:"HMAC-SHA256 of the body, keyed with the app secret"`
}

// Hook describes the webhook of a kind.
type Hook struct {
	Path     string
	Kind     string // prefix of the operation names
	Doc      string
	Summary  string // of the calls that deliver events
	Refusals []int  // of these calls
}

// Register adds the routes of a kind's webhook.
func (r *Receiver[E]) Register(a *api.API, h Hook) {
	hook := api.Route{Path: h.Path, Tag: "CRM channels", Access: api.Public, Refusals: []int{404}, Doc: h.Doc}
	ask := hook
	ask.Method, ask.ID, ask.Summary = "GET", h.Kind+"-webhook-challenge", "Answer the provider's webhook challenge"
	api.HandleBytes(a, ask, "text/plain", func(_ context.Context, in *challengeIn) (*api.Bytes, error) {
		text, err := r.Challenge(in.Mode, in.Token, in.Challenge)
		return &api.Bytes{ContentType: "text/plain", Write: func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}}, err
	})
	// The signature guards it, and a busy account sends more events than our callers' rate
	// limit allows.
	hook.Method, hook.ID, hook.Summary, hook.Limit = "POST", h.Kind+"-webhook", h.Summary, api.Unlimited
	hook.Refusals, hook.MaxBody = h.Refusals, 4<<20
	// The signature covers the raw bytes, so the body must not be parsed before.
	api.HandleUpload(a, hook, func(ctx context.Context, in *hookIn, body *api.Upload) (api.Done, error) {
		text, err := io.ReadAll(body)
		if err != nil {
			return api.Done{}, err
		}
		return api.Done{Done: true}, r.Receive(ctx, api.ClientIP(ctx), text, in.Signature)
	})
}
