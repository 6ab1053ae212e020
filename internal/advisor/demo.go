package advisor

import (
	"context"
	_ "embed" // the demo corpus
)

// demoCorpus holds rules written for the demo in the style of legislation. They
// are no law, and their titles say so.
//
//go:embed demo/corpus.jsonl
var demoCorpus []byte

// Tables are the tables of the corpus, which belongs to no workspace.
var Tables = []string{"advisor_revision", "advisor_import", "advisor_law", "advisor_provision", "provision_version"}

// FillDemo imports the demo corpus, unless a corpus exists.
func (s *Service) FillDemo(ctx context.Context) error {
	v, err := s.latest(ctx)
	if err != nil || v.Rev > 0 {
		return err
	}
	_, err = s.Import(ctx, BytesSource("demo", demoCorpus), ImportOptions{})
	return err
}
