package greeting

import (
	"context"

	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type previewIn struct {
	Body struct {
		Text  string `json:"text" minLength:"1" maxLength:"500" example:"Merhaba, destek hattına hoş geldiniz."`
		Voice string `json:"voice,omitempty" enum:"tr,en" default:"tr"`
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, api.Route{
		Method: "POST", Path: "/api/crm/v1/telephony/greeting/preview", ID: "preview-greeting", Tag: "CRM telephony",
		Summary: "Hear a text as callers hear it", Doc: "It spends credit, for every hundred characters that are begun; each call anew.",
		Access: api.Session, Permission: perm.TelephonyManage, Licence: "telephony",
	}, func(ctx context.Context, in *previewIn) (Preview, error) {
		return s.Preview(ctx, in.Body.Text, in.Body.Voice)
	})
}
