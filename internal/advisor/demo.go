package advisor

import (
	"context"
	_ "embed" // the demo corpus
)

// demoCorpus are rules that we wrote for the demo, in the manner of
// legislation. They are no law, and their titles say so.
//
//go:embed demo/corpus.jsonl
var demoCorpus []byte

// Tables hold the corpus, which belongs to no workspace.
var Tables = []string{"advisor_revision", "advisor_import", "advisor_law", "advisor_provision", "provision_version"}

// FillDemo brings the demo corpus in, unless there is a corpus.
func (s *Service) FillDemo(ctx context.Context) error {
	v, err := s.latest(ctx)
	if err != nil || v.Rev > 0 {
		return err
	}
	_, err = s.Import(ctx, BytesSource("demo", demoCorpus), ImportOptions{})
	return err
}
