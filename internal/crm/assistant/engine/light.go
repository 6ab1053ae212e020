package engine

import (
	"slices"
	"strings"
)

// lightWords describe a subject's circumstances: when, for whom, how it looked. A text
// without them may still answer, so they have little weight.
var lightWords = map[string][]string{
	Turkish: strings.Fields(`el elime elimde elinize eve evime ev gecen gecenlerde hafta haftadir haftaya ay aydir yil sabah aksam ogle ogleden
		saat gece haftasonu pazartesi sali carsamba persembe cuma cumartesi pazar ayri sonrasi oncesi
		begenmedim begenmedigim begenmedik tasindim tasiniyorum fikrim karar kabul konuda konusunda bilmiyorum bilmek anlamadim anlayamadim
		soylemek soyler anlatir aciklar gostermek gorebilir goremiyorum gorunuyor goruyorum gormek gordum bakmak baktim deniyorum denedim
		bekliyorum bekledim bekler kullanmak kullaniyorum kullanabilir sahip tarafindan uygun dogru mevcut gecerli normal normalde surekli
		sik siklikla genelde genellikle tam tamamen biraz fazla yeni eski ayni baska farkli ozel genel hizli cabuk hemen direkt dogrudan aninda
		destek detay detayli talep istek kosul kosullari sart sartlari kural kurallari politika politikasi prosedur talimat islem islemi
		sekil sekilde adim olanak imkan imkani secenek yuzde oran orani miktar
		annem babam esim kizim oglum arkadasim kardesim musteri musteriyim insanlar
		site sitenizden sitenizde sitede internetten internet online web sayfa dukkanim dukkan
		durum durumunu durumu hak hakki hakkim hakkimiz tutar satin almistim alisveris alim alimda yaptigim verdigim vermistim gonderilmis olmus cikiyor cikti calisiyor saglar sagliyor destekliyor sunuyor`),
	English: normalized(`moved move new old last week month year morning noon night hour weekend monday tuesday wednesday thursday friday saturday sunday
		recently ago since while during immediate immediately directly soon quickly fast today home above below
		policy instruction information info detail procedure process step rule condition term guide guideline general exactly currently right
		ok okay fine able allow percent percentage rate copy status available
		put use using make see look check show try start happen offer provide support work go keep think understand wonder explain decide
		love hate prefer mind expect wait hope wife husband mother father daughter son friend people customer client
		site website web online internet page bought buy purchase place
		different other another same own certain part whole bit lot ever usually normally anyway sure correct proper best well
		because after before once both each every few more most less least first second next rest else`),
}

func normalized(list string) []string {
	words := strings.Fields(list)
	for i, w := range words {
		words[i] = normalizeEnglish(w)
	}
	return words
}

// isLight reports whether a normalized word is a light word.
func isLight(word, language string) bool {
	if language == English {
		return slices.Contains(lightWords[English], word)
	}
	return slices.ContainsFunc(lightWords[Turkish], func(l string) bool {
		return word == l || len(l) >= 5 && strings.HasPrefix(word, l[:5]) && formsOfOne(word, l) == 1
	})
}

// troubles are words for things that go wrong.
var troubles = map[string][]string{
	Turkish: strings.Fields(`kusurlu bozuk hasarli kirik defolu yirtik ayipli yanlis delik hata sorun problem ariza calismiyor gecikti gecikme`),
	English: normalized(`faulty broken damaged defective torn wrong hole crushed error problem fail failed declined late delayed`),
}

// faults are words for defects, and things are words for anything that is sold: a text on
// faulty products also applies to a broken pillow.
var (
	faults = map[string][]string{
		Turkish: strings.Fields(`kusurlu bozuk hasarli kirik defolu yirtik ayipli delik`),
		English: normalized(`faulty broken damaged defective torn tear hole crushed`),
	}
	things  = map[string][]string{Turkish: {"urun"}, English: normalized(`item product goods`)}
	orders  = map[string][]string{Turkish: {"siparis"}, English: {"order"}}
	returns = map[string][]string{Turkish: {"iade"}, English: {"return"}}
)

// oneOf returns the first of some normalized words that is a form of a word in the list; ""
// if there is none.
func oneOf(words, list []string, language string) string {
	for _, w := range words {
		if slices.ContainsFunc(list, func(l string) bool { return sameWord(w, l, language) >= sureForm }) {
			return w
		}
	}
	return ""
}

func isOneOf(word string, list []string, language string) bool {
	return oneOf([]string{word}, list, language) != ""
}

// returnsOrder reports whether the heavy words of a question are an order and its return,
// and no others.
func returnsOrder(words []string, language string) bool {
	order, back := false, false
	for _, w := range words {
		switch {
		case isOneOf(w, orders[language], language):
			order = true
		case isOneOf(w, returns[language], language):
			back = true
		case !isLight(w, language):
			return false
		}
	}
	return order && back
}

// auxiliaries are the roots of Turkish verbs that carry no meaning by themselves; notThem
// are prefixes of other words that look like their forms.
var (
	auxiliaries = strings.Fields(`yap ol ed et bul gor bil ogren iste`)
	notThem     = strings.Fields(`olc olay etik etki edebiyat bulas gorev gorus gorsel bilet bilgi bildir ogrenci istek`)
)

// isAuxiliary reports whether a folded Turkish word is a form of such a verb:
// yapabiliyorum, olduğunu.
func isAuxiliary(word string) bool {
	return !begins(word, notThem) && slices.ContainsFunc(auxiliaries, func(root string) bool {
		return strings.HasPrefix(word, root) && isChain(word[len(root):])
	})
}

// pathSign separates the steps of a menu path, and pathStep is the number of words in a
// step.
const (
	pathSign = "›"
	pathStep = 2
)

// withoutPaths removes menu paths from a line: a line with "My account › My orders" is not
// about those menus.
func withoutPaths(line string) string {
	if !strings.Contains(line, pathSign) {
		return line
	}
	words := strings.Fields(line)
	keep := make([]bool, len(words))
	for i := range words {
		near := words[max(0, i-pathStep):min(len(words), i+pathStep+1)]
		keep[i] = !slices.Contains(near, pathSign)
	}
	n := 0
	return strings.Join(slices.DeleteFunc(words, func(string) bool { n++; return !keep[n-1] }), " ")
}
