package password

import (
	"strings"
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go"

	"konak/internal/kit/address"
	"konak/internal/kit/fault"
)

// Lengths of passwords, in characters. With two-factor authentication a shorter one is enough.
const (
	minLength          = 15
	minLengthTwoFactor = 8
	maxLength          = 256
	// weakest is the lowest strength that is accepted, of 0 to 4.
	weakest = 3
	// judged is the number of leading characters that are rated: the rest can only make a
	// password stronger, and rating takes more than linear time.
	judged = 64
)

// turkish are words that guessers of Turkish passwords try first and that are missing from
// the strength meter's own lists.
var turkish = strings.Fields(`
	parola sifre şifre giris giriş merhaba istanbul ankara izmir turkiye türkiye galatasaray fenerbahce fenerbahçe
	besiktas beşiktaş trabzonspor bursaspor ataturk atatürk mustafa kemal allah bismillah askim aşkım seni seviyorum
	sevgilim canim canım bebegim bebeğim ahmet mehmet ayse ayşe fatma zeynep elif emre murat hakan yilmaz yılmaz kaya
	demir celik çelik sahin şahin yildiz yıldız aslan kartal kanarya cimbom konak muhasebe fatura yonetici yönetici
	kullanici kullanıcı deneme gizli bilgisayar telefon anne baba kardes kardeş nisan mayis mayıs haziran temmuz agustos
	ağustos eylul eylül ekim kasim kasım aralik aralık pazartesi sali salı carsamba çarşamba persembe perşembe cuma
	cumartesi pazar vatan millet cumhuriyet asdfgh qwerty
`)

// Check refuses a password that is too short, too long or easily guessed with
// fault.ValidationFailed on the field. about holds words known about its owner, such as
// name and address. There are no rules about kinds of characters: they make passwords
// worse.
func Check(field, password string, twoFactor bool, about ...string) error {
	least := minLength
	if twoFactor {
		least = minLengthTwoFactor
	}
	n := utf8.RuneCountInString(password)
	switch {
	case !utf8.ValidString(password):
		return fault.Invalid(field, "invalid_format")
	case n < least:
		return fault.Invalid(field, "too_short")
	case n > maxLength:
		return fault.Invalid(field, "too_long")
	}
	inputs := append([]string{}, turkish...)
	rest := address.Fold(password)
	for _, a := range about {
		words := strings.FieldsFunc(address.Fold(a), func(r rune) bool { return strings.ContainsRune(" @.-_+", r) })
		inputs = append(inputs, words...)
		for _, known := range append([]string{address.Fold(a)}, words...) {
			if utf8.RuneCountInString(known) > 3 {
				rest = strings.ReplaceAll(rest, known, "")
			}
		}
	}
	// The meter rates each word separately; one's own address three times over is long and
	// still the first thing that is tried.
	if utf8.RuneCountInString(rest) < minLengthTwoFactor {
		return fault.Invalid(field, "too_weak")
	}
	head := password
	if runes := []rune(password); len(runes) > judged {
		head = string(runes[:judged])
	}
	if zxcvbn.PasswordStrength(head, inputs).Score < weakest {
		return fault.Invalid(field, "too_weak")
	}
	return nil
}
