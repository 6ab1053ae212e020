package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"konak/internal/advisor"
	"konak/internal/kit/trtext"
)

// citation is a question that names a provision.
type citation struct{ text, want string }

// madeCitations returns about n citations of provisions in force in the ways that people
// write them, always the same ones. A provision whose place is also that of another one is
// left out: no answer would be right.
func madeCitations(list []*advisor.Provision, laws *advisor.Laws, n int) []citation {
	rng := rand.New(rand.NewPCG(11, 12))
	type place struct{ no, lawKind, kind, article string }
	bearers := map[place]int{}
	at := func(p *advisor.Provision) place { return place{p.LawNo, p.LawKind, p.Kind, p.No} }
	var fit []*advisor.Provision
	for _, p := range list {
		if p.LawStatus != advisor.StatusInForce {
			continue
		}
		bearers[at(p)]++
		if p.Status == advisor.StatusInForce && p.LawNo != "" && isCitedByNumber(p) {
			fit = append(fit, p)
		}
	}
	var out []citation
	for range n {
		p := fit[rng.IntN(len(fit))]
		if bearers[at(p)] == 1 {
			out = append(out, citation{write(p, laws.Law(p.LawID).Short, rng), p.ID})
		}
	}
	return out
}

// isCitedByNumber reports whether people cite a provision by number at all.
func isCitedByNumber(p *advisor.Provision) bool {
	switch p.LawKind {
	case "kanun", "khk", "anayasa":
	default:
		return false
	}
	return p.Kind != advisor.KindSection && !strings.ContainsAny(p.No, "-~")
}

// write cites p by the number of its law, its abbreviation or, if it is not long, its
// title.
func write(p *advisor.Provision, short string, rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	law := map[string]string{
		"kanun":   pick("%s sayılı Kanun", "%s sayılı kanunun", "%s sayili kanun", "%s sayılı Kanun'un", "%s s. kanun"),
		"khk":     pick("%s sayılı KHK", "%s sayılı Kanun Hükmünde Kararnamenin", "%s sayili khk"),
		"anayasa": pick("Anayasa", "Anayasanın", "Anayasa'nın", "%s sayılı Anayasa"),
	}[p.LawKind]
	if strings.Contains(law, "%s") {
		law = fmt.Sprintf(law, p.LawNo)
	}
	switch words := len(strings.Fields(p.LawTitle)); {
	case short != "" && rng.IntN(2) == 0:
		law = pick(short, strings.ToLower(short), short+"'nın", short+"’nun")
	case p.LawKind == "kanun" && words <= 5 && rng.IntN(4) == 0:
		law = pick(p.LawTitle, trtext.LowerString(p.LawTitle), trtext.LowerString(p.LawTitle)+"nun")
	}
	before := map[string]string{
		advisor.KindArticle: "", advisor.KindTemporary: pick("geçici ", "gecici ", "geç. "),
		advisor.KindAdditional: "ek ", advisor.KindRepeated: pick("mükerrer ", "mük. ", "mukerrer "),
		advisor.KindAdditionalTemporary: "ek geçici ",
	}[p.Kind]
	if p.Kind == advisor.KindArticle && p.LawKind == "kanun" && len(p.LawNo) > 2 && !strings.Contains(p.No, "/") && rng.IntN(6) == 0 {
		return p.LawNo + "/" + p.No
	}
	form := pick("%s %s%s", "%s %sm. %s", "%s %smadde %s", "%s %s%s. madde", "%s %s%s inci maddesi", "%s %smd.%s", "%s %s%s. maddesi nedir")
	return fmt.Sprintf(form, law, before, strings.TrimLeft(p.No, "GE"))
}

// citationAccuracy returns the share of citations whose provision comes first.
func citationAccuracy(find finder, list []citation) (float64, []citation, error) {
	right := 0
	var missed []citation
	for _, c := range list {
		ids, err := find(c.text)
		if err != nil {
			return 0, nil, err
		}
		if len(ids) > 0 && ids[0] == c.want {
			right++
		} else {
			missed = append(missed, c)
		}
	}
	return float64(right) / float64(max(len(list), 1)), missed, nil
}
