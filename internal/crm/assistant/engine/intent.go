package engine

import (
	"regexp"
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// Intents that the engine distinguishes.
const (
	Question = "question"
	Greeting = "greeting"
	Thanks   = "thanks"
	Human    = "human" // the customer asks for a person
)

// Understanding is what the engine extracts from a message besides its question.
type Understanding struct {
	Language    string
	Intent      string
	Urgent      bool
	Negative    bool
	Positive    bool
	OrderNumber string
}

var (
	greetings = wordSet(`merhaba merhabalar selam selamlar gunaydin iyi gunler aksamlar kolay gelsin hello hi hey good morning afternoon evening dear`)
	thanks    = wordSet(`tesekkur tesekkurler ederim ederiz sagolun sagol sag olun ol eyvallah cok tamam tamamdir anladim her sey icin thanks thank you ok okay much very so got it for the a all your my
		hizmet hizmetiniz destek ilgi ilginiz ilginize yardim yardiminiz hizli guzel kolay gelsin iyi gunler service support help helpful fast quick nice good job`)
	// thanking has the words of which a message of thanks needs at least one.
	thanking = wordSet(`tesekkur tesekkurler sagolun sagol eyvallah thanks thank`)
	urgent   = wordSet(`acil acilen hemen ivedi derhal urgent urgently asap immediately`)
)

// Prefixes of words that show how the customer feels, and prefixes of words that negate
// good ones.
var (
	negative = strings.Fields(`rezalet berbat kotu sikayet magdur dolandir kizgin sinirl bikt bezdi utan begenmed
		terribl awful horribl angry unhappy complain scam worst unacceptabl disappoint furious ridiculous useless`)
	positive = strings.Fields(`harika mukemmel muhtesem super memnun begend bayild excellent amazing awesome wonderful perfect happy love great`)
	turning  = strings.Fields(`degil kalmad olmad not never`)
)

// Words for people, and for getting to speak with them.
var (
	people = []string{
		"temsilci", "canli deste", "yetkili", "insanla", "bir insan", "gercek kisi", "musteri hizmetleri", "operator", "birine bagla",
		"insan istiyorum", "insan lazim", "human", "real person", "an agent", "live agent", "representative", "customer service",
	}
	somebody = strings.Fields(`insan biri birisi kisi calisan gorevli agent someone somebody person employee`)
	speaking = strings.Fields(`konus gorus bagla aktar yazis talk speak chat connect transfer`)
)

// withoutNames removes the names of shops and departments that contain a word for people.
var withoutNames = strings.NewReplacer(" yetkili servis", " ", " yetkili bayi", " ", " yetkili satici", " ", " insan kaynaklari", " ", " human resources", " ")

// orderCode matches numbers such as TR-4711 or #10234. orderNumber matches, in a folded
// text, numbers next to the word for order: "siparişim 10234", "10234 numaralı sipariş".
var (
	orderCode   = regexp.MustCompile(`(?i)\b([A-ZÇĞİÖŞÜ]{1,4}-\d{3,12})\b|#(\d{3,12})\b`)
	orderNumber = regexp.MustCompile(`\b(?:siparis|order)[a-z]*(?:\s+(?:no|nr|id|number|num[a-z]*))?(?:\s+is)?\s*[.:#]*\s*(\d{4,12})\b|` +
		`\b(\d{4,12})\s*(?:numarali|no\W?lu|nolu|no)\s+siparis`)
)

// Understand analyses a message; otherwise is its language if its words do not show it.
func Understand(text, otherwise string) Understanding {
	words := foldedWords(text)
	u := Understanding{Language: DetectLanguage(text, otherwise), Intent: Question, OrderNumber: findOrder(text)}
	u.Urgent = hasWord(words, urgent)
	u.Negative, u.Positive = detectMood(words)
	folded := " " + strings.Join(words, " ")
	switch {
	case asksForPerson(folded):
		u.Intent = Human
	case onlyWords(words, greetings):
		u.Intent = Greeting
	case !strings.Contains(text, "?") && givesThanks(words, u), onlyThankingSigns(text):
		u.Intent = Thanks
	}
	return u
}

func hasWord(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

func onlyWords(words []string, set map[string]bool) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !set[w] })
}

// begins reports whether a word has one of the prefixes.
func begins(word string, list []string) bool {
	return slices.ContainsFunc(list, func(b string) bool { return strings.HasPrefix(word, b) })
}

func hasBeginning(words, list []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return begins(w, list) })
}

// detectMood reports whether the customer is angry or pleased. A negation makes good words
// bad.
func detectMood(words []string) (bad, good bool) {
	bad, good = hasBeginning(words, negative), hasBeginning(words, positive)
	if good && hasBeginning(words, turning) {
		bad = true
	}
	return bad, good && !bad
}

// givesThanks reports whether a message thanks or praises and asks for nothing.
func givesThanks(words []string, u Understanding) bool {
	if !hasWord(words, thanking) && !u.Positive || u.Negative {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !thanks[w] && !greetings[w] && !begins(w, positive) })
}

// thankingSigns are emoji that express thanks; besideSigns may accompany them: joiners,
// skin tones, punctuation.
const (
	thankingSigns = "👍👌🙏👏❤💙💚🧡🥰😍😊🙂😀😃😄🤝🎉💯✅"
	besideSigns   = "\ufe0f\u200d🏻🏼🏽🏾🏿 !.\n"
)

// onlyThankingSigns reports whether a message consists only of such signs.
func onlyThankingSigns(text string) bool {
	rest := strings.Trim(text, besideSigns)
	return rest != "" && !strings.ContainsFunc(rest, func(r rune) bool { return !strings.ContainsRune(thankingSigns+besideSigns, r) })
}

func asksForPerson(folded string) bool {
	folded = withoutNames.Replace(folded)
	words := strings.Fields(folded)
	return slices.ContainsFunc(people, func(p string) bool { return strings.Contains(folded, " "+p) }) ||
		hasBeginning(words, somebody) && hasBeginning(words, speaking)
}

// findOrder returns the order number in a text; "" if it has none.
func findOrder(text string) string {
	for _, m := range orderCode.FindAllStringSubmatch(text, 1) {
		return m[1] + m[2]
	}
	for _, m := range orderNumber.FindAllStringSubmatch(trtext.Fold(text), 1) {
		return m[1] + m[2]
	}
	return ""
}

// Asks reports whether a message contains more than greetings, thanks and numbers.
func Asks(text, language string) bool {
	if Understand(text, language).Intent != Question {
		return false
	}
	return slices.ContainsFunc(subjectWords(text, language), func(w string) bool { return w[0] < '0' || w[0] > '9' })
}
