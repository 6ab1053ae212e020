package advisor

import (
	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// HitLaw is the law of a hit.
type HitLaw struct {
	ID    string `json:"id" example:"kanun-6102"`
	No    string `json:"no" example:"6102"`
	Title string `json:"title" example:"TÜRK TİCARET KANUNU"`
	Short string `json:"short" doc:"Abbreviation; empty if the law has none" example:"TTK"`
	Kind  string `json:"kind" enum:"kanun,anayasa,khk,cbk,yonetmelik,teblig" example:"kanun"`
}

// HitProvision is a hit's place in its law.
type HitProvision struct {
	Kind    string   `json:"kind" enum:"madde,gecici,ek,mukerrer,ek_gecici,bolum" example:"madde"`
	No      string   `json:"no" example:"376"`
	Label   string   `json:"label" doc:"Short citation" example:"TTK m. 376"`
	Heading string   `json:"heading" example:"Sermayenin kaybı, borca batık olma durumu"`
	Path    []string `json:"path" doc:"Book, part and section of the law that contain the provision"`
}

// Hit is one provision found.
type Hit struct {
	ID        string       `json:"id" example:"kanun-6102:m376"`
	Score     float64      `json:"score" example:"12.5"`
	Match     string       `json:"match" enum:"citation,text" doc:"citation: the query cites this provision" example:"text"`
	Law       HitLaw       `json:"law"`
	Provision HitProvision `json:"provision"`
	Snippet   string       `json:"snippet" doc:"HTML: escaped text with matches in <em>" example:"sermayenin <em>kaybı</em>"`
	Status    string       `json:"status" enum:"in_force,repealed" example:"in_force"`
	ValidFrom string       `json:"valid_from" doc:"First day this text applies" example:"2012-07-01"`
	SourceURL *string      `json:"source_url" nullable:"true" doc:"URL of the official text" example:"https://example.com/6102"`
}

// FacetCount is one value of a facet.
type FacetCount struct {
	Value string `json:"value" example:"kanun"`
	Title string `json:"title" doc:"Title of the law, or name of the kind" example:"Kanun"`
	Count int    `json:"count" example:"42"`
}

// Facets count the hits by kind and by law.
type Facets struct {
	Kinds []FacetCount `json:"tur"`
	Laws  []FacetCount `json:"mevzuat"`
}

// Cited is a provision that the question names.
type Cited struct {
	Law       HitLaw  `json:"law"`
	Kind      string  `json:"kind" example:"madde"`
	No        string  `json:"no" example:"376"`
	Provision *string `json:"provision" nullable:"true" doc:"Id of the provision; null if the law has no such provision" example:"kanun-6102:m376"`
}

// Correction is a word that was replaced in the search.
type Correction struct {
	Word     string `json:"word" example:"serrmaye"`
	Searched string `json:"searched" example:"sermaye"`
}

// Understood is how the question was interpreted.
type Understood struct {
	Citations []Cited      `json:"citations"`
	Laws      []HitLaw     `json:"laws" doc:"Laws named in the query"`
	Corrected []Correction `json:"corrected"`
}

// Found is a page of hits with its accompanying data. All of it belongs to one revision.
type Found struct {
	Hits   []Hit
	Next   string
	Total  int
	Facets *Facets
	Query  Understood
	Rev    int64
}

// ListedLaw is a law in the list of laws.
type ListedLaw struct {
	ID          string `json:"id" example:"kanun-6102"`
	No          string `json:"no" example:"6102"`
	Title       string `json:"title" example:"TÜRK TİCARET KANUNU"`
	Kind        string `json:"kind" enum:"kanun,anayasa,khk,cbk,yonetmelik,teblig" example:"kanun"`
	Status      string `json:"status" enum:"in_force,repealed" example:"in_force"`
	GazetteDate string `json:"rg_date" example:"2011-02-14"`
	GazetteNo   string `json:"rg_no" example:"27846"`
	SourceURL   string `json:"source_url" example:"https://example.com/6102"`
	Provisions  int    `json:"provisions" doc:"Number of provisions" example:"1535"`
	LastUpdate  string `json:"last_update" doc:"Day of the latest known amendment" example:"2026-08-08"`

	key uuid.UUID
	day int64
}

// Version is a present or past text of a provision.
type Version struct {
	ValidFrom string  `json:"valid_from" example:"2012-07-01"`
	ValidTo   *string `json:"valid_to" nullable:"true" doc:"First day this text no longer applies" example:"2026-08-08"`
	Text      string  `json:"text" example:"Son yıllık bilançodan…"`
	SHA256    string  `json:"sha256" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// Neighbour is a provision of the same law.
type Neighbour struct {
	ID        string       `json:"id" example:"kanun-6102:m377"`
	Provision HitProvision `json:"provision"`
	Status    string       `json:"status" enum:"in_force,repealed" example:"in_force"`
}

// ProvisionPage is everything about one provision.
type ProvisionPage struct {
	ID           string                  `json:"id" example:"kanun-6102:m376"`
	Law          HitLaw                  `json:"law"`
	LawStatus    string                  `json:"law_status" enum:"in_force,repealed" example:"in_force"`
	Provision    HitProvision            `json:"provision"`
	Text         string                  `json:"text" doc:"Full text" example:"Son yıllık bilançodan…"`
	Status       string                  `json:"status" enum:"in_force,repealed" example:"in_force"`
	ValidFrom    string                  `json:"valid_from" example:"2012-07-01"`
	AcceptedDate string                  `json:"accepted_date" example:"2011-01-13"`
	GazetteDate  string                  `json:"rg_date" example:"2011-02-14"`
	GazetteNo    string                  `json:"rg_no" example:"27846"`
	SourceURL    *string                 `json:"source_url" nullable:"true" example:"https://example.com/6102"`
	Source       string                  `json:"source" example:"official"`
	Previous     api.Nullable[Neighbour] `json:"previous"`
	Next         api.Nullable[Neighbour] `json:"next"`
	Outline      []Neighbour             `json:"outline" doc:"All provisions of the law, in order"`
	Versions     []Version               `json:"versions" doc:"Newest first"`
	HistoryFrom  clock.Time              `json:"history_from" doc:"Time of the first import; earlier texts are unknown"`
	CorpusRev    int64                   `json:"corpus_rev" example:"3"`
}
