package engine_test

import (
	"strings"
	"testing"

	"konak/internal/crm/assistant/engine"
)

func TestUnderstand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]engine.Understanding{
		"Merhaba":             {Language: "tr", Intent: engine.Greeting},
		"Good morning":        {Language: "en", Intent: engine.Greeting},
		"Çok teşekkürler":     {Language: "tr", Intent: engine.Thanks},
		"Thank you very much": {Language: "en", Intent: engine.Thanks},
		"Beni bir temsilciye bağlar mısınız?":         {Language: "tr", Intent: engine.Human},
		"Let me talk to a real person":                {Language: "en", Intent: engine.Human},
		"Acil: TR-4711 numaralı siparişim nerede?":    {Language: "tr", Intent: engine.Question, Urgent: true, OrderNumber: "TR-4711"},
		"This is terrible, where is my order #10234?": {Language: "en", Intent: engine.Question, Negative: true, OrderNumber: "10234"},
		"Sipariş no: 10234 ne zaman gelir?":           {Language: "tr", Intent: engine.Question, OrderNumber: "10234"},
		"xyz":                                         {Language: "en", Intent: engine.Question},

		"Siparişim 48213 nerede":                    {Language: "tr", Intent: engine.Question, OrderNumber: "48213"},
		"48213 numaralı sipariş gelmedi":            {Language: "tr", Intent: engine.Question, OrderNumber: "48213"},
		"SİPARİŞ NUMARAM: 48213":                    {Language: "tr", Intent: engine.Question, OrderNumber: "48213"},
		"48213 no'lu siparişim nerede":              {Language: "tr", Intent: engine.Question, OrderNumber: "48213"},
		"My order number is 48213, where is it?":    {Language: "en", Intent: engine.Question, OrderNumber: "48213"},
		"48213 liralık bir ürün var mı":             {Language: "tr", Intent: engine.Question},
		"Size çok kızgınım":                         {Language: "tr", Intent: engine.Question, Negative: true},
		"Üründen memnun kaldım ama faturam nerede?": {Language: "tr", Intent: engine.Question, Positive: true},
		"Hizmetinizden memnun kalmadım":             {Language: "tr", Intent: engine.Question, Negative: true},
		"Harikasınız":                               {Language: "tr", Intent: engine.Thanks, Positive: true},
		"Bu ne rezalet":                             {Language: "tr", Intent: engine.Question, Negative: true},
		"Thank you so much, great service!":         {Language: "en", Intent: engine.Thanks, Positive: true},
		"İlginiz için çok teşekkür ederim":          {Language: "tr", Intent: engine.Thanks},
		"Thanks, but my parcel is broken":           {Language: "en", Intent: engine.Question},
		"Thanks, where is my order?":                {Language: "en", Intent: engine.Question},
		"Teşekkürler, iade etmek istiyorum":         {Language: "tr", Intent: engine.Question},

		"👍🏽":    {Language: "en", Intent: engine.Thanks},
		"🙏 ❤️!": {Language: "en", Intent: engine.Thanks},
		"👎":     {Language: "en", Intent: engine.Question},
		"👍 ?":   {Language: "en", Intent: engine.Question},
		"!":     {Language: "en", Intent: engine.Question},

		"Canlı desteğe bağlanabilir miyim?":        {Language: "tr", Intent: engine.Human},
		"insan istiyorum":                          {Language: "tr", Intent: engine.Human},
		"gerçek biriyle konuşmak istiyorum":        {Language: "tr", Intent: engine.Human},
		"temsilciye bağla":                         {Language: "tr", Intent: engine.Human},
		"talk to agent":                            {Language: "en", Intent: engine.Human},
		"speak to a human":                         {Language: "en", Intent: engine.Human},
		"Yetkili servisiniz var mı?":               {Language: "tr", Intent: engine.Question},
		"Yetkili servisten bir yetkili istiyorum":  {Language: "tr", Intent: engine.Human},
		"İnsan kaynaklarına nasıl ulaşırım?":       {Language: "tr", Intent: engine.Question},
		"Who is in human resources?":               {Language: "en", Intent: engine.Question},
		"İki kişi için nevresim istiyorum":         {Language: "tr", Intent: engine.Question},
		"Wo ist mein Paket?":                       {Language: "other", Intent: engine.Question},
		"Ich möchte meine Bestellung zurückgeben":  {Language: "other", Intent: engine.Question},
		"Где мой заказ?":                           {Language: "other", Intent: engine.Question},
		"أين طلبي؟":                                {Language: "other", Intent: engine.Question},
		"Où est ma commande, s'il vous plaît ?":    {Language: "other", Intent: engine.Question},
		"How do I care for my pillow?":             {Language: "en", Intent: engine.Question},
		"Paketim gecikti, çok üzgünüm, ne yapayım": {Language: "tr", Intent: engine.Question},
	} {
		if got := engine.Understand(text, "en"); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

// A long passage is quoted from the line that contains the question's words.
func TestQuote(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Bu satırda başka bir konu anlatılır.\n", 40) + "Zeytinyağı lekesi sabunla çıkar.\n" + strings.Repeat("Devamında ayrıntılar var.\n", 40)
	x := engine.NewIndex([]engine.Text{{Kind: engine.Article, Title: "Lekeler", Language: "tr", Sections: []engine.Section{{Body: long}}}})
	got := x.Answer("Zeytinyağı lekesi nasıl çıkar?", "tr", engine.DefaultBound)
	if !got.Confident || !strings.HasPrefix(got.Candidates[0].Excerpt, "Zeytinyağı") || len(got.Candidates[0].Excerpt) > 700 {
		t.Errorf("got %+v", got)
	}
}

// Of two passages with the same confidence, the one with more of the words is quoted.
func TestPassageWithMoreWordsIsQuoted(t *testing.T) {
	t.Parallel()
	x := engine.NewIndex([]engine.Text{{Title: "Ürünü nasıl iade ederim?", Language: "tr", Sections: []engine.Section{
		{Body: "Ürünü 14 gün içinde iade edebilirsiniz."}, {Body: "Perde ölçüye dikilir."},
	}}})
	if got := x.Answer("Ürünü nasıl iade edebilirim?", "tr", engine.DefaultBound); !strings.HasPrefix(got.Candidates[0].Excerpt, "Ürünü 14") {
		t.Errorf("got %+v", got)
	}
}

// Texts of another language do not answer, and neither does a question without a
// subject.
func TestOtherLanguage(t *testing.T) {
	t.Parallel()
	x := engine.NewIndex([]engine.Text{{Title: "Kargo takibi", Language: "tr", Sections: []engine.Section{{Body: "Takip numarası gelir."}}}})
	for _, text := range []string{"Where is the kargo takip number of my order?", "Nasıl?", ""} {
		if got := x.Answer(text, "tr", 0); got.Confident || len(got.Candidates) != 0 {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// A text that only mentions the question's words, is about another thing with that name, or
// answers no better than another text is no sure answer.
func TestWeakMatchIsNotSure(t *testing.T) {
	t.Parallel()
	x := engine.NewIndex([]engine.Text{
		{Title: "Where do I find my invoice?", Language: "en", Sections: []engine.Section{{Body: "It comes by e-mail with the order.\nIf it is wrong, we cancel it."}}},
		{Title: "Can I change the delivery address?", Language: "en", Sections: []engine.Section{{Body: "Edit the address in your account."}}},
		{Title: "Curtains of linen", Language: "en", Sections: []engine.Section{{Body: "They are sewn."}}},
		{Title: "Brochure", Language: "en", Sections: []engine.Section{{Body: "A long one."}}},
		{Title: "Brochure", Language: "en", Sections: []engine.Section{{Body: "Its second part."}}},
		{Title: "Curtains of wool", Language: "en", Sections: []engine.Section{{Body: "They are sewn."}}},
	})
	if got := x.Answer("I want to cancel my order", "en", 0); got.Candidates[0].Confidence > 0.5 {
		t.Errorf("what only mentions the words is too sure: %+v", got)
	}
	for text, sure := range map[string]bool{
		"Where is my invoice?": true, "I want to cancel my order": false,
		"Can I change my address?": true, "Can I change my e-mail address?": false,
		"Curtains of wool": true, "Curtains": false, "Do you have brochures?": true,
	} {
		if got := x.Answer(text, "en", engine.DefaultBound); got.Confident != sure {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// Words around the subject do not prevent an answer, but signs that a text does not fit do.
func TestWordsAroundTheSubjectDoNotPreventAnswer(t *testing.T) {
	t.Parallel()
	text := func(language, title, body string) engine.Text {
		return engine.Text{Title: title, Language: language, Sections: []engine.Section{{Body: body}}}
	}
	texts := []engine.Text{
		text("en", "How do I return an item?", "Within 14 days, from My account › My orders."),
		text("en", "The product is faulty", "Send a picture of the fault."),
		text("en", "I get an error while paying", "Try another card."),
		text("en", "Which ways of payment are there?", "Cards and transfers."),
		text("en", "How do I wash bed linen?", "At 60 degrees. Without bleach, which takes the colours."),
		text("en", "Can I change the delivery address?", "Before the parcel leaves, with the carrier: My account › My orders."),
		text("en", "Caring for pillows", "Air them."),
		text("tr", "Ürünü nasıl iade ederim?", "14 gün içinde."),
		text("tr", "Kargomu nasıl takip ederim?", "Numara e-postadadır."),
		text("tr", "Perde ölçüsü", "Kornişi ölçün."),
	}
	x := engine.NewIndex(texts)
	for question, want := range map[string]string{
		"What is the procedure for returning an item that my wife bought?": "How do I return an item?",
		"I don't like this item, how can I send it back?":                  "How do I return an item?",
		"Card payment doesn't work, an error":                              "I get an error while paying",
		"How can I pay?":                                                   "Which ways of payment are there?",
		"My pillow is torn":                                                "The product is faulty",
		"Geçen hafta aldığım ürünü iade edebiliyor muyum?":                 "Ürünü nasıl iade ederim?",
		"Perde ölçüsünü bulamıyorum":                                       "Perde ölçüsü",
		"Which colours does the bed linen come in?":                        "",
		"How do I change my account?":                                      "",
		"Who makes your carpets?":                                          "",
		"My sofa is torn":                                                  "",
	} {
		got := x.Answer(question, "en", engine.DefaultBound)
		if want == "" && got.Confident || want != "" && (!got.Confident || got.Candidates[0].Title != want) {
			t.Errorf("%q: got %+v", question, got)
		}
	}
}

// Forms of a Turkish word match, and words that only begin alike do not.
func TestForms(t *testing.T) {
	t.Parallel()
	for text, of := range map[string]string{
		"Çarşafı yıkamalı mıyım?": "Çarşaflar nasıl yıkanır?", "Yastığım": "Yastıklar", "ödeyebilir miyim": "Ödeme", "paketimiz gelmedi": "Paket ne zaman gelir?",
	} {
		x := engine.NewIndex([]engine.Text{{Title: of, Language: "tr", Sections: []engine.Section{{Body: of}}}})
		if got := x.Answer(text, "tr", engine.DefaultBound); !got.Confident {
			t.Errorf("%q and %q: got %+v", text, of, got)
		}
	}
	for text, of := range map[string]string{"Giriş": "Kırık", "Taksit": "Takip", "Pay": "Bayi", "Kartvizit": "Kart", "Topu": "Toptan"} {
		x := engine.NewIndex([]engine.Text{{Title: of, Language: "tr", Sections: []engine.Section{{Body: of}}}})
		if got := x.Answer(text, "tr", 0); len(got.Candidates) > 0 {
			t.Errorf("%q is taken for %q", text, of)
		}
	}
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	got, language := engine.Summarize([]engine.Line{
		{By: engine.ByCustomer, Body: "İyi günler. 14. gün dolmadan perdeyi iade etmek istiyorum. İade ücretli mi?"},
		{By: engine.AsNote, Body: "Eski not"},
		{By: engine.ByTeam, Body: "Perde iadesi ücretsizdir."},
		{By: engine.AsNote, Body: "Müşteri önemli. Arayın."},
		{By: engine.ByCustomer, Body: "Perdeyi yarın gönderirim."},
	}, true, "en")
	want := "Müşteri: İyi günler. 14. gün dolmadan perdeyi iade etmek istiyorum. İade ücretli mi?\nYanıt: Perde iadesi ücretsizdir.\nNot: Müşteri önemli.\nMüşteri yanıt bekliyor."
	if got != want || language != "tr" {
		t.Errorf("got %q in %s, want %q", got, language, want)
	}
	if got, _ := engine.Summarize(nil, false, "tr"); got != "" {
		t.Errorf("nothing became %q", got)
	}
	asked := engine.Line{By: engine.ByCustomer, Body: "How do I return the curtain?"}
	answered := engine.Line{By: engine.ByAssistant, Body: "You can return the curtain within 14 days."}
	const said = "Customer: How do I return the curtain?\nAnswer: You can return the curtain within 14 days.\n"
	if got, _ := engine.Summarize([]engine.Line{asked, answered}, false, "tr"); got != said+"The assistant wrote last." {
		t.Errorf("after the assistant: %q", got)
	}
	if got, _ := engine.Summarize([]engine.Line{asked, answered}, true, "tr"); got != said+"The customer waits for an answer." {
		t.Errorf("handed over after the assistant: %q", got)
	}
	if got, _ := engine.Summarize([]engine.Line{asked, {By: engine.ByTeam, Body: answered.Body}}, true, "tr"); got != said+"The team wrote last." {
		t.Errorf("after the team: %q", got)
	}
}

// If nothing is sure, close texts are suggested: none that is far off, none that the
// customer cannot open, and none twice.
func TestSuggested(t *testing.T) {
	t.Parallel()
	found := func(kind, url string, confidence float64) engine.Candidate {
		return engine.Candidate{Kind: kind, Title: url, URL: url, Confidence: confidence}
	}
	for name, c := range map[string]struct {
		reply engine.Reply
		want  string
	}{
		"sure":        {engine.Reply{Confident: true, Candidates: []engine.Candidate{found(engine.Article, "a", .9)}}, ""},
		"far off":     {engine.Reply{Candidates: []engine.Candidate{found(engine.Article, "a", .39)}}, ""},
		"near":        {engine.Reply{Candidates: []engine.Candidate{found(engine.Article, "a", .4), found(engine.Article, "b", .39)}}, "a"},
		"two":         {engine.Reply{Candidates: []engine.Candidate{found(engine.Article, "a", .6), found(engine.Website, "b", .52), found(engine.Article, "c", .51)}}, "a b"},
		"at most two": {engine.Reply{Candidates: []engine.Candidate{found(engine.Article, "a", .6), found(engine.Article, "b", .6), found(engine.Article, "c", .6)}}, "a b"},
		"much worse":  {engine.Reply{Candidates: []engine.Candidate{found(engine.Article, "a", .6), found(engine.Article, "b", .5)}}, "a"},
		"twice":       {engine.Reply{Candidates: []engine.Candidate{found(engine.Website, "a", .6), found(engine.Website, "a", .6)}}, "a"},
		"the team's":  {engine.Reply{Candidates: []engine.Candidate{found(engine.CannedReply, "", .6), found(engine.Article, "a", .55)}}, "a"},
		"nothing":     {engine.Reply{}, ""},
	} {
		var got []string
		for _, s := range c.reply.Suggested() {
			got = append(got, s.URL)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// The usual parts of a letter do not affect the answer, and a question remains one.
func TestLetterPhrasesDoNotAffectAnswer(t *testing.T) {
	t.Parallel()
	x := engine.NewIndex(readDemoTexts(t, "help"))
	for _, text := range []string{
		"How do I return an item?",
		"Hello,\n\nHow do I return an item?\n\nKind regards,\nJane Miller",
		"Dear Demo team,\nHow do I return an item?\nThanks, Jane\nMiller Ltd.\n+44 20 7946 0000",
		"How do I return an item?\n\nJohn",
		"Hi, I am Jane Miller. How do I return an item?",
		"How do I return an item?\n\nSent from my iPhone",
		"Hello,\nHow can I return my order?\nBest\nJ. Smith",
		"Merhaba,\n\nÜrünü nasıl iade ederim?\n\nSaygılarımla\nAyşe Yılmaz",
		"Ürünü nasıl iade ederim?\nTeşekkürler, Ayşe",
		"Ürünü nasıl iade ederim?\n\niPhone'umdan gönderildi",
		"Merhaba\niyi günler ürünü nasıl iade ederim",
		"Thanks\nHow do I return an item?",
	} {
		if r := x.Answer(text, "tr", engine.DefaultBound); !r.Confident || r.Candidates[0].URL != "iade-kosullari" {
			t.Errorf("%q: %+v", text, r)
		}
	}
	for _, text := range []string{"Hello,\nJane", "Kind regards,\nJane Miller", "How do I return an item?\nBest price for a tent", "Can I wash an order?", "Can I send my order as a gift?", "Siparişimi geri almak istiyorum"} {
		if r := x.Answer(text, "en", engine.DefaultBound); r.Confident {
			t.Errorf("%q is answered: %+v", text, r.Candidates[0])
		}
	}
}

// The language of a message without small words is that of the texts with its words.
func TestLanguageOfTexts(t *testing.T) {
	t.Parallel()
	both, english := engine.NewIndex(readDemoTexts(t, "help")), engine.NewIndex(readDemoTexts(t, "help-acme"))
	for text, want := range map[string]string{"Payment?": "en", "Ödeme": "tr", "Refund policy": "en", "Sipariş\n\nTeşekkürler,\nRose Parcel": "tr", "xyzzy": ""} {
		if got := both.Language(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := english.Language("SSO?"); got != "en" {
		t.Errorf("with English texts alone: %q", got)
	}
}

// A question that shares only its one word with an article, and asks something else about
// it, is not answered. The try page shows that nothing is sure.
func TestQuestionWithOtherIntentIsNotAnswered(t *testing.T) {
	t.Parallel()
	x := engine.NewIndex(readDemoTexts(t, "help"))
	for _, text := range []string{
		"What is your address?", "What's your address?", "I want to order", "I would like to order", "How can I order?", "I need a parcel",
		"How much is the duvet?", "I need curtains", "I want to pay",
		"Adresiniz nedir?", "Adresiniz nerede?", "Hangi adrese göndereceğim?", "Sipariş vermek istiyorum", "Sipariş verebilir miyim?", "sipariş", "adres",
		"Yastık almak istiyorum", "Perde lazım", "Nevresim takımı ne kadar?", "Yorgan ne kadar?", "Ödeme yapmak istiyorum",
		"Where do I send the parcel?", "Where should I send the package?", "Where do we ship it?", "Which address do I send the parcel to?",
		"Where do I send my order?", "Paketi nereye göndereceğim?", "Kargoyu nereye göndermeliyim?", "Kargoyu hangi adrese göndereyim?",
		"Kargoyu nereye vereceğim?", "İadeyi nereye göndereceğim?",
	} {
		if r := x.Answer(text, engine.DetectLanguage(text, "tr"), engine.DefaultBound); r.Confident || len(r.Candidates) == 0 || r.Candidates[0].Confidence > .5 {
			t.Errorf("%q: %+v", text, r)
		}
	}
	for text, want := range map[string]string{
		"I want an invoice": "fatura", "I want to return": "iade-kosullari", "I want my money back": "para-iadesi", "What is your return policy?": "iade-kosullari",
		"How can I pay?": "odeme-yontemleri", "How much is delivery?": "teslimat-suresi", "Where is my order?": "kargo-takibi", "Where is my refund?": "para-iadesi",
		"fatura": "fatura", "İade istiyorum": "iade-kosullari", "Faturamı istiyorum": "fatura", "Teslimat ne kadar sürer?": "teslimat-suresi", "Kargo nerede?": "kargo-takibi",
		"Where did you send my parcel?": "kargo-takibi", "Kargom nereye gönderildi?": "kargo-takibi", "Where do I send the item back?": "iade-kosullari",
		"Where do I send the faulty pillow?": "kusurlu-urun", "İade kargosunu nereye bırakacağım?": "iade-kosullari", "Kusurlu ürünü nereye göndereceğim?": "kusurlu-urun",
	} {
		if r := x.Answer(text, engine.DetectLanguage(text, "tr"), engine.DefaultBound); !r.Confident || r.Candidates[0].URL != want {
			t.Errorf("%q: %+v", text, r)
		}
	}
}
