package social

import (
	"context"
	"net/url"
	"time"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/social"
	"konak/internal/kit/clock"
	"konak/internal/provider/whatsapp"
)

const callSettings = "messenger_call_settings"

// CallSettings implements social.Provider.
func (c *Client) CallSettings(ctx context.Context, a social.Access) (out channel.ProviderCalls, err error) {
	var got CallSettingsPage
	if err := c.graph.Get(ctx, a.Token, path(a.PageID, callSettings), nil, &got); err != nil {
		return out, err
	}
	out = channel.ProviderCalls{Status: channel.CallsOff, Icon: channel.IconShown}
	for _, set := range got.Data {
		if set.Audio != nil && *set.Audio {
			out.Status = channel.CallsOn
		}
		if set.Icon != nil && !*set.Icon {
			out.Icon = channel.IconHidden
		}
		if set.Hours != nil {
			out.Hours.V = whatsapp.ReadHours(set.Hours)
		}
	}
	return out, nil
}

// SetCallSettings implements social.Provider. Calls ring in the page's own program. A
// customer who calls may always be called back, so there is nothing to set for that.
func (c *Client) SetCallSettings(ctx context.Context, a social.Access, ch channel.CallChange) error {
	set := CallSettings{Audio: &ch.Enabled}
	if ch.Enabled {
		set.Routing = &CallRouting{Target: RingPartners}
	}
	if ch.Icon != nil {
		shown := *ch.Icon == channel.IconShown
		set.Icon = &shown
	}
	if ch.Hours != nil {
		set.Hours = whatsapp.WriteHours(*ch.Hours)
	}
	return c.graph.Post(ctx, a.Token, path(a.PageID, callSettings), set, nil)
}

// CallPermission implements social.Provider.
func (c *Client) CallPermission(ctx context.Context, a social.Access, customer string) (out channel.CallPermission, err error) {
	var got CallPermissions
	if err := c.graph.Get(ctx, a.Token, path(a.PageID, "messenger_call_permissions"), url.Values{"psid": {customer}}, &got); err != nil {
		return out, err
	}
	out = channel.CallPermission{Permission: channel.CallNone}
	if got.Status == HasPermission {
		out.Permission = channel.CallGranted
		out.Permanent = got.Expiration == 0
		if got.Expiration > 0 {
			out.ExpiresAt = clock.Ptr(time.Unix(got.Expiration, 0).UTC())
		}
	}
	for _, action := range got.Actions {
		if action.Name != AskPermission {
			continue
		}
		out.CanRequest = action.CanPerform
		whatsapp.TakeLimits(&out, action.Limits)
	}
	return out, nil
}

// AskToCall implements social.Provider.
func (c *Client) AskToCall(ctx context.Context, a social.Access, customer, text string) error {
	_, err := c.message(ctx, a, Outgoing{Recipient: Ref{customer}, Type: TypeResponse, Message: &OutgoingMessage{
		Attachment: &OutgoingAttachment{Type: "template", Payload: AttachmentPayload{TemplateType: CallOptIn, Text: text}},
	}})
	return err
}
