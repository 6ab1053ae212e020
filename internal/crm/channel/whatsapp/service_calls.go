package whatsapp

import "konak/internal/crm/channel"

var _ channel.Calls = (*Service)(nil)

// SpeaksSIP implements channel.Calls.
func (*Service) SpeaksSIP() bool { return true }

// CallNumber implements channel.Calls.
func (s *Service) CallNumber(a channel.Account) (string, error) {
	var set Settings
	err := a.Read(&set)
	return "+" + Digits(set.Display), err
}
