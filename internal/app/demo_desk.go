package app

import (
	"context"

	"konak/internal/crm/conversation"
	"konak/internal/crm/desk"
	"konak/internal/identity"
)

// demoDesk holds the macros, canned replies and views of a demo workspace.
type demoDesk struct {
	macros []desk.NewMacro
	canned []desk.NewCannedReply
	views  []desk.NewView
}

func ptr[T any](v T) *T { return &v }

var demoDesks = map[string]demoDesk{
	"demo": {
		macros: []desk.NewMacro{
			{Name: "İade başlat", Description: "İade kodunu yollar, etiketler ve yanıt gelene kadar erteler", Actions: []desk.Action{
				{Type: "reply", Body: ptr("Merhaba {{contact.first_name|değerli müşterimiz}}, iade talebinizi aldık. Ürünü 14 gün içinde dilediğiniz şubeye bırakabilirsiniz.")},
				{Type: "add_tags", Tags: []string{"iade"}},
				{Type: "assign", Agent: ptr("me")},
				{Type: "snooze", UntilReply: ptr(true)},
			}},
			{Name: "Çözüldü", Description: "Teşekkür eder ve kapatır", Actions: []desk.Action{
				{Type: "reply", Body: ptr("Yardımcı olabildiysek ne mutlu bize. İyi günler dileriz, {{agent.name}}")},
				{Type: "close"},
			}},
		},
		canned: []desk.NewCannedReply{
			{Shared: true, Shortcut: "kargo", Title: "Kargo ne zaman gelir", Body: "Merhaba {{contact.first_name|değerli müşterimiz}}, siparişiniz kargoya verildi; takip numaranızı birazdan iletiyorum."},
			{Shared: true, Shortcut: "iade", Title: "İade koşulları", Body: "Ürünlerimizi teslimden sonra 14 gün içinde ücretsiz iade edebilirsiniz. Ücret, ürün depomuza ulaştıktan sonra en geç 3 iş gününde kartınıza yansır."},
			{Shared: true, Shortcut: "fatura", Title: "Kurumsal fatura", Body: "Fatura bilgilerinizi (unvan, vergi dairesi, vergi numarası) yazarsanız faturanızı bugün yeniden düzenleriz."},
		},
		views: []desk.NewView{
			{Shared: true, Name: "Sahipsiz açıklar", Filter: conversation.Query{State: "open", OwnerID: "none", Sort: "waiting_since"}},
			{Shared: true, Name: "Bende bekleyenler", Filter: conversation.Query{State: "open", OwnerID: "me", Sort: "waiting_since"}},
			{Shared: true, Name: "İadeler", Filter: conversation.Query{Tag: "iade", Sort: "-last_activity"}},
		},
	},
	"acme": {
		macros: []desk.NewMacro{
			{Name: "Escalate to support", Description: "Leaves a note, raises the priority and gives it back to the team", Actions: []desk.Action{
				{Type: "note", Body: ptr("Needs a second pair of eyes, please.")},
				{Type: "priority", Priority: ptr("high")},
				{Type: "assign", Agent: ptr("none")},
			}},
		},
		canned: []desk.NewCannedReply{
			{Shared: true, Shortcut: "hi", Title: "Greeting", Body: "Hi {{contact.first_name|there}}, thanks for getting in touch. I am looking into it now."},
			{Shared: true, Shortcut: "trial", Title: "Extend a trial", Body: "I have extended your trial by a week. Anything I can help you try out?"},
		},
		views: []desk.NewView{
			{Shared: true, Name: "Nobody's yet", Filter: conversation.Query{State: "open", OwnerID: "none", Sort: "waiting_since"}},
			{Shared: true, Name: "Urgent", Filter: conversation.Query{Priority: "urgent", Sort: "-last_activity"}},
		},
	},
}

// fillDesk creates it as the workspace's owner.
func (a *App) fillDesk(ctx context.Context, w identity.Workspace) error {
	kept := demoDesks[w.Slug]
	for _, n := range kept.macros {
		if _, err := a.Desk.AddMacro(ctx, n); err != nil {
			return err
		}
	}
	for _, n := range kept.canned {
		if _, err := a.Desk.AddCannedReply(ctx, n); err != nil {
			return err
		}
	}
	for _, n := range kept.views {
		if _, err := a.Desk.AddView(ctx, n); err != nil {
			return err
		}
	}
	return nil
}
