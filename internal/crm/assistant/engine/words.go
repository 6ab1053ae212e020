package engine

import (
	"slices"
	"strings"
	"unicode"

	"konak/internal/kit/trtext"
)

// Languages that the engine understands.
const (
	Turkish = "tr"
	English = "en"
	Other   = "other" // any other language
)

// fillers are words that say nothing about a question's subject, in addition to trtext's
// stop words.
var fillers = map[string]map[string]bool{
	Turkish: wordSet(`merhaba merhabalar selam selamlar gunaydin iyi gunler aksamlar lutfen tesekkur tesekkurler ederim rica acaba sizce
		bilgi almak alabilir almam ogrenmek ogrenebilir soru sorum sorabilir yardim yardimci olur musunuz misiniz miyim
		musun nerden nasil bugun dun yarin tek diger yokum aldim aldigim alacagim gelen versem edilmedi edildi olmadi yapamiyorum verebilir girdim yaparken yazdim yazmisim gonderdiniz gonderdi hangi kac tane simdi hep bence yani iste hani ben siz sizde bizde sizden
		kadarlik gelen cikti takimi almaliyim almali alinir aliyorum alirim alir yapiyorsunuz yapiyoruz yapilan istiyoruz vermek bulurum bulabilirim bulunur
		istiyorum isterim lazim gerekiyor gerek mumkun olabilir olmali oluyor olacak olsun yapmam yapmaliyim yapabilirim yapiyor yapilir yapilir yaparim
		ediyor eder ederim edebilir edebilirim ediyorum ediyorsunuz edilir etmek etmem edecek alabilirim verir veriyor vermek
		var yok mi mu mudur midir acil hemen bey hanim efendim konu ilgili sey`),
	English: wordSet(`a an the and or but if of to in on at by for from with without about as is are was were be been being am do does did done
		can could will would shall should may might must have has had having i me my mine we us our you your yours he she it its they them their this that these those
		what when where which who whom whose why how much many long there here please thanks thank hello hi hey dear good morning afternoon evening day
		want need like know tell ask question help get got getting take taken give let say says any some all no not yes just also too very so then than
		into out up down over under again still already now today tomorrow yesterday find accept something anything someone receive received possible possibly sir madam team regards off until yet ever even only really often sent enter entered taken took put
		going gonna don doesn didn isn aren wasn weren haven hasn hadn won wouldn couldn shouldn re ve ll`),
}

func wordSet(list string) map[string]bool { return setOf(strings.Fields(list)) }

// isFiller reports whether a folded word says nothing about the subject.
func isFiller(word, language string) bool {
	if language == English {
		return fillers[English][word]
	}
	return trtext.IsStop(word) || fillers[Turkish][word]
}

// wholeWords only look like short words with an ending.
var wholeWords = wordSet(`havale toptan adres indirim isletme calismiyor bayi gecerli`)

// normalize returns the form in which words are compared. Turkish words do not change:
// formsOfOne compares them.
func normalize(word, language string) string {
	if language == English {
		return normalizeEnglish(word)
	}
	return word
}

// stemOf returns a shorter form, by which words are counted.
func stemOf(word, language string) string {
	if language == Turkish {
		return string(trtext.Stem(trtext.StripPerson([]byte(word))))
	}
	return word
}

// irregular are English forms that cannot be derived from their endings.
var irregular = map[string]string{
	"paid": "pay", "sent": "send", "kept": "keep", "lost": "lose", "came": "come", "bought": "buy", "written": "write", "wrote": "write",
	"torn": "tear", "broke": "break", "broken": "break", "shown": "show", "sold": "sell", "chosen": "choose", "chose": "choose", "held": "hold", "arrival": "arrive",
}

func normalizeEnglish(word string) string {
	if w, ok := irregular[word]; ok {
		word = w
	}
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		word = word[:len(word)-3] + "y"
	case len(word) > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "shes") || strings.HasSuffix(word, "ches")):
		word = word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		word = word[:len(word)-1]
	}
	for _, e := range []string{"ing", "ed", "ment"} {
		if len(word)-len(e) >= 3 && strings.HasSuffix(word, e) {
			word = word[:len(word)-len(e)]
			if n := len(word); n > 3 && word[n-1] == word[n-2] && word[n-1] != 's' && word[n-1] != 'l' {
				word = word[:n-1]
			}
			break
		}
	}
	return strings.TrimSuffix(word, "e")
}

// synonyms are words that customers use interchangeably. Each line is one group.
var synonyms = map[string][][]string{
	Turkish: synonymGroups(Turkish, `kargo teslimat paket kargoya kurye
		gelir ulasir varir yatar
		iade
		kusurlu bozuk hasarli kirik defolu yirtik ayipli yanlis delik
		hata sorun problem ariza calismiyor
		yikanir temizlenir
		sicaklik derece
		sirket firma kurumsal isletme
		nevresim carsaf
		degistirmek duzeltmek guncellemek duzenlemek
		ucret bedel fiyat
		iskonto indirim
		sure gun surer
		odeme odeyebilir
		makine makinede
		asgari minimum
		bayi bayilik distributor
		ucretsiz bedava
		toptan toplu
		olcu boyut ebat
		gecikme gecikir gecikti gecikirse
		yatar yansir
		sifre parola
		hasar zarar`),
	English: synonymGroups(English, `parcel package delivery shipment shipping postage
		arrive come delivered reach
		refund money reimburse
		return
		item product goods article
		faulty broken damaged defective torn wrong hole crushed
		error problem fail failed declined
		pay payment
		way method option
		wash clean
		sheets linen bedding
		company business firm
		wholesale bulk
		dealer reseller distributor
		duvet quilt
		change edit update
		charge cost price fee
		minimum smallest
		late delayed overdue
		invoice bill receipt
		courier carrier
		exchange swap replace
		shop store
		measure size dimension
		discount reduction
		declined rejected refused
		instalment monthly`),
}

func synonymGroups(language, lines string) (out [][]string) {
	for line := range strings.SplitSeq(lines, "\n") {
		words := strings.Fields(line)
		for i := range words {
			words[i] = normalize(words[i], language)
		}
		out = append(out, words)
	}
	return out
}

// synonymsOf returns the words that a word may stand for.
func synonymsOf(word, language string) (out []string) {
	for _, group := range synonyms[language] {
		if slices.ContainsFunc(group, func(s string) bool { return sameWord(word, s, language) >= sureForm }) {
			out = append(out, group...)
		}
	}
	return out
}

// sameWord returns how certain it is that two words are forms of one: 0 if they are not.
func sameWord(a, b, language string) float64 {
	if a == b {
		return 1
	}
	if language == Turkish {
		return formsOfOne(a, b)
	}
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if short >= 5 && long-short <= 3 && a[:short] == b[:short] {
		return 0.8
	}
	return 0
}

// foldedWords splits a text into folded words.
func foldedWords(text string) (out []string) {
	var s trtext.Scanner
	s.Reset(text)
	for s.Next() {
		w := string(s.Term())
		if n := len(out); n > 0 && out[n-1] == "e" && (w == "mail" || w == "mails" || strings.HasPrefix(w, "posta")) {
			out[n-1] += w // e-mail is one word
			continue
		}
		out = append(out, w)
	}
	return out
}

// subjectWords returns the normalized words of a text that say what it is about, in order
// and without duplicates.
func subjectWords(text, language string) []string { return subjects(foldedWords(text), language) }

func subjects(words []string, language string) (out []string) {
	seen := map[string]bool{}
	for _, w := range words {
		if isFiller(w, language) || language == Turkish && isAuxiliary(w) || len(w) < 2 && (w < "0" || w > "9") {
			continue
		}
		if n := normalize(w, language); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// foreign are words of other languages that do not occur in Turkish or English.
var foreign = wordSet(`ich nicht und der das ist wo mein meine meiner meinen bitte danke wie kann haben habe mochte wann wird wir ein eine einen fur auf mit bestellung lieferung rechnung guten hallo
	je pas est mon mes commande bonjour merci vous votre quand les une avec pour comment ou colis
	donde esta pedido cuando como quiero hola gracias los las una por que
	dove il mio ordine quando grazie ciao buongiorno vorrei sono
	mijn niet waar bestelling het een bedankt`)

// DetectLanguage reports whether a text is in Turkish, English or another language; if its
// words do not show it, it returns otherwise.
func DetectLanguage(text, otherwise string) string {
	if otherScript(text) {
		return Other
	}
	turkish, english, other := 0, 0, 0
	if strings.ContainsAny(text, "ğĞşŞıİ") {
		turkish += 2
	}
	if strings.ContainsAny(text, "ßäÄñéèêàõãåøæ¿") {
		other++
	}
	for _, w := range foldedWords(text) {
		tr, en := isFiller(w, Turkish), isFiller(w, English)
		if tr && !en {
			turkish++
		}
		if en && !tr {
			english++
		}
		if foreign[w] && !en {
			other++
		}
	}
	switch {
	case other > turkish && other > english:
		return Other
	case turkish > english:
		return Turkish
	case english > turkish:
		return English
	case strings.ContainsAny(text, "çÇöÖüÜ") && other == 0:
		return Turkish
	}
	return otherwise
}

// otherScript reports whether most letters of a text are not Latin.
func otherScript(text string) bool {
	latin, rest := 0, 0
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			rest++
		}
	}
	return rest > latin
}

// joinPhrases replaces words that form a phrase by the one word that means it.
func joinPhrases(words []string, language string) []string {
	for _, p := range phrasesFor[language] {
		at := func(part string) int {
			return slices.IndexFunc(words, func(w string) bool { return sameWord(normalize(w, language), part, language) >= sureForm })
		}
		i, j := at(p[0]), at(p[1])
		if i < 0 || j <= i || j-i > maxPhrase {
			continue
		}
		words = append(slices.Delete(slices.Delete(words, j, j+1), i, i+1), p[2])
	}
	return words
}

// maxPhrase is the maximum distance between the words of a phrase.
const maxPhrase = 3

// phrasesFor holds pairs of words, each with the single word for both.
var phrasesFor = map[string][][3]string{
	Turkish: phraseList(Turkish, `geri gonder iade, geri vermek iade, geri yolla iade`),
	English: phraseList(English, `send back return, give back return, bring back return, money back refund, not work error, doesn work error, don work error, isn work error`),
}

func phraseList(language, list string) (out [][3]string) {
	for p := range strings.SplitSeq(list, ", ") {
		w := strings.Fields(p)
		out = append(out, [3]string{normalize(w[0], language), normalize(w[1], language), w[2]})
	}
	return out
}

// hint is a question form and the word for what it asks.
type hint struct {
	phrase string
	about  string // a word that the question must also have; "" for any
	word   string
}

var hints = map[string][]hint{
	Turkish: {{"nerede", "kargo", "takip"}, {"nerede", "siparis", "takip"}, {"ne kadar", "", "ucret"}},
	English: {{"how long", "", "time"}, {"how much", "", "charge"}, {"where", "parcel", "track"}, {"where", "order", "track"}},
}

// hinted returns the words that the form of a question asks for.
func hinted(folded, words []string, language string) (out []string) {
	line := " " + strings.Join(folded, " ") + " "
	for _, h := range hints[language] {
		about := h.about == "" || slices.ContainsFunc(words, func(w string) bool {
			return sameWord(w, normalize(h.about, language), language) >= sureForm || slices.Contains(synonymsOf(w, language), normalize(h.about, language))
		})
		if n := normalize(h.word, language); about && strings.Contains(line, " "+h.phrase+" ") && !slices.Contains(words, n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Kinds of questions.
const (
	asksWhen  = "when"
	asksWhere = "where"
	asksWhich = "which"
	asksHow   = "how"
)

var askWords = map[string][]struct{ kind, phrase string }{
	Turkish: {{asksWhen, "ne zaman"}, {asksWhen, "kac gun"}, {asksWhere, "nere"}, {asksWhich, "hangi"}, {asksHow, "nasil"}},
	English: {
		{asksWhen, "when"},
		{asksWhen, "how long"},
		{asksWhen, "how many days"},
		{asksWhere, "where"},
		{asksWhich, "which"},
		{asksHow, "how do"},
		{asksHow, "how can"},
		{asksHow, "how should"},
	},
}

// asksFor returns what a question asks for; "" if its words do not show it.
func asksFor(text, language string) string {
	folded := " " + strings.Join(foldedWords(text), " ")
	for _, a := range askWords[language] {
		if strings.Contains(folded, " "+a.phrase) {
			return a.kind
		}
	}
	return ""
}

// wanting are question forms that name a thing or want one.
var wanting = map[string][]string{
	Turkish: {"istiyorum", "isterim", "istiyoruz", "lazim", "nedir", "verebilir miyim"},
	English: {"i want", "i would like", "i d like", "i need", "what is", "what your"}, // what's is cut to what
}

// hasWantingForm reports whether a folded text has such a form, or is a single word.
func hasWantingForm(folded []string, language string) bool {
	line := " " + strings.Join(folded, " ") + " "
	return len(folded) == 1 || slices.ContainsFunc(wanting[language], func(form string) bool { return strings.Contains(line, " "+form+" ") })
}

// Words in questions where to send or bring a thing.
var (
	giveRoots   = strings.Fields(`gonder yolla birak postala ilet ver`)
	giveEndings = strings.Fields(`ecegim acagim ecegiz acagiz eyim ayim elim alim meliyim maliyim ebilirim abilirim iyorum uyorum erim irim`)
	giveVerbs   = strings.Fields(`send ship mail bring drop`)
)

// asksWhereToSend reports whether a folded question asks where the customer should send or bring a
// thing: it has a word for a place, and a verb of sending in the first person.
func asksWhereToSend(folded []string, language string) bool {
	line := " " + strings.Join(folded, " ")
	if language == English {
		return (strings.Contains(line, " where") || strings.Contains(line, " address")) && slices.ContainsFunc(giveVerbs, func(verb string) bool {
			return strings.Contains(line+" ", " i "+verb+" ") || strings.Contains(line+" ", " we "+verb+" ")
		})
	}
	return (strings.Contains(line, " nereye") || strings.Contains(line, " hangi adrese") || strings.Contains(line, " hangi subeye")) &&
		slices.ContainsFunc(folded, func(w string) bool {
			return begins(w, giveRoots) && slices.ContainsFunc(giveEndings, func(end string) bool { return strings.HasSuffix(w, end) })
		})
}
