package main

import (
	"math"
	"strings"
	"testing"

	"konak/internal/advisor"
)

func TestMeasures(t *testing.T) {
	t.Parallel()
	if got := ndcg([]string{"a", "x", "b"}, []string{"a", "b"}, 10); math.Abs(got-(1+.5)/(1+1/math.Log2(3))) > 1e-9 {
		t.Errorf("ndcg %f", got)
	}
	if got := ndcg([]string{"x", "y"}, []string{"a"}, 10); got != 0 {
		t.Errorf("ndcg of a miss %f", got)
	}
	if got := recall([]string{"a", "x"}, []string{"a", "b"}); got != .5 {
		t.Errorf("recall %f", got)
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	if got := undiacritic("İşçi ÖĞÜT ılık"); got != "Isci OGUT ilik" {
		t.Errorf("undiacritic %q", got)
	}
	text := "Kiracının temerrüdü nedir?"
	once := typo(text)
	if again := typo(text); once == text || again != once {
		t.Errorf("a typo must change the question, and always in the same way: %q, %q", once, again)
	}
	if got := typo("ne"); got != "ne" {
		t.Errorf("typo in nothing: %q", got)
	}
}

func TestGeneratedCitationsAreFound(t *testing.T) {
	t.Parallel()
	var list []*advisor.Provision
	for _, no := range []string{"1", "2", "3", "44", "55/A"} {
		list = append(list, &advisor.Provision{
			ID: "kanun-9999:m" + no, LawID: "kanun-9999", LawNo: "9999", LawTitle: "ÖRNEK KANUN", LawKind: "kanun", LawStatus: advisor.StatusInForce,
			Kind: advisor.KindArticle, No: no, Text: "Madde " + no + " hükmü böyledir.", Status: advisor.StatusInForce,
		})
	}
	b, err := build(advisor.DefaultRules(), list)
	if err != nil {
		t.Fatal(err)
	}
	share, missed, err := citationAccuracy(finderOf(b.engine, false), madeCitations(list, b.engine.Laws(), 200))
	if err != nil || share < 1 {
		t.Errorf("found %.2f, missed %v, %v", share, missed, err)
	}
}

func TestSwitchingOffRuleChangesRules(t *testing.T) {
	t.Parallel()
	for _, r := range rulesOff() {
		rules := advisor.DefaultRules()
		r.off(&rules)
		if rules == advisor.DefaultRules() || strings.TrimSpace(r.name) == "" {
			t.Errorf("%q switches nothing off", r.name)
		}
	}
}
