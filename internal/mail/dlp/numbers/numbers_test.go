package numbers_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"konak/internal/mail/dlp/numbers"
)

// names are the kinds of numbers, by rule index.
var names = []string{"card", "iban", "tckn", "phone"}

// find returns the numbers found in a text, as "kind value".
func find(text string) (out []string) {
	s := numbers.Scanner{Rules: &numbers.Rules{Card: []int{0}, IBAN: []int{1}, TCKN: []int{2}, Phone: []int{3}}}
	s.Found = func(rules []int, _, _ int, value []byte) {
		out = append(out, names[rules[0]]+" "+string(value))
	}
	s.Scan([]byte(strings.ToLower(text)))
	return out
}

// A number that stands by itself is found however it is grouped; one next to other numbers
// only in its usual groups.
func TestGroups(t *testing.T) {
	t.Parallel()
	const card = "card 4111111111111111"
	const identity = "tckn 10000000146"
	for text, want := range map[string][]string{
		"4111 1111 1111 1111":                              {card},
		"Kart: 41 11 11 11 11 11 11 11":                    {card},
		"41 111 1111 11 11111":                             {card},
		"4111-1111 1111 1111":                              {card},
		"4111.1111.1111.1111":                              {card},
		"4111 1111 1111 1111 12/28 123":                    {card},
		"15 4111 1111 1111 1111":                           {card},
		"4111 1111 1111 1111 5555 5555 5555 4444":          {card, "card 5555555555554444"},
		"4111111111111111 5 adet":                          {card},
		"x4111111111111111x":                               {card},
		"4111 1111\n1111 1111\n12/28":                      {card},
		"4111\n1111\n1111\n1111":                           {card},
		"3782 822463 10005 12 28":                          {"card 378282246310005"},
		"1. 4111 1111 1111 1111\n2. 5555 5555 5555 4444":   {card, "card 5555555555554444"},
		"TC 100 000 001 46, 5 adet":                        {identity},
		"100 000 001 46\n5 adet 10 kutu":                   {identity},
		"12,10000000146,7":                                 {identity},
		"1 0532 123 45 67":                                 {"phone 05321234567"},
		"0532.123.45.67":                                   {"phone 05321234567"},
		"0532 123 45 67 0533 765 43 21":                    {"phone 05321234567", "phone 05337654321"},
		"1. 532 123 45 67":                                 {"phone 5321234567"},
		"TR33 0006 1005 1978 6457 8413 26\n2026-11-18":     {"iban tr330006100519786457841326"},
		"1250 4111 1111 1111 1111 3500":                    nil,
		"4111\t1111\t1111\t1111\n1250\t3500":               nil,
		"0.4111111111111111":                               nil,
		"36.111111 11.111111":                              nil,
		"192.168.10.123":                                   nil,
		"12 34 0532 123 45 67":                             {"phone 05321234567"},
		"5 3 2 1 2 3 4 5 6 7":                              {"phone 5321234567"},
		"Tel: 05 32 12 34 567":                             {"phone 05321234567"},
		"532 12 34 567":                                    {"phone 5321234567"},
		"34/5 0532 123 45 67":                              {"phone 05321234567"},
		"0 532 123 45 67 12":                               {"phone 05321234567"},
		"+90 532\n123 45 67":                               {"phone 905321234567"},
		"+49 30\n12345678":                                 {"phone 493012345678"},
		"0532\t123\t45\t67":                                {"phone 05321234567"},
		"Ali\t4111\t1111\t1111\t1111\nVeli\t12":            {card},
		"4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n12/28 123":       {card},
		"41 11 11 11 11 11 11 11\n55 55 55 55 55 55 44 44": {card, "card 5555555555554444"},
		"100 000 001 46\n123 456 789 01\n234 567 890 12":   {identity},
		"53 21 23 45 67":                                   nil,
		"53212 34567":                                      nil,
		"12;05321\n23456;7":                                nil,
		"+3\n1520\n1640":                                   nil,
		"41 11 11 11 11 11 11 11\n12 34 56 78 90 12 34 56\n12 34 56 78 90 12 34 57": nil,
		"UID:040000008200E00074C5B7101A82E00800000000D0A1B2C3":                      nil,
		"da39a3ee4111111111111111bfef95601890afd8":                                  nil,
		"47f4824f-4762-4426-a0f3-ba9721966785\n2026-11-14 17:50":                    nil,
		"0b1f6a0c-7a0e-4111-1111-111111111111":                                      nil,
	} {
		if got := find(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Ordinary lists contain no card or identity numbers, however long they are.
func TestOrdinaryListsContainNoNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20, 8))
	upTo := func(n int) int { return r.IntN(n) }
	decimal := func(most float64) string { return fmt.Sprintf("%.2f", r.Float64()*most) }
	row := func(n int, separator string, cell func() string) string {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = cell()
		}
		return strings.Join(cells, separator)
	}
	uuid := func() string {
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(upTo(256))
		}
		h := hex.EncodeToString(b)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:]
	}
	for name, line := range map[string]func() string{
		"whole numbers in columns": func() string { return row(8, "\t", func() string { return fmt.Sprint(upTo(9999)) }) },
		"short numbers in columns": func() string { return row(12, "\t", func() string { return fmt.Sprint(upTo(100)) }) },
		"short numbers":            func() string { return row(8, " ", func() string { return fmt.Sprint(10 + upTo(90)) }) },
		"pairs of digits":          func() string { return row(5, " ", func() string { return fmt.Sprintf("%02d", upTo(100)) }) },
		"digits":                   func() string { return row(10, " ", func() string { return fmt.Sprint(upTo(10)) }) },
		"many digits":              func() string { return row(16, " ", func() string { return fmt.Sprint(upTo(10)) }) },
		"codes in columns":         func() string { return row(5, "\t", func() string { return fmt.Sprintf("%04d", upTo(10000)) }) },
		"pairs of codes":           func() string { return row(2, "  ", func() string { return fmt.Sprintf("%05d", upTo(100000)) }) },
		"codes in a list":          func() string { return row(4, ";", func() string { return fmt.Sprintf("%06d", upTo(1000000)) }) },
		"decimals in columns":      func() string { return row(8, "\t", func() string { return decimal(1000) }) },
		"decimals":                 func() string { return row(6, " ", func() string { return decimal(2000) }) },
		"coordinates":              func() string { return fmt.Sprintf("%.6f %.6f", 36+6*r.Float64(), 26+18*r.Float64()) },
		"floats":                   func() string { return fmt.Sprint("\"x\": ", r.Float64()*1000, ",") },
		"path": func() string {
			return `d="M` + row(1, "", func() string { return decimal(512) }) + "C" + row(6, " ", func() string { return decimal(512) })
		},
		"dates": func() string {
			return fmt.Sprintf("%02d.%02d.2026 %02d.%02d", 1+upTo(28), 1+upTo(12), upTo(24), upTo(60))
		},
		"addresses": func() string { return fmt.Sprintf("%d.%d.%d.%d", upTo(256), upTo(256), upTo(256), upTo(256)) },
		"log": func() string {
			return fmt.Sprintf("2026-11-%02d %02d:%02d:%02d 10.%d.%d.%d %s", 1+upTo(28), upTo(24), upTo(60), upTo(60), upTo(256), upTo(256), upTo(256), uuid())
		},
		"telephone numbers": func() string {
			return fmt.Sprintf("%d 05%02d %03d %02d %02d", upTo(99), 30+upTo(30), 100+upTo(900), upTo(100), upTo(100))
		},
	} {
		got := find(row(300, "\n", line))
		got = slices.DeleteFunc(got, func(s string) bool {
			return name == "telephone numbers" && strings.HasPrefix(s, "phone ")
		})
		if len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
