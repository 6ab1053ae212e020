package conversation

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/event"
	"konak/internal/kit/perm"
)

// Event names.
const (
	Created      = "conversation.created"
	Replied      = "conversation.replied"
	ClosedEvent  = "conversation.closed"
	SnoozedEvent = "conversation.snoozed"
	Opened       = "conversation.opened"
	Assigned     = "conversation.assigned"
	Tagged       = "conversation.tagged"
	Merged       = "conversation.merged"
	Updated      = "conversation.updated"
	Deleted      = "conversation.deleted"
	Restored     = "conversation.restored"
	Noted        = "conversation.noted"
	Rated        = "conversation.rated"
	ItemChanged  = "conversation.item_changed"
	Annotated    = "conversation.annotated"
	// ScheduleChanged tells panels that a message for later was added or taken back.
	ScheduleChanged = "conversation.schedule_changed"
	DeliveryFailed  = "message.delivery_failed"
)

// Events are what this room announces.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	id := func(last string) uuid.UUID { return uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b" + last) }
	example := Conversation{
		ID: id("4c"), State: Open, AIState: AIOff, Channel: "whatsapp", ContactID: id("4d"), ContactName: "Elif Kaya",
		Subject: "Teslimat tarihi", Preview: "Siparişim ne zaman gelir?", Priority: "normal", Tags: []string{},
		WaitingSince: &at, LastActivityAt: at, CreatedAt: at, UpdatedAt: at,
	}
	entry := func(name, text string) event.Type {
		return event.Type{Name: name, Module: "crm", Permission: perm.ConversationsView, Description: text, Example: example}
	}
	noted := entry(Noted, "An internal note was written.")
	noted.Hidden = true
	// An item can be a note, so panels alone are told what becomes of items.
	changed := entry(ItemChanged, "A message or a note was edited, deleted, reacted to or sent again.")
	changed.Hidden = true
	annotated := entry(Annotated, "The summary or what the assistant understood changed.")
	annotated.Hidden = true
	scheduled := entry(ScheduleChanged, "A message for later was written, cancelled or could not be sent.")
	scheduled.Hidden = true
	return event.Catalog{
		entry(Created, "A new conversation opened by any route."),
		entry(Replied, "A reply arrived on a conversation (internal notes do not emit it)."),
		entry(ClosedEvent, "Conversation closed."),
		entry(SnoozedEvent, "Conversation snoozed."),
		entry(Opened, "A closed or snoozed conversation was opened again."),
		entry(Assigned, "The owner or the group of a conversation changed."),
		entry(Tagged, "The tags of a conversation changed."),
		entry(Merged, "A conversation was merged into another."),
		entry(Updated, "Subject, customer, priority or assistant state changed."),
		entry(Deleted, "A conversation was deleted."),
		entry(Restored, "A deleted conversation was brought back."),
		entry(Rated, "The customer rated a conversation; the item holds the rating."),
		entry(DeliveryFailed, "A message could not be delivered on its channel."),
		noted, changed, annotated, scheduled,
	}
}
