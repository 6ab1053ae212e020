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
		record("parcel_on_its_way", "en", template.Utility, "GREEN",
			body("Hello {{1}}, your order {{2}} is on its way. We will tell you when it arrives.", "Thomas", "48213"),
			linkButton("Track parcel", "https://www."+slug+".example/track/", "48213")),
		record("continue_conversation", "en", template.Utility, "GREEN",
			body("Hello {{1}}, we have an answer for you. Write back and we will go on from there.", "Thomas"), replyButton("Go on")),
	}
	turkish := []*graph.TemplateRecord{
		record("kargo_bilgisi", "tr", template.Utility, "GREEN",
			template.Component{Type: template.Header, Format: template.Text, Text: "Siparişiniz yolda"},
			body("Merhaba {{1}}, {{2}} numaralı siparişiniz kargoya verildi. Tahmini teslim: {{3}}. İyi günler dileriz.", "Elif Hanım", "48213", "18 Kasım"),
			template.Component{Type: template.Footer, Text: "Demo A.Ş. Müşteri Hizmetleri"},
			linkButton("Kargom nerede?", "https://www.demo.example/kargo/", "48213")),
		record("gorusmeye_devam", "tr", template.Utility, "GREEN",
			body("Merhaba {{1}}, sorunuzun yanıtı hazır. Bu mesaja yazdığınızda kaldığımız yerden devam ederiz.", "Nazlı Hanım"), replyButton("Devam edelim")),
		record("kis_kampanyasi", "tr", template.Marketing, "YELLOW",
			body("Merhaba {{1}}, kış koleksiyonunda sepette %15 indirim 30 Kasım'a kadar geçerli. Keyifli alışverişler!", "Elif Hanım"),
			template.Component{Type: template.Footer, Text: "Bu iletileri almamak için RET yazın"}),
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

// record returns an approved template.
func record(name, language, category, quality string, components ...template.Component) *graph.TemplateRecord {
	return &graph.TemplateRecord{
		Name: name, Language: language, Category: category, Status: template.Approved, Quality: &graph.Quality{Score: quality}, Components: components,
	}
}

func body(text string, examples ...string) template.Component {
	return template.Component{Type: template.Body, Text: text, Example: &template.Example{BodyText: [][]string{examples}}}
}

// linkButton opens an address that ends with a variable.
func linkButton(text, address, example string) template.Component {
	return template.Component{Type: template.Buttons, Buttons: []template.Button{{
		Type: template.URL, Text: text, URL: address + "{{1}}", Example: []string{address + example},
	}}}
}

func replyButton(text string) template.Component {
	return template.Component{Type: template.Buttons, Buttons: []template.Button{{Type: template.QuickReply, Text: text}}}
}
