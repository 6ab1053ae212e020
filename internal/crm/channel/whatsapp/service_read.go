package whatsapp

import (
	"context"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/transport"
	"konak/internal/kit/db"
)

var _ channel.Receipts = (*Service)(nil)

// SetReadReceipts implements channel.Receipts.
func (s *Service) SetReadReceipts(a *channel.Account, on bool) error {
	return transport.ChangeSettings(a, func(set *Settings) { set.ReadReceipts = on })
}

// MarkSeen implements channel.Receipts.
func (s *Service) MarkSeen(tx *db.Tx, a channel.Account, providerMessageID string) error {
	var set Settings
	if err := a.Read(&set); err != nil || !set.ReadReceipts {
		return err
	}
	return s.transport.EnqueueRead(tx, a.ID, providerMessageID)
}

// MarkRead implements transport.Reader; what is the message.
func (c carrier) MarkRead(ctx context.Context, o *opened, what string) error {
	return c.Provider.MarkRead(ctx, o.Set.access(o.Creds), what)
}
