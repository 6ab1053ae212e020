package numbers

// The checks take digits as ASCII bytes.

// isTCKN reports whether digits are a Turkish identity number.
func isTCKN(d []byte) bool {
	if len(d) != 11 || d[0] == '0' {
		return false
	}
	odd, even, sum := 0, 0, 0
	for i := range 9 {
		v := int(d[i] - '0')
		if i%2 == 0 {
			odd += v
		} else {
			even += v
		}
		sum += v
	}
	tenth := ((odd*7-even)%10 + 10) % 10
	return tenth == int(d[9]-'0') && (sum+tenth)%10 == int(d[10]-'0')
}

// isVKN reports whether digits are a Turkish tax number.
func isVKN(d []byte) bool {
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		t := (int(d[i]-'0') + 9 - i) % 10
		if t == 0 {
			continue
		}
		p := t << (9 - i) % 9
		if p == 0 {
			p = 9
		}
		sum += p
	}
	return (10-sum%10)%10 == int(d[9]-'0')
}

// isCard reports whether digits are a card number: in a range of a known issuer, of a
// length that this issuer uses, and with a valid Luhn check digit.
func isCard(d []byte) bool {
	if len(d) < 12 || len(d) > 19 || !isIssued(d) {
		return false
	}
	sum := 0
	for i := range d {
		v := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// isIssued reports whether an issuer uses numbers with this beginning and length.
func isIssued(d []byte) bool {
	n := len(d)
	prefix := func(digits int) int {
		v := 0
		for _, c := range d[:digits] {
			v = v*10 + int(c-'0')
		}
		return v
	}
	two, three, four := prefix(2), prefix(3), prefix(4)
	switch {
	case d[0] == '4': // Visa
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720: // Mastercard
		return n == 16
	case two == 34, two == 37: // American Express
		return n == 15
	case four == 9792: // Troy
		return n == 16
	case four == 6011, three >= 644 && three <= 649, two == 65, two == 62, four >= 3528 && four <= 3589: // Discover, UnionPay, JCB
		return n >= 16
	case three >= 300 && three <= 305, two == 36, two == 38, two == 39: // Diners Club
		return n == 14 || n == 16
	}
	switch four {
	case 5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763: // Maestro
		return true
	}
	return false
}

// ibanLengths are the lengths of account numbers by country.
var ibanLengths = map[string]int{
	"ad": 24, "ae": 23, "al": 28, "at": 20, "az": 28, "ba": 20, "be": 16, "bg": 22, "bh": 22, "bi": 27, "br": 29, "by": 28,
	"ch": 21, "cr": 22, "cy": 28, "cz": 24, "de": 22, "dj": 27, "dk": 18, "do": 28, "ee": 20, "eg": 29, "es": 24, "fi": 18,
	"fk": 18, "fo": 18, "fr": 27, "gb": 22, "ge": 22, "gi": 23, "gl": 18, "gr": 27, "gt": 28, "hr": 21, "hu": 28, "ie": 22,
	"il": 23, "iq": 23, "is": 26, "it": 27, "jo": 30, "kw": 30, "kz": 20, "lb": 28, "lc": 32, "li": 21, "lt": 20, "lu": 20,
	"lv": 21, "ly": 25, "mc": 27, "md": 24, "me": 22, "mk": 19, "mn": 20, "mr": 27, "mt": 31, "mu": 30, "ni": 28, "nl": 18,
	"no": 15, "om": 23, "pk": 24, "pl": 28, "ps": 29, "pt": 25, "qa": 29, "ro": 24, "rs": 22, "ru": 33, "sa": 24, "sc": 31,
	"sd": 18, "se": 24, "si": 19, "sk": 24, "sm": 27, "so": 23, "st": 25, "sv": 28, "tl": 23, "tn": 24, "tr": 26, "ua": 29,
	"va": 22, "vg": 24, "xk": 20, "ye": 30,
}

// isIBAN reports whether lower-case letters and digits pass the check of an account number.
func isIBAN(s []byte) bool {
	rest := 0
	for i := range s {
		c := s[(i+4)%len(s)]
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'a' && c <= 'z':
			rest = (rest*100 + int(c-'a') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}
