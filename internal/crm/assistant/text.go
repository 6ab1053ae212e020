package assistant

import (
	"context"
	"strings"

	"konak/internal/crm/assistant/engine"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/airecord"
	"konak/internal/crm/reply"
	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
)

// phrases are the assistant's own texts.
type phrases struct{ greeting, thanks, person, unknown, closed, source, meanwhile string }

var phrasesBy = map[string]phrases{
	engine.Turkish: {
		greeting:  "Merhaba! Sorunuzu yazın, yardım makalelerimizde arayayım. Bir temsilciyle görüşmek isterseniz söylemeniz yeterli.",
		thanks:    "Rica ederim. Başka bir sorunuz olursa yazabilirsiniz.",
		person:    "Sizi bir temsilciye aktarıyorum; en kısa sürede yazacak.",
		unknown:   "Bunun yanıtını bulamadım. Sizi bir temsilciye aktarıyorum; en kısa sürede yazacak.",
		closed:    "Şu anda size yanıt veremiyorum. Sizi bir temsilciye aktarıyorum; çalışma saatlerimizde yazacak.",
		source:    "Kaynak: ",
		meanwhile: "Bu arada işinize yarayabilir:",
	},
	engine.English: {
		greeting:  "Hello! Write your question and I will look for it in our help articles. If you would like to talk to a person, just say so.",
		thanks:    "You are welcome. Write to me if you have another question.",
		person:    "I am handing you over to a colleague, who will write as soon as possible.",
		unknown:   "I did not find an answer to that. I am handing you over to a colleague, who will write as soon as possible.",
		closed:    "I cannot answer you at this hour. I am handing you over to a colleague, who will write during our business hours.",
		source:    "Source: ",
		meanwhile: "Meanwhile, this may help:",
	},
}

// wordsIn returns the phrases in a language; in English for a language the assistant does
// not speak.
func wordsIn(language string) phrases {
	if language == engine.Other {
		language = engine.English
	}
	return phrasesBy[languageOr(language)]
}

// languageOr returns a language that the assistant speaks: English if given, else Turkish.
func languageOr(language string) string {
	if language == engine.English {
		return language
	}
	return engine.Turkish
}

// ofRefusal returns what the customer is told when the assistant does not answer at all; ""
// if it says nothing. While the channel is open, a colleague is available.
func (p phrases) ofRefusal(reason string, open bool) string {
	switch {
	case reason == AnswerLimit, reason == OutOfHours && open:
		return p.person
	case reason == OutOfHours:
		return p.closed
	}
	return ""
}

// withSources appends the sources of a text that the customer can read.
func (p phrases) withSources(text string, sources []conversation.AISource) string {
	for _, s := range sources {
		if s.Kind == engine.CannedReply {
			continue // its title is internal to the team
		}
		text += "\n\n" + p.source + s.Title
		if s.URL != "" {
			text += "\n" + s.URL
		}
	}
	return text
}

// withSuggestions appends texts that the customer can read while they wait.
func (p phrases) withSuggestions(text string, list []engine.Candidate) string {
	if len(list) == 0 {
		return text
	}
	text += "\n\n" + p.meanwhile
	for _, c := range list {
		text += "\n" + c.Title + "\n" + c.URL
	}
	return text
}

// withoutSources removes what withSources appended.
func withoutSources(text string) string {
	lines := strings.Split(text, "\n")
	for i, source := 0, false; i < len(lines); i++ {
		address := source && strings.HasPrefix(lines[i], "http")
		source = strings.HasPrefix(lines[i], phrasesBy[engine.Turkish].source) || strings.HasPrefix(lines[i], phrasesBy[engine.English].source)
		if source || address {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// Summarizer builds summaries from a conversation's own sentences.
type Summarizer struct{}

var _ airecord.Assistant = Summarizer{}

// CanSummarize implements airecord.Assistant.
func (Summarizer) CanSummarize(ctx context.Context) (bool, error) {
	return caller.From(ctx).Licences[Licence], nil
}

// Summarize implements airecord.Assistant. It returns no_assistant without the
// licence.
func (Summarizer) Summarize(ctx context.Context, t airecord.Transcript) (airecord.NewSummary, error) {
	if !caller.From(ctx).Licences[Licence] {
		return airecord.NewSummary{}, fault.New(fault.NoAssistant)
	}
	var lines []engine.Line
	for _, item := range t.Items {
		line := engine.Line{By: engine.ByTeam, Body: item.PlainBody()}
		switch {
		case item.Detail[reply.DetailSmallTalk] == true:
			continue // nothing was answered, and the customer still waits
		case item.Kind == conversation.Note:
			line.By = engine.AsNote
		case item.AuthorKind == conversation.ByContact:
			line.By = engine.ByCustomer
		case item.AuthorKind == conversation.ByBot:
			line = engine.Line{By: engine.ByAssistant, Body: withoutSources(line.Body)}
		}
		lines = append(lines, line)
	}
	text, language := engine.Summarize(lines, t.Conversation.WaitingSince != nil, languageOr(t.Language))
	if text == "" {
		return airecord.NewSummary{}, fault.New(fault.NothingToSummarize)
	}
	c := defaultConfiguration()
	return airecord.NewSummary{Body: text, Language: language, Configuration: c.reference()}, nil
}
