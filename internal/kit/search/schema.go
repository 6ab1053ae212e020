package search

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
)

// Field is one text field of the documents. Weight is how much a word in it counts, B is
// how strongly a document is penalized for a long field.
type Field struct {
	Name   string
	Weight float64
	B      float64
}

// Tuning holds the constants of ranking. Zero turns a rule off, except for K1 and IDFPower,
// which must be positive.
type Tuning struct {
	K1       float64 // where repetition of a word stops mattering
	IDFPower float64 // below 1 flattens the weight of rare words; long questions are full of irrelevant rare words
	Surface  float64 // weight of the word as written; its stem has 1
	Prefix   float64 // weight of the first letters of the stem, which join a verb and its noun
	Repeat   float64 // weight of a word's second mention in the query
	Near     float64 // weight of neighbouring words of the query that are neighbours in the document
	Context  float64 // weight of the other documents of the same group
	Synonym  float64 // weight of a synonym's stem
	Personal bool    // strip endings of the first and second person from unknown words
}

// DefaultTuning is the set of constants measured in docs/advisor-ranking.md.
func DefaultTuning() Tuning {
	return Tuning{
		K1: 2, IDFPower: .8, Surface: .3, Prefix: .3, Repeat: .5,
		Near: .5, Context: .2, Synonym: .6, Personal: true,
	}
}

// Schema describes the documents of one index.
type Schema struct {
	Fields  []Field
	Attrs   []string // filterable attributes, one value per document
	Numbers []string // filterable numbers, for instance days
	Group   string   // attribute whose equal values make documents one work; "" for none
	Tuning  Tuning
}

// Document is the input of an index. Fields, Attrs and Numbers follow the order of the
// schema. Prior multiplies the score; 1 is neutral, and zero is treated as 1.
type Document struct {
	ID      string
	Fields  []string
	Attrs   []string
	Numbers []int32
	Prior   float64
}

func (s *Schema) check() error {
	if len(s.Fields) == 0 || len(s.Fields) > maxFields {
		return fmt.Errorf("search: %d fields, want 1 to %d", len(s.Fields), maxFields)
	}
	if s.Tuning.K1 <= 0 || s.Tuning.IDFPower <= 0 {
		return errors.New("search: K1 and IDFPower must be positive")
	}
	if s.Group != "" && s.attr(s.Group) < 0 {
		return fmt.Errorf("search: group %q is not an attribute", s.Group)
	}
	return nil
}

func (s *Schema) checkDocument(d *Document) error {
	switch {
	case d.ID == "":
		return errors.New("search: document without id")
	case len(d.Fields) != len(s.Fields), len(d.Attrs) != len(s.Attrs), len(d.Numbers) != len(s.Numbers):
		return fmt.Errorf("search: document %s does not follow the schema", d.ID)
	}
	return nil
}

func (s *Schema) attr(name string) int   { return slices.Index(s.Attrs, name) }
func (s *Schema) number(name string) int { return slices.Index(s.Numbers, name) }

// key identifies what a segment depends on: a file written with another schema or analysis
// must not be read.
func (s *Schema) key() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, AnalyzerVersion, s.Fields, s.Attrs, s.Numbers, s.Group, s.Tuning.K1)
	return h.Sum64()
}
