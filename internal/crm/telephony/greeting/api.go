package greeting

import (
	"cmp"
	"context"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type previewIn struct{ Body previewBody }

type previewBody struct {
	Text  string `json:"text" minLength:"1" maxLength:"500" example:"Merhaba, destek hattına hoş geldiniz."`
	Voice string `json:"voice,omitempty" enum:"tr,en" default:"tr"`
}

type setGreetingsIn struct {
	Body struct {
		Slots []Change `json:"slots" minItems:"1" maxItems:"6" nullable:"false" doc:"Slots to change"`
	}
}

type greetingAudioIn struct {
	Slot string `path:"slot" example:"welcome"`
}

type uploadGreetingIn struct {
	Slot string `path:"slot" example:"welcome"`
	Name string `query:"name" maxLength:"300" example:"karsilama.wav" doc:"File name"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	s.registerSlots(a)
	api.Handle(a, api.Route{
		Method: "POST", Path: "/api/crm/v1/telephony/greeting/preview", ID: "preview-greeting", Tag: "CRM telephony",
		Summary: "Preview a greeting text as speech", Doc: "Each request spends credit for every started hundred characters.",
		Access: api.Session, Permission: perm.TelephonyManage, Licence: "telephony",
	}, func(ctx context.Context, in *previewIn) (Preview, error) {
		return s.Preview(ctx, in.Body.Text, in.Body.Voice)
	})
}

func (s *Service) registerSlots(a *api.API) {
	api.Handle(a, telephony.Route("GET", "/greeting", "get-greetings", "Get the greetings", perm.CallsView),
		func(ctx context.Context, _ *struct{}) (Greetings, error) { return s.Greetings(ctx) })

	set := telephony.Route("PUT", "/greeting", "set-greetings", "Change the greetings", perm.TelephonyManage)
	set.Doc = "Changes only the given slots. 422 for the mode audio if no file was uploaded; 409 not_configured for a text if the installation has no speech synthesis."
	set.Refusals = []int{409, 503}
	api.Handle(a, set, func(ctx context.Context, in *setGreetingsIn) (Greetings, error) { return s.Set(ctx, in.Body.Slots) })

	play := telephony.Route("GET", "/greeting/audio/{slot}", "get-greeting-audio", "Play the file uploaded for a slot", perm.CallsView)
	play.Doc, play.OneOf, play.Refusals = "Supports Range requests.", map[string][]string{"slot": Slots}, []int{410}
	api.HandleFile(a, play, func(ctx context.Context, in *greetingAudioIn) (*api.File, error) {
		slot, content, err := s.Open(ctx, in.Slot)
		if err != nil {
			return nil, err
		}
		return &api.File{Name: cmp.Or(slot.Name, slot.Slot+".wav"), Type: "audio/wav", Inline: true, Tag: slot.SHA256, Modified: slot.UpdatedAt.Time, Content: content}, nil
	})

	upload := telephony.Route("POST", "/greeting/audio/{slot}", "upload-greeting-audio", "Upload a greeting file", perm.TelephonyManage)
	upload.Doc = "The body is the file itself: a PCM WAV file with 8, 16, 24 or 32 bits, one or two channels, 8,000 to 48,000 samples a second and at most ten minutes. It is stored unchanged; the exchange converts it for the phone. " +
		"422 on `file` if it cannot be played: not_wav (also MP3 and Ogg: convert them to WAV first), not_pcm, wrong_bits, wrong_channels, wrong_rate, cut_off (shorter than it says), empty, too_long."
	upload.Status, upload.MaxBody, upload.OneOf, upload.Refusals = 201, MaxUpload, map[string][]string{"slot": Slots}, []int{409}
	api.HandleUpload(a, upload, func(ctx context.Context, in *uploadGreetingIn, body *api.Upload) (Slot, error) {
		return s.Upload(ctx, in.Slot, in.Name, body)
	})
}
