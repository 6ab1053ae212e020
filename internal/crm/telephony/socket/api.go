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
	// maxMessage is how many bytes a command may have.
	maxMessage = 16 << 10
	// socketsPerMember is how many sockets a member may hold on a node.
	socketsPerMember = 8
)

type streamIn struct {
	After string `query:"after" maxLength:"20" doc:"The seq of the last message received, to go on from there"`
}

// after is the sequence to go on from, -1 for now. It returns validation_failed for
// what is no sequence.
func (in *streamIn) after() (int64, error) {
	if in.After == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(in.After, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.Invalid("after", "invalid")
	}
	return n, nil
}

const streamDoc = "Opened by a ticket, offered as the subprotocol `ticket.<x>` beside `phone.v1`; 401 without a good one. " +
	"Each message is a JSON object with its `type`. From the server: `hello` with the `seq` that the stream begins after, `snapshot` with the calls that go on " +
	"(all of them, or one's own without crm.calls.view), `call.started`, `call.answered`, `call.ended`, `call.missed`, `voicemail.received` and `wallet.low` " +
	"with their `seq` and the event's `data` to whom may see them, `counts`, and `reset` where events are no longer kept. " +
	"From the client: `call.hangup`, `call.hold` and `call.mute` with `on`, `call.dtmf` with `digits`, each with `id` and the `call_id` of one's own call; " +
	"the answer is `ack` or `error` with the same `id`, and another's call is not_found. What a browser's own phone will say (`call.answer`, `call.decline` and others) is not_supported. " +
	"A message is at most 16 KiB. The socket ends with the session, the permission or the licence that it was opened by."

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	ticket := telephony.Route("POST", "/stream-ticket", "create-stream-ticket", "Get a ticket for the socket", perm.CallsMake)
	ticket.Doc = "It opens one socket within 30 seconds; url is where, ws or wss as the installation's own address is http or https."
	ticket.Status, ticket.ShowsSecret = 201, true
	api.Handle(a, ticket, func(ctx context.Context, _ *struct{}) (Ticket, error) { return s.CreateTicket(ctx, api.OwnHost(ctx)) })

	stream := telephony.Route("GET", "/stream", "telephony-stream", "The socket of telephony", perm.CallsMake)
	stream.Doc = streamDoc
	api.HandleDialogue(a, stream, api.Dialogue[streamIn]{
		Protocol: protocol, MaxMessage: maxMessage, PerMember: socketsPerMember, Admit: s.admit, Run: s.run,
	})
}
