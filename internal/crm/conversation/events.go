package conversation

import (
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/conversation/file"
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
	// ScheduleChanged tells panels that a scheduled message was added or cancelled.
	ScheduleChanged = "conversation.schedule_changed"
	DeliveryFailed  = "message.delivery_failed"
)

// Events returns the events that the inbox announces.
func Events() event.Catalog {
	at := clock.At(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC))
	id := func(last string) uuid.UUID { return uuid.MustParse("0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b" + last) }
	tomorrow, agent, undelivered, customer := clock.At(at.Add(24*time.Hour)), id("4f"), "failed", ByContact
	example := Conversation{
		ID: id("4c"), State: Open, AIState: AIOff, Channel: "whatsapp", ContactID: id("4d"), ContactName: "Elif Kaya",
		Subject: "Teslimat tarihi", Preview: "Siparişim ne zaman gelir?", PreviewAuthorKind: &customer, Priority: "normal", Tags: []string{},
		WaitingSince: &at, LastActivityAt: at, CreatedAt: at, UpdatedAt: at,
	}
	entry := func(name, text, turkish string) event.Type {
		return event.Type{Name: name, Module: "crm", Permission: perm.ConversationsView, Description: text, Turkish: turkish, Example: example}
	}
	item := Item{
		ID: id("4e"), ConversationID: example.ID, Kind: Message, AuthorKind: ByContact, AuthorID: &example.ContactID,
		Body: example.Preview, Detail: map[string]any{}, Channel: &example.Channel, Attachments: []file.Attachment{}, Reactions: []Reaction{}, Mentions: []Mention{}, CreatedAt: at,
	}
	// rating is the item of a conversation that was rated.
	rating, rated := item, "rated"
	rating.Kind, rating.Body, rating.Event, rating.Detail = Event, "", &rated, map[string]any{"score": 5, "comment": "Çok hızlı"}
	failed, why := item, "the number is not on this channel"
	failed.AuthorKind, failed.AuthorID, failed.Delivery, failed.DeliveryError = ByAgent, &agent, &undelivered, &why
	closed, snoozed, assigned, tagged := example, example, example, example
	closed.State, closed.ClosedAt, closed.WaitingSince = Closed, &at, nil
	snoozed.State, snoozed.SnoozedUntil = Snoozed, &tomorrow
	assigned.OwnerID = &agent
	tagged.Tags = []string{"teslimat"}
	// with completes an entry with its record, the item that was added and the earlier
	// values.
	with := func(t event.Type, c Conversation, item any, before map[string]any) event.Type {
		t.Example, t.ItemExample = c, item
		if before != nil {
			t.PreviousExample = before
		}
		return t
	}
	noted := entry(Noted, "An internal note was written.", "İç not yazıldı.")
	noted.Hidden = true
	// An item can be a note, so changes of items are announced to panels only.
	changed := entry(ItemChanged, "A message or note was edited, deleted, reacted to, sent or resent.", "Bir ileti ya da not düzenlendi, silindi, tepki aldı, gönderildi ya da yeniden gönderildi.")
	changed.Hidden = true
	annotated := entry(Annotated, "The summary or what the assistant understood changed.", "Özet ya da asistanın anladıkları değişti.")
	annotated.Hidden = true
	scheduled := entry(ScheduleChanged, "A scheduled message was created, cancelled or could not be sent.", "İleri tarihli bir ileti yazıldı, iptal edildi ya da gönderilemedi.")
	scheduled.Hidden = true
	state := func(was State) map[string]any { return map[string]any{"state": was} }
	return event.Catalog{
		with(entry(Created, "A new conversation opened by any route.", "Herhangi bir yoldan yeni bir konuşma açıldı."), example, item, nil),
		with(entry(Replied, "A reply arrived on a conversation (internal notes do not emit it).", "Bir konuşmaya yanıt geldi (iç notlar bu olayı doğurmaz)."), example, item, state(Snoozed)),
		with(entry(ClosedEvent, "Conversation closed.", "Konuşma kapatıldı."), closed, nil, state(Open)),
		with(entry(SnoozedEvent, "Conversation snoozed.", "Konuşma ertelendi."), snoozed, nil, state(Open)),
		with(entry(Opened, "A closed or snoozed conversation was reopened.", "Kapatılmış ya da ertelenmiş bir konuşma yeniden açıldı."), example, nil, state(Closed)),
		with(entry(Assigned, "The owner or the group of a conversation changed.", "Bir konuşmanın sorumlusu ya da grubu değişti."), assigned, nil, map[string]any{"owner_id": nil}),
		with(entry(Tagged, "The tags of a conversation changed.", "Bir konuşmanın etiketleri değişti."), tagged, nil, map[string]any{"tags": []string{}}),
		entry(Merged, "A conversation was merged into another.", "Bir konuşma bir başkasıyla birleştirildi."),
		with(entry(Updated, "Subject, customer, priority or assistant state changed.", "Konu, müşteri, öncelik ya da asistan durumu değişti."), example, nil, map[string]any{"priority": "low"}),
		entry(Deleted, "A conversation was deleted.", "Bir konuşma silindi."),
		entry(Restored, "A deleted or merged conversation was restored.", "Silinmiş ya da birleştirilmiş bir konuşma geri getirildi."),
		with(entry(Rated, "The customer rated a conversation; the item holds the rating.", "Müşteri bir konuşmayı puanladı; puan öğenin içinde."), closed, rating, nil),
		with(entry(DeliveryFailed, "A message could not be delivered on its channel.", "Bir ileti kanalında iletilemedi."), example, failed, nil),
		noted, changed, annotated, scheduled,
	}
}
