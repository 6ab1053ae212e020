package advisor

// Fork returns a separate engine that starts with the current state of e: changes to one do
// not affect the other.
func (e *Engine) Fork() *Engine {
	e.write.Lock()
	defer e.write.Unlock()
	f := &Engine{rules: e.rules, synonyms: e.synonyms, index: e.index.Fork(), slots: e.slots}
	f.state.Store(e.state.Load())
	return f
}

// describes reports whether the engine's data about the law of p is the same as in p. Apply
// does not update it, so a renamed law requires a new engine.
func (e *Engine) describes(p *Provision) bool {
	law := e.Laws().Law(p.LawID)
	return law == nil || law.No == p.LawNo && law.Title == p.LawTitle && law.Kind == p.LawKind && law.Status == p.LawStatus
}
