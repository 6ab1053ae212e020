package social

import (
	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/crm/channel/meta"
	"konak/internal/kit/db"
)

// page is the kind messenger, which also supports calls.
type page struct {
	*Service
	meta.Calling[Access]
}

// instagram is the kind instagram.
type instagram struct{ *Service }

var (
	_ channel.Calls  = (*page)(nil)
	_ channel.Kind   = (*page)(nil)
	_ channel.Typist = (*page)(nil)
	_ channel.Kind   = instagram{}
)

// Kinds returns the kinds of channel that the service implements.
func (s *Service) Kinds() map[string]channel.Kind {
	return map[string]channel.Kind{Messenger: &page{s, meta.NewCalling[Access](s.Provider, s.open, s.accounts.RecordAnswer)}, Instagram: instagram{s}}
}

// File types that the provider shows as picture, video or sound.
var (
	imageTypes = []string{"image/gif", "image/jpeg", "image/png"}
	videoTypes = []string{"video/mp4"}
	audioTypes = []string{"audio/aac", "audio/mp4", "audio/mpeg", "audio/wav"}
)

const mib = 1 << 20

// Capabilities implements channel.Kind.
func (*page) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files:     channel.AnyFile(25 * mib),
		Reactions: true, EditsIn: true, DeletesIn: true, Calls: true, ReadReceipts: true, Typing: true, WindowHours: 24, HumanWindowHours: 168,
	}
}

// Capabilities implements channel.Kind. Instagram accepts pictures, videos and sound, and
// the only reaction that apps can set is a heart.
func (instagram) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Files: []channel.FileRule{
			{Types: imageTypes, MaxSize: 8 * mib}, {Types: videoTypes, MaxSize: 25 * mib}, {Types: audioTypes, MaxSize: 25 * mib},
		},
		Reactions: true, ReactionSigns: []string{"❤️", "❤"}, EditsIn: true, DeletesIn: true, ReadReceipts: true, WindowHours: 24, HumanWindowHours: 168,
	}
}

// ShowTyping implements channel.Typist.
func (p *page) ShowTyping(tx *db.Tx, account uuid.UUID, address string) error {
	return p.transport.EnqueueTyping(tx, account, address)
}

// SpeaksSIP implements channel.Calls: Messenger sends calls to browsers only.
func (*page) SpeaksSIP() bool { return false }

// CallNumber implements channel.Calls: a page has none.
func (*page) CallNumber(channel.Account) (string, error) { return "", nil }
