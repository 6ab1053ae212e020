import { useMutation, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

export type Rewrite = Schemas['RewriteInBody']['kind']
export type Source = Schemas['ConversationAISource']

/** Reports whether the workspace has a language model that writes for agents. */
export function useCanWrite(): boolean {
  const query = useQuery({
    queryKey: ['crm', 'assistant', 'writing'],
    queryFn: () => ask(api.GET('/api/crm/v1/assistant/writing')).then((envelope) => envelope.data.available),
    staleTime: 60_000,
  })
  return query.data === true
}

/** Requests a draft, or a rewritten text. The text is null if the sources contain no answer. */
export function useWriting(id: string) {
  const params = { path: { id } }
  return useMutation({
    mutationFn: async ({ rewrite, text }: { rewrite: Rewrite | null; text: string }): Promise<{ text: string | null; sources: readonly Source[] | null }> => {
      if (rewrite === null) return ask(api.POST('/api/crm/v1/conversations/{id}/suggest-reply', { params })).then((envelope) => envelope.data)
      const { data } = await ask(api.POST('/api/crm/v1/conversations/{id}/rewrite', { params, body: { text, kind: rewrite } }))
      return { text: data.text, sources: null }
    },
  })
}
