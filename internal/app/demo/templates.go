// Package demo holds the contents of a demo.
package demo

import (
	"konak/internal/crm/template"
	graph "konak/internal/provider/whatsapp"
)

// Templates are the WhatsApp templates of a demo workspace.
func Templates(slug string) []*graph.TemplateRecord {
	id := map[string]string{"demo": "20000000000010", "acme": "20000000000020"}[slug]
	english := []*graph.TemplateRecord{
		{
			Name: "parcel_on_its_way", Language: "en", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{
					Type: template.Body, Text: "Hello {{1}}, your order {{2}} is on its way. We will tell you when it arrives.",
					Example: &template.Example{BodyText: [][]string{{"Thomas", "48213"}}},
				},
				{Type: template.Buttons, Buttons: []template.Button{{
					Type: template.URL, Text: "Track parcel", URL: "https://www." + slug + ".example/track/{{1}}", Example: []string{"https://www." + slug + ".example/track/48213"},
				}}},
			},
		},
		{
			Name: "continue_conversation", Language: "en", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{Type: template.Body, Text: "Hello {{1}}, we have an answer for you. Write back and we will go on from there.", Example: &template.Example{BodyText: [][]string{{"Thomas"}}}},
				{Type: template.Buttons, Buttons: []template.Button{{Type: template.QuickReply, Text: "Go on"}}},
			},
		},
	}
	turkish := []*graph.TemplateRecord{
		{
			Name: "kargo_bilgisi", Language: "tr", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{Type: template.Header, Format: template.Text, Text: "Siparişiniz yolda"},
				{
					Type: template.Body, Text: "Merhaba {{1}}, {{2}} numaralı siparişiniz kargoya verildi. Tahmini teslim: {{3}}. İyi günler dileriz.",
					Example: &template.Example{BodyText: [][]string{{"Elif Hanım", "48213", "18 Kasım"}}},
				},
				{Type: template.Footer, Text: "Demo A.Ş. Müşteri Hizmetleri"},
				{Type: template.Buttons, Buttons: []template.Button{{
					Type: template.URL, Text: "Kargom nerede?", URL: "https://www.demo.example/kargo/{{1}}", Example: []string{"https://www.demo.example/kargo/48213"},
				}}},
			},
		},
		{
			Name: "gorusmeye_devam", Language: "tr", Category: template.Utility, Status: template.Approved, Quality: &graph.Quality{Score: "GREEN"},
			Components: []template.Component{
				{Type: template.Body, Text: "Merhaba {{1}}, sorunuzun yanıtı hazır. Bu mesaja yazdığınızda kaldığımız yerden devam ederiz.", Example: &template.Example{BodyText: [][]string{{"Nazlı Hanım"}}}},
				{Type: template.Buttons, Buttons: []template.Button{{Type: template.QuickReply, Text: "Devam edelim"}}},
			},
		},
		{
			Name: "kis_kampanyasi", Language: "tr", Category: template.Marketing, Status: template.Approved, Quality: &graph.Quality{Score: "YELLOW"},
			Components: []template.Component{
				{Type: template.Body, Text: "Merhaba {{1}}, kış koleksiyonunda sepette %15 indirim 30 Kasım'a kadar geçerli. Keyifli alışverişler!", Example: &template.Example{BodyText: [][]string{{"Elif Hanım"}}}},
				{Type: template.Footer, Text: "Bu iletileri almamak için RET yazın"},
			},
		},
		{
			Name: "acil_firsat", Language: "tr", Category: template.Utility, Status: template.Rejected, Reason: "INCORRECT_CATEGORY", Quality: &graph.Quality{Score: "UNKNOWN"},
			Components: []template.Component{{Type: template.Body, Text: "Kaçırmayın! Yalnızca bugün bütün havlularda büyük indirim sizi bekliyor."}},
		},
	}
	out := english
	if slug == "demo" {
		out = append(turkish, english...)
	}
	for i, t := range out {
		t.ID, t.ParameterFormat = id+string(rune('0'+i)), template.Positional
	}
	return out
}
