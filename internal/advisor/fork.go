package advisor

// Fork is an engine of its own that begins with the current state of e: what
// is applied to one is not seen by the other.
func (e *Engine) Fork() *Engine {
	e.write.Lock()
	defer e.write.Unlock()
	f := &Engine{rules: e.rules, synonyms: e.synonyms, index: e.index.Fork(), slots: e.slots}
	f.state.Store(e.state.Load())
	return f
}

// describes says whether the engine knows the law of p as p has it. Apply
// keeps what it knows of a law, so one that was renamed asks for a new engine.
func (e *Engine) describes(p *Provision) bool {
	law := e.Laws().Law(p.LawID)
	return law == nil || law.No == p.LawNo && law.Title == p.LawTitle && law.Kind == p.LawKind && law.Status == p.LawStatus
}
