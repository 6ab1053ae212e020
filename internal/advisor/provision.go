package advisor

import (
	"errors"
	"fmt"
	"strings"
)

// Provision is one article of a law, as a row of the corpus file.
type Provision struct {
	ID           string   `json:"id"`
	LawID        string   `json:"law_id"`
	LawNo        string   `json:"law_no"`
	LawTitle     string   `json:"law_title"`
	LawStatus    string   `json:"law_status"`
	LawKind      string   `json:"kind"`
	Kind         string   `json:"provision_kind"`
	No           string   `json:"provision_no"`
	Heading      string   `json:"heading"`
	Path         []string `json:"path"`
	Text         string   `json:"text"`
	Status       string   `json:"status"`
	Stub         bool     `json:"stub"`
	AcceptedDate string   `json:"accepted_date"`
	GazetteDate  string   `json:"rg_date"`
	GazetteNo    string   `json:"rg_no"`
	LastAmended  string   `json:"last_amended"`
	Order        int      `json:"order"`
	SourceURL    string   `json:"source_url"`
	Source       string   `json:"source"`
	Licence      string   `json:"licence"`
	Quality      string   `json:"quality,omitempty"`

	line int // of the file it was read from
}

// Kinds of provisions.
const (
	KindArticle             = "madde"
	KindTemporary           = "gecici"
	KindAdditional          = "ek"
	KindRepeated            = "mukerrer"
	KindAdditionalTemporary = "ek_gecici"
	KindSection             = "bolum"
)

// Status of laws and provisions.
const (
	StatusInForce  = "in_force"
	StatusRepealed = "repealed"
)

var (
	lawKinds       = map[string]bool{"kanun": true, "anayasa": true, "khk": true, "cbk": true, "yonetmelik": true, "teblig": true}
	provisionKinds = map[string]bool{
		KindArticle: true, KindTemporary: true, KindAdditional: true,
		KindRepeated: true, KindAdditionalTemporary: true, KindSection: true,
	}
)

// Validate returns why a provision cannot be part of the corpus. A nonexistent date is no
// reason: some official texts have one, and the text is still valid.
func (p *Provision) Validate() error {
	switch {
	case p.ID == "" || strings.ContainsAny(p.ID, " \t\n"):
		return errors.New("id is missing or contains spaces")
	case p.LawID == "":
		return errors.New("law_id is missing")
	case p.LawTitle == "":
		return errors.New("law_title is missing")
	case !lawKinds[p.LawKind]:
		return fmt.Errorf("unknown kind %q", p.LawKind)
	case !provisionKinds[p.Kind]:
		return fmt.Errorf("unknown provision_kind %q", p.Kind)
	case !validStatus(p.Status) || !validStatus(p.LawStatus):
		return fmt.Errorf("unknown status %q or law_status %q", p.Status, p.LawStatus)
	case p.Text == "" && p.Heading == "":
		return errors.New("neither text nor heading")
	}
	return nil
}

func validStatus(s string) bool { return s == StatusInForce || s == StatusRepealed }

// day returns a date as the number 20261115, so that ranges compare as numbers; zero if it
// is not a date.
func day(date string) int32 {
	if len(date) != 10 || date[4] != '-' || date[7] != '-' {
		return 0
	}
	n := int32(0)
	for i := range len(date) {
		if i == 4 || i == 7 {
			continue
		}
		if date[i] < '0' || date[i] > '9' {
			return 0
		}
		n = n*10 + int32(date[i]-'0')
	}
	if m, d := n/100%100, n%100; m < 1 || m > 12 || d < 1 || d > 31 {
		return 0
	}
	return n
}

// Label returns the short citation of a provision: "TTK m. 376", "193 sayılı Kanun geç. m.
// 67". short is the law's abbreviation or "".
func (p *Provision) Label(short string) string {
	law := short
	if law == "" {
		law = p.LawNo + " sayılı " + kindName(p.LawKind)
		if p.LawNo == "" {
			law = p.LawTitle
		}
	}
	switch p.Kind {
	case KindTemporary:
		return law + " geç. m. " + p.No
	case KindAdditional:
		return law + " ek m. " + p.No
	case KindRepeated:
		return law + " mük. m. " + p.No
	case KindAdditionalTemporary:
		return law + " ek geç. m. " + p.No
	case KindSection:
		return law + " " + p.No
	}
	return law + " m. " + p.No
}

func kindName(kind string) string {
	switch kind {
	case "khk":
		return "KHK"
	case "cbk":
		return "CBK"
	case "yonetmelik":
		return "Yönetmelik"
	case "teblig":
		return "Tebliğ"
	case "anayasa":
		return "Anayasa"
	}
	return "Kanun"
}
