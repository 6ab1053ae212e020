package channel

import (
	"slices"
	"strings"
	"unicode/utf8"

	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/file"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// AnyType stands for every type of file.
const AnyType = "*/*"

// FileRule is the size limit for files of some types.
type FileRule struct {
	Types   []string `json:"types" nullable:"false" example:"image/png" doc:"MIME types; */* means all others"`
	MaxSize int64    `json:"max_size" example:"8388608" doc:"Size limit in bytes"`
}

// Capabilities is what a kind of channel can carry.
type Capabilities struct {
	Files            []FileRule `json:"files" nullable:"false" doc:"Files that can be sent; the first rule that lists the type applies. Empty for none"`
	Reactions        bool       `json:"reactions" doc:"Whether an agent can react to a message"`
	ReactionSigns    []string   `json:"reaction_signs" nullable:"false" example:"❤️" doc:"The only emoji allowed, with or without a variation selector (U+FE0F); empty for any"`
	EditsIn          bool       `json:"edits_in" doc:"Whether messages that customers edit are updated"`
	DeletesIn        bool       `json:"deletes_in" doc:"Whether messages that customers delete are reported"`
	Formatting       bool       `json:"formatting" doc:"Whether customers see formatted text"`
	Typing           bool       `json:"typing" doc:"Whether customers see that an agent is typing"`
	MaxText          int        `json:"max_text" example:"4096" doc:"Maximum characters in a message; longer text is refused. 0 means no limit, or that longer text is split into several messages"`
	Templates        bool       `json:"templates" doc:"Whether templates can be sent"`
	Calls            bool       `json:"calls" doc:"Whether customers can be called"`
	ReadReceipts     bool       `json:"read_receipts" doc:"Whether customers can be shown that a message was read"`
	WindowHours      int        `json:"window_hours" example:"24" doc:"Hours after a customer's message in which free text can be sent; 0 means no limit in time"`
	HumanWindowHours int        `json:"human_window_hours" example:"168" doc:"Hours in which a person can reply, if the provider granted this to the account; 0 if that is no longer than window_hours"`
}

// KindCapabilities is a kind of channel with its capabilities.
type KindCapabilities struct {
	Kind string `json:"kind" example:"instagram"`
	Capabilities
}

// Capabilities lists the capabilities of all kinds, sorted by name. File sizes are limited
// to what the inbox accepts.
func (s *Service) Capabilities() []KindCapabilities {
	out := []KindCapabilities{}
	for name, kind := range s.cfg.Kinds {
		c := KindCapabilities{name, kind.Capabilities()}
		c.Files, c.ReactionSigns = db.OrEmpty(slices.Clone(c.Files)), db.OrEmpty(c.ReactionSigns)
		for i := range c.Files {
			c.Files[i].MaxSize = min(c.Files[i].MaxSize, file.MaxSize)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b KindCapabilities) int { return strings.Compare(a.Kind, b.Kind) })
	return out
}

// checkSign refuses a reaction with an emoji that the channel does not support.
func (s *Service) checkSign(r conversation.OutgoingReaction) error {
	kind, ok := s.cfg.Kinds[r.Route.Channel]
	if !ok || r.Emoji == "" {
		return nil
	}
	same := func(sign string) bool { return PlainSign(sign) == PlainSign(r.Emoji) }
	if signs := kind.Capabilities().ReactionSigns; len(signs) > 0 && !slices.ContainsFunc(signs, same) {
		return fault.New(fault.ReactionUnsupported).Because("sign_unsupported")
	}
	return nil
}

// PlainSign removes the variation selector from an emoji; it only asks for display in
// colour.
func PlainSign(sign string) string { return strings.ReplaceAll(sign, "\ufe0f", "") }

// check refuses a message whose text or files the channel cannot carry, before anything is
// written.
func (c Capabilities) check(m conversation.Outgoing) error {
	if c.MaxText > 0 && m.Template == nil && utf8.RuneCountInString(m.Body) > c.MaxText {
		return fault.Invalid("body", "too_long")
	}
	rules := c.Files
	for _, f := range m.Attachments {
		i := slices.IndexFunc(rules, func(r FileRule) bool { return slices.Contains(r.Types, f.Type) || slices.Contains(r.Types, AnyType) })
		if i < 0 {
			return fault.Invalid("attachments", "type_unsupported").Because(f.Name)
		}
		if f.Size > rules[i].MaxSize {
			return fault.Invalid("attachments", "too_large").Because(f.Name)
		}
	}
	return nil
}

// AnyFile returns the rule of a kind that carries every file type that the inbox accepts.
func AnyFile(maxSize int64) []FileRule {
	return []FileRule{{Types: []string{AnyType}, MaxSize: maxSize}}
}
