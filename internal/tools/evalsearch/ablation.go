package main

import "konak/internal/advisor"

// rule is one line of the ablation table: its name and how to turn it off.
type rule struct {
	name string
	off  func(*advisor.Rules)
}

// rulesOff lists every ranking rule. A rule that is not listed is not measured and must not
// be in the code.
func rulesOff() []rule {
	return []rule{
		{"synonyms and abbreviations", func(r *advisor.Rules) { r.Synonyms = false }},
		{"citations and law names", func(r *advisor.Rules) { r.Citations = false }},
		{"law named in the question", func(r *advisor.Rules) { r.NamedLaw = 0 }},
		{"cited provision among other words", func(r *advisor.Rules) { r.Cite = 0 }},
		{"prior: laws that other laws cite", func(r *advisor.Rules) { r.Cited = 0 }},
		{"statute before regulation and communiqué", func(r *advisor.Rules) { r.Subsidiary = 1 }},
		{"temporary articles held back", func(r *advisor.Rules) { r.Temporary = 1 }},
		{"stubs held back", func(r *advisor.Rules) { r.Stub = 1 }},
		{"amendment notes cut out", func(r *advisor.Rules) { r.CutNotes = false }},
		{"word as written beside its stem", func(r *advisor.Rules) { r.Tuning.Surface = 0 }},
		{"first letters of the stem", func(r *advisor.Rules) { r.Tuning.Prefix = 0 }},
		{"flattened rarity (power .8)", func(r *advisor.Rules) { r.Tuning.IDFPower = 1 }},
		{"second mention at half weight", func(r *advisor.Rules) { r.Tuning.Repeat = 1 }},
		{"neighbouring words", func(r *advisor.Rules) { r.Tuning.Near = 0 }},
		{"context of the law", func(r *advisor.Rules) { r.Tuning.Context = 0 }},
		{"personal endings of unknown words", func(r *advisor.Rules) { r.Tuning.Personal = false }},
		{"field weights (all 1)", func(r *advisor.Rules) { r.Fields = advisor.FieldWeights{Text: 1, Heading: 1, Path: 1, Title: 1} }},
	}
}
