package search

// Fork returns an independent index that starts with the current state of x. They share
// what is already built, so it costs next to nothing.
func (x *Index) Fork() *Index {
	f := &Index{schema: x.schema}
	f.now.Store(x.now.Load())
	return f
}
