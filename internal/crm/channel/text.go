package channel

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// CutText splits a text into pieces with a maximum size, preferably at the end of a line or
// word. size returns how many units the provider counts for a character.
func CutText(text string, most int, size func(rune) int) (out []string) {
	for text = strings.TrimSpace(text); ; text = strings.TrimSpace(text) {
		end, n := 0, 0
		for i, r := range text {
			if n += size(r); n > most {
				break
			}
			end = i + utf8.RuneLen(r)
		}
		if n <= most {
			return append(out, text)
		}
		if at := strings.LastIndexAny(text[:end], "\n "); at > end/2 {
			end = at
		}
		out, text = append(out, text[:end]), text[end:]
	}
}

// RatingQuestion asks a customer how a conversation went, with buttons.
const RatingQuestion = "Görüşmemizi nasıl değerlendirirsiniz? / How was our conversation?"

// RatingButton is a button below the question: the text it shows, and the data it sends
// when pressed.
type RatingButton struct{ Text, Data string }

// ratingPrefix begins the data of buttons that give a rating.
const ratingPrefix = "csat:"

// RatingButtons returns the five buttons below the question about a conversation.
func RatingButtons(conversation uuid.UUID) (out []RatingButton) {
	for n := 1; n <= 5; n++ {
		number := strconv.Itoa(n)
		out = append(out, RatingButton{number + " ⭐", ratingPrefix + number + ":" + conversation.String()})
	}
	return out
}

// ReadRating reads the rating and the conversation from a button's data; false if it is not
// a rating button.
func ReadRating(data string) (conversation uuid.UUID, rating int, is bool) {
	rest, is := strings.CutPrefix(data, ratingPrefix)
	number, id, _ := strings.Cut(rest, ":")
	rating, err := strconv.Atoi(number)
	if !is || err != nil || rating < 1 || rating > 5 {
		return conversation, 0, false
	}
	conversation, err = uuid.Parse(id)
	return conversation, rating, err == nil
}
