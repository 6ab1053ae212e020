package engine

import (
	"regexp"
	"strings"
)

// Intents that the engine tells apart.
const (
	Question = "question"
	Greeting = "greeting"
	Thanks   = "thanks"
	Human    = "human" // the customer asks for a person
)

// Understanding is what the engine reads out of a message besides its question.
type Understanding struct {
	Language    string
	Intent      string
	Urgent      bool
	Negative    bool
	OrderNumber string
}

var (
	greetings = wordSet(`merhaba merhabalar selam selamlar gunaydin iyi gunler aksamlar kolay gelsin hello hi hey good morning afternoon evening dear`)
	thanks    = wordSet(`tesekkur tesekkurler ederim sagolun sagol eyvallah cok tamam tamamdir anladim super harika thanks thank you ok okay great perfect much very got it`)
	// thanking has the words without which a message does not thank.
	thanking = wordSet(`tesekkur tesekkurler sagolun sagol eyvallah thanks thank`)
	people   = []string{
		"temsilci", "canli destek", "yetkili", "insanla", "bir insan", "gercek kisi", "musteri hizmetleri", "operator", "birine bagla",
		"human", "real person", "an agent", "live agent", "representative", "speak to someone", "talk to someone", "speak to a person", "talk to a person", "customer service",
	}
	urgent   = wordSet(`acil acilen hemen ivedi derhal urgent urgently asap immediately`)
	negative = wordSet(`rezalet berbat kotu sikayet sikayetci magdur dolandirici dolandirildim kizgin biktim utanc terrible awful horrible angry complaint scam worst unacceptable disappointed furious`)
)

// orderNumber finds numbers such as TR-4711, #10234 or "sipariş no 10234".
var orderNumber = regexp.MustCompile(`(?i)\b([A-ZÇĞİÖŞÜ]{1,4}-\d{3,12})\b|#(\d{3,12})\b|(?:siparis|sipariş|order)\s*(?:no|numarası|numarasi|numaram|number)?\s*[:#]?\s*(\d{4,12})\b`)

// Understand reads a message; otherwise is its language where the words do not
// tell.
func Understand(text, otherwise string) Understanding {
	words := foldedWords(text)
	u := Understanding{Language: DetectLanguage(text, otherwise), Intent: Question}
	has := func(set map[string]bool) bool {
		for _, w := range words {
			if set[w] {
				return true
			}
		}
		return false
	}
	only := func(set map[string]bool) bool {
		for _, w := range words {
			if !set[w] {
				return false
			}
		}
		return len(words) > 0
	}
	u.Urgent, u.Negative = has(urgent), has(negative)
	for _, m := range orderNumber.FindAllStringSubmatch(text, 1) {
		u.OrderNumber = m[1] + m[2] + m[3]
	}
	folded := " " + strings.Join(words, " ")
	switch {
	case asksForPerson(folded):
		u.Intent = Human
	case only(greetings):
		u.Intent = Greeting
	case has(thanking) && only(thanks):
		u.Intent = Thanks
	}
	return u
}

func asksForPerson(folded string) bool {
	for _, p := range people {
		if strings.Contains(folded, " "+p) {
			return true
		}
	}
	return false
}

// Asks says whether a message asks something of its own, beside greetings, thanks and numbers.
func Asks(text, language string) bool {
	if Understand(text, language).Intent != Question {
		return false
	}
	for _, w := range subjectWords(text, language) {
		if w[0] < '0' || w[0] > '9' {
			return true
		}
	}
	return false
}
