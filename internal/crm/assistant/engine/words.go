package engine

import (
	"slices"
	"strings"

	"konak/internal/kit/trtext"
)

// Languages that the engine understands.
const (
	Turkish = "tr"
	English = "en"
)

// fillers say nothing about what a question is about, beside trtext's stop words.
var fillers = map[string]map[string]bool{
	Turkish: wordSet(`merhaba merhabalar selam selamlar gunaydin iyi gunler aksamlar lutfen tesekkur tesekkurler ederim rica acaba sizce
		bilgi almak alabilir almam ogrenmek ogrenebilir soru sorum sorabilir yardim yardimci olur musunuz misiniz miyim
		musun nerden nasil hangi kac tane simdi hep bence yani iste hani ben siz sizde bizde sizden
		kadarlik gelen cikti takimi almaliyim almali alinir aliyorum alirim alir yapiyorsunuz yapiyoruz yapilan istiyoruz vermek bulurum bulabilirim bulunur
		istiyorum isterim lazim gerekiyor gerek mumkun olabilir olmali oluyor olacak olsun yapmam yapmaliyim yapabilirim yapiyor yapilir yapilir yaparim
		ediyor eder ederim edebilir edebilirim ediyorum ediyorsunuz edilir etmek etmem edecek alabilirim verir veriyor vermek
		var yok mi mu mudur midir acil hemen bey hanim efendim konu ilgili sey`),
	English: wordSet(`a an the and or but if of to in on at by for from with without about as is are was were be been being am do does did done
		can could will would shall should may might must have has had having i me my mine we us our you your yours he she it its they them their this that these those
		what when where which who whom whose why how much many long there here please thanks thank hello hi hey dear good morning afternoon evening day
		want need like know tell ask question help get got getting make made take taken give let say says any some all no not yes just also too very so then than
		into out up down over under again still already now today tomorrow yesterday find accept something anything someone receive received possible possibly sir madam team regards up off`),
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// isFiller says whether a folded word carries no subject.
func isFiller(word, language string) bool {
	if language == English {
		return fillers[English][word]
	}
	return trtext.IsStop(word) || fillers[Turkish][word]
}

// verbEndings are what the engine cuts off Turkish verbs, the longest first, so
// that yıkanır and yıkama are one word. Below them are endings of short nouns,
// which trtext.Stem leaves alone.
var (
	verbEndings = strings.Fields(`ebilir abilir iliyor uluyor iniyor aniyor eceg acag ecek acak iyor uyor mesi masi meli mali
		ilir ulur inir unur ilme ulma mek mak mez maz dik duk tik tuk mis mus nir ir ur er me ma`)
	nounEndings = strings.Fields(`lerde larda lerden lardan ler lar nde nda den dan ten tan de da te ta`)
	// wholeWords would lose a part of themselves to an ending.
	wholeWords = wordSet(`havale ekim`)
)

// normalize gives the form of a folded word by which words are compared.
func normalize(word, language string) string {
	if language == English {
		return normalizeEnglish(word)
	}
	if wholeWords[word] {
		return word
	}
	stem := string(trtext.Stem(trtext.StripPerson([]byte(word))))
	if short := cutEnding(stem, nounEndings); len(short) == 3 {
		return short
	}
	if len(stem) == 4 && (stem[3] == 'u' || stem[3] == 'i') {
		return stem[:3]
	}
	for range 2 {
		stem = cutEnding(stem, verbEndings)
	}
	if len(stem) > 3 {
		stem = strings.TrimSuffix(stem, "y") // it only joins an ending
	}
	return stem
}

// cutEnding cuts the first ending that leaves three letters or more.
func cutEnding(word string, endings []string) string {
	for _, e := range endings {
		if len(word)-len(e) >= 3 && strings.HasSuffix(word, e) {
			return word[:len(word)-len(e)]
		}
	}
	return word
}

func normalizeEnglish(word string) string {
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

// synonyms are words that customers use for each other. Each line is one group.
var synonyms = map[string]map[string][]string{
	Turkish: synonymGroups(Turkish, `kargo teslimat gonderi paket
		gelir gelecek ulasir varir
		iade geri
		kusurlu bozuk hasarli kirik defolu yirtik ayipli yanlis
		hata sorun problem
		yikanir temizlenir
		sirket firma kurumsal isletme
		nevresim carsaf
		degistirmek duzeltmek guncellemek
		ucret bedel fiyat
		sure gun
		bayi bayilik distributor`),
	English: synonymGroups(English, `parcel package delivery shipment shipping
		arrive come delivered
		refund money
		return back
		faulty broken damaged defective torn wrong
		error problem fail failed
		pay payment
		wash clean
		company business firm
		wholesale bulk
		dealer reseller distributor
		duvet quilt
		change edit
		charge cost price fee
		invoice bill receipt`),
}

func synonymGroups(language, lines string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.SplitSeq(lines, "\n") {
		words := strings.Fields(line)
		for i := range words {
			words[i] = normalize(words[i], language)
		}
		for _, w := range words {
			for _, other := range words {
				if other != w {
					out[w] = append(out[w], other)
				}
			}
		}
	}
	return out
}

// foldedWords cuts a text into folded words.
func foldedWords(text string) (out []string) {
	var s trtext.Scanner
	s.Reset(text)
	for s.Next() {
		out = append(out, string(s.Term()))
	}
	return out
}

// questionWords are the subject words of a question, with what its form asks for.
func questionWords(text, language string) []string {
	out := subjectWords(text, language)
	folded := " " + strings.Join(foldedWords(text), " ") + " "
	for phrase, asks := range asked[language] {
		if w := normalize(asks, language); strings.Contains(folded, " "+phrase+" ") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxWords)]
}

// asked are forms of questions and the word for what they ask.
var asked = map[string]map[string]string{English: {"how long": "time", "how much": "charge"}}

// subjectWords are the normalized words of a text that say what it is about, in
// order and each once.
func subjectWords(text, language string) (out []string) {
	seen := map[string]bool{}
	for _, w := range foldedWords(text) {
		if isFiller(w, language) || len(w) < 2 && (w < "0" || w > "9") {
			continue
		}
		if n := normalize(w, language); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// DetectLanguage says whether a text is Turkish or English; otherwise, where its
// words do not tell, it returns the language that was given.
func DetectLanguage(text, otherwise string) string {
	turkish, english := 0, 0
	if strings.ContainsAny(text, "ğĞşŞıİçÇ") {
		turkish += 2
	}
	for _, w := range foldedWords(text) {
		tr, en := isFiller(w, Turkish), isFiller(w, English)
		if tr && !en {
			turkish++
		}
		if en && !tr {
			english++
		}
	}
	switch {
	case turkish > english:
		return Turkish
	case english > turkish:
		return English
	}
	return otherwise
}
