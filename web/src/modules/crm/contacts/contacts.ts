import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'

export type Contact = Schemas['ContactContact']
export type ContactInput = Schemas['ContactInput']
export type ContactImport = Schemas['ContactImport']
export type ContactMerge = Schemas['ContactMerge']

const root = ['crm', 'contacts'] as const
const pageSize = 50

export interface ContactFilter {
  q: string
  kind: '' | 'lead' | 'customer'
}

export function useContacts({ q, kind }: ContactFilter) {
  return usePages({
    key: [...root, 'list', q, kind],
    fetch: (cursor) =>
      ask(api.GET('/api/crm/v1/contacts', { params: { query: { limit: pageSize, cursor, q: q || undefined, kind: kind || undefined } } })),
  })
}

export function useContactSearch(q: string) {
  return useQuery({
    queryKey: [...root, 'search', q],
    queryFn: () => ask(api.GET('/api/crm/v1/contacts', { params: { query: { limit: 8, q: q || undefined } } })).then((envelope) => envelope.data),
    placeholderData: keepPreviousData,
  })
}

export function useContact(id: string) {
  return useQuery({
    queryKey: [...root, 'one', id],
    queryFn: () => ask(api.GET('/api/crm/v1/contacts/{id}', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

export function useNotes(id: string) {
  return usePages({
    key: [...root, 'notes', id],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/contacts/{id}/notes', { params: { path: { id }, query: { limit: 25, cursor } } })),
  })
}

export function useMerges(id: string) {
  return usePages({
    key: [...root, 'merges', id],
    fetch: (cursor) => ask(api.GET('/api/crm/v1/contacts/{id}/merges', { params: { path: { id }, query: { limit: 25, cursor } } })),
  })
}

function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm'] }),
  })
}

export function useSaveContact(id: string | null) {
  return useChange((body: ContactInput) =>
    (id === null
      ? ask(api.POST('/api/crm/v1/contacts', { body }))
      : ask(api.PUT('/api/crm/v1/contacts/{id}', { params: { path: { id } }, body }))
    ).then((envelope) => envelope.data),
  )
}

export function useDeleteContact() {
  return useChange((id: string) => ask(api.DELETE('/api/crm/v1/contacts/{id}', { params: { path: { id } } })))
}

export function useBlockContact(id: string) {
  return useChange((block: boolean) =>
    ask(
      block
        ? api.POST('/api/crm/v1/contacts/{id}/block', { params: { path: { id } } })
        : api.POST('/api/crm/v1/contacts/{id}/unblock', { params: { path: { id } } }),
    ),
  )
}

export function useTagContact(id: string) {
  return useChange((body: { add: string[]; remove: string[] }) =>
    ask(api.POST('/api/crm/v1/contacts/{id}/tags', { params: { path: { id } }, body })),
  )
}

export function useAddNote(id: string) {
  return useChange((body: string) => ask(api.POST('/api/crm/v1/contacts/{id}/notes', { params: { path: { id } }, body: { body } })))
}

export function useDeleteNote(id: string) {
  return useChange((noteId: string) =>
    ask(api.DELETE('/api/crm/v1/contacts/{id}/notes/{noteId}', { params: { path: { id, noteId } } })),
  )
}

/** Merges the contact in the body into the one in the path, which is kept. */
export function useMergeContact(id: string) {
  return useChange((contactId: string) =>
    ask(api.POST('/api/crm/v1/contacts/{id}/merge', { params: { path: { id } }, body: { contact_id: contactId } })),
  )
}

export function useUndoMerge() {
  return useChange((mergeId: string) => ask(api.POST('/api/crm/v1/contacts/merges/{mergeId}/undo', { params: { path: { mergeId } } })))
}

/** Confirms that a claim of a customer about themselves is true. */
export function useLinkClaim(id: string) {
  return useChange((claimId: string) =>
    ask(api.POST('/api/crm/v1/contacts/{id}/claims/{claimId}/link', { params: { path: { id, claimId } } })).then((envelope) => envelope.data),
  )
}

export function useStartImport() {
  return useMutation({
    mutationFn: async ({ filename, content }: { filename: string; content: string }) => {
      const envelope = await ask(
        api.POST('/api/crm/v1/contacts/imports', {
          params: { query: { filename } },
          body: content as never,
          headers: { 'Content-Type': 'text/csv' },
          bodySerializer: (body: unknown) => body as string,
        }),
      )
      return envelope.data
    },
  })
}

const importInterval = 700

export function useImport(id: string | null) {
  const client = useQueryClient()
  return useQuery({
    queryKey: [...root, 'import', id],
    queryFn: async () => {
      const { data } = await ask(api.GET('/api/crm/v1/contacts/imports/{importId}', { params: { path: { importId: id ?? '' } } }))
      if (data.status === 'done') void client.invalidateQueries({ queryKey: [...root, 'list'] })
      return data
    },
    enabled: id !== null,
    refetchInterval: (query) => (query.state.data?.status === 'done' ? false : importInterval),
  })
}

/** The number of errors shown; the import says how many there are. */
const shownErrors = 50

export function useImportErrors(id: string | null) {
  return useQuery({
    queryKey: [...root, 'import-errors', id],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/contacts/imports/{importId}/errors', { params: { path: { importId: id ?? '' }, query: { limit: shownErrors } } })).then(
        (envelope) => envelope.data,
      ),
    enabled: id !== null,
  })
}
