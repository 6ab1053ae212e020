package socket

import (
	"context"
	"strconv"

	"konak/internal/crm/telephony"
	"konak/internal/kit/api"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

const (
	// protocol is the subprotocol of the socket.
	protocol = "phone.v1"
	// maxMessage is the maximum size of a command in bytes.
	maxMessage = 16 << 10
	// socketsPerMember is the maximum number of sockets of a member on a node.
	socketsPerMember = 8
)

type streamIn struct {
	After string `query:"after" maxLength:"20" doc:"The seq of the last message received; the stream continues after it"`
}

// parseAfter returns the sequence to continue from, -1 for now. It returns validation_failed for
// an invalid sequence.
func (in *streamIn) parseAfter() (int64, error) {
	if in.After == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(in.After, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.Invalid("after", "invalid")
	}
	return n, nil
}

const streamDoc = "Opened with a ticket, sent as the subprotocol `ticket.<x>` next to `phone.v1`; 401 without a valid one. " +
	"Each message is a JSON object with its `type`. From the server: `hello` with the `seq` after which the stream starts, `snapshot` with the ongoing calls " +
	"(all of them, or only your own without crm.calls.view), `call.started`, `call.answered`, `call.ended`, `call.missed`, `voicemail.received` and `wallet.low` " +
	"with their `seq` and the event's `data` if you are allowed to see them, `counts`, and `reset` if the events are no longer kept. " +
	"From the client: `call.hangup`, `call.hold` and `call.mute` with `on`, `call.dtmf` with `digits`, each with `id` and the `call_id` of your own call; " +
	"the answer is `ack` or `error` with the same `id`; another agent's call is not_found. Commands for a phone in the browser (`call.answer`, `call.decline` and others) are not_supported. " +
	"A message is at most 16 KiB. The socket closes when the session, permission or licence it was opened with ends."

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	ticket := telephony.Route("POST", "/stream-ticket", "create-stream-ticket", "Create a ticket for the telephony socket", perm.CallsMake)
	ticket.Doc = "Opens one socket within 30 seconds; url is its address, ws or wss to match the installation's own http or https."
	ticket.Status, ticket.ShowsSecret = 201, true
	api.Handle(a, ticket, func(ctx context.Context, _ *struct{}) (Ticket, error) { return s.CreateTicket(ctx, api.OwnHost(ctx)) })

	stream := telephony.Route("GET", "/stream", "telephony-stream", "Open the telephony socket", perm.CallsMake)
	stream.Doc = streamDoc
	api.HandleDialogue(a, stream, api.Dialogue[streamIn]{
		Protocol: protocol, MaxMessage: maxMessage, PerMember: socketsPerMember, Admit: s.admit, Run: s.run,
	})
}
