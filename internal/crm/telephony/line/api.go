package line

import (
	"context"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
	"konak/internal/kit/secret"
)

type setLineIn struct {
	Body struct {
		Server     string `json:"server" minLength:"1" maxLength:"260" example:"sip.santral.example" doc:"Host, or host and port"`
		Transport  string `json:"transport,omitempty" enum:"udp,tcp,tls" default:"udp" doc:"With tls, the server's certificate must match its host"`
		Encryption string `json:"media_encryption,omitempty" enum:"off,optional,required" default:"off" doc:"Audio encryption (SRTP); all values but off need the transport tls, which carries the keys. required: a call whose audio the carrier does not encrypt ends"`
		Username   string `json:"username" minLength:"1" maxLength:"64" example:"902125550101"`
		AuthUser   string `json:"auth_user,omitempty" maxLength:"64" example:"902125550101"`
		Password   string `json:"password,omitempty" maxLength:"200" example:"…" doc:"Neither stored nor logged here: the exchange keeps a hash of it. If left out, the previous one stays, provided server and user are the same"`
		Register   *bool  `json:"register,omitempty" doc:"Whether the line registers with its server; defaults to true"`
		E164       string `json:"e164,omitempty" maxLength:"30" example:"+902125550101" doc:"Number shown on calls over the line"`

		ID        api.GivenBack `json:"id,omitzero"`
		Status    api.GivenBack `json:"status,omitzero"`
		LastError api.GivenBack `json:"last_error,omitzero"`
		UpdatedAt api.GivenBack `json:"updated_at,omitzero"`
	}
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	api.Handle(a, telephony.Route("GET", "/line", "get-phone-line", "Get the workspace's own SIP line", perm.CallsView),
		func(ctx context.Context, _ *struct{}) (Line, error) { return s.Line(ctx) })

	set := telephony.Route("PUT", "/line", "set-phone-line", "Connect the workspace's own SIP line", perm.TelephonyManage)
	set.Doc = "The password is passed to the exchange and is neither stored nor logged. 422 for a server at an address that is not allowed for lines, such as one inside the operator's network. " +
		"409 not_configured if the installation has no exchange."
	set.ShowsSecret, set.Refusals = true, []int{409, 503}
	api.Handle(a, set, func(ctx context.Context, in *setLineIn) (Line, error) {
		b := in.Body
		return s.Set(ctx, Line{
			Server: b.Server, Transport: b.Transport, Encryption: b.Encryption, Username: b.Username, AuthUser: b.AuthUser, Number: b.E164, Register: b.Register == nil || *b.Register,
		}, secret.Of(b.Password))
	})

	drop := telephony.Route("DELETE", "/line", "delete-phone-line", "Disconnect the workspace's own SIP line", perm.TelephonyManage)
	drop.Refusals = []int{404}
	api.Handle(a, drop,
		func(ctx context.Context, _ *struct{}) (api.Deleted, error) {
			id, err := s.Delete(ctx)
			return api.Deleted{ID: api.ID{UUID: id}, Deleted: true}, err
		})
}
