package api

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"konak/internal/kit/each"
)

const schemaPrefix = "#/components/schemas/"

// schemas holds the schemas of every type that an API of this process takes or returns. A
// type is described once, however many APIs there are: that is most of the cost of
// registering routes.
var schemas = &registry{
	inner: huma.NewMapRegistry(schemaPrefix, schemaName), made: map[schemaKey]*huma.Schema{}, finished: map[string]bool{},
}

// registry is a huma.Registry shared by several APIs. A schema that it has returned by
// reference never changes again.
type registry struct {
	mu       sync.RWMutex
	inner    huma.Registry
	made     map[schemaKey]*huma.Schema
	finished map[string]bool // by name: the schemas that finish has handled
}

// schemaKey is the key of a schema: types without a name are named after the hint.
type schemaKey struct {
	of       reflect.Type
	allowRef bool
	hint     string
}

// Schema implements huma.Registry. The caller may modify the result.
func (r *registry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := schemaKey{t, allowRef, hint}
	s, ok := r.made[key]
	if !ok {
		s = r.inner.Schema(t, allowRef, hint)
		r.finish()
		r.made[key] = s
	}
	return cloneSchema(s)
}

// SchemaFromRef implements huma.Registry.
func (r *registry) SchemaFromRef(ref string) *huma.Schema {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.inner.SchemaFromRef(ref)
}

// TypeFromRef implements huma.Registry.
func (r *registry) TypeFromRef(ref string) reflect.Type {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.inner.TypeFromRef(ref)
}

// Map implements huma.Registry.
func (r *registry) Map() map[string]*huma.Schema {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.inner.Map())
}

// RegisterTypeAlias implements huma.Registry.
func (r *registry) RegisterTypeAlias(t, alias reflect.Type) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inner.RegisterTypeAlias(t, alias)
}

// MarshalJSON writes the schemas by their names.
func (r *registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.Map()) }

// finish completes new schemas with what the library leaves out.
func (r *registry) finish() {
	all := r.inner.Map()
	if len(all) == len(r.finished) {
		return
	}
	for name, s := range all {
		if !r.finished[name] {
			r.finished[name] = true
			nullEnums(s)
			markIDs(s, r.inner.TypeFromRef(schemaPrefix+name))
		}
	}
}

var idList = reflect.TypeFor[[]uuid.UUID]()

// markIDs marks the items of a record's lists of ids as UUIDs: a field's tags describe the
// list, not its items.
func markIDs(s *huma.Schema, t reflect.Type) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := s.Properties[name]; p != nil && f.Type == idList {
			p.Items.Format = "uuid"
		}
	}
}

// cloneSchema copies a schema and the schemas within it.
func cloneSchema(s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	out := *s
	out.Items, out.Not = cloneSchema(s.Items), cloneSchema(s.Not)
	out.OneOf, out.AnyOf, out.AllOf = cloneSchemas(s.OneOf), cloneSchemas(s.AnyOf), cloneSchemas(s.AllOf)
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		out.AdditionalProperties = cloneSchema(more)
	}
	if s.Properties != nil {
		out.Properties = make(map[string]*huma.Schema, len(s.Properties))
		for name, p := range s.Properties {
			out.Properties[name] = cloneSchema(p)
		}
	}
	return &out
}

func cloneSchemas(list []*huma.Schema) []*huma.Schema {
	if list == nil {
		return nil
	}
	return each.Map(list, cloneSchema)
}
