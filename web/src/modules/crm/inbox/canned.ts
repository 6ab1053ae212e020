import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'
import { undoSeconds } from './conversations'

export type CannedReply = Schemas['DeskCannedReply']
export type Macro = Schemas['DeskMacro']

/** Returns the word after a slash that is being typed at the caret, and its position. */
export function slashWord(text: string, caret: number): { from: number; word: string } | null {
  const match = /(?:^|\s)\/([\p{L}\p{N}_-]*)$/u.exec(text.slice(0, caret))
  return match ? { from: caret - (match[1]?.length ?? 0) - 1, word: match[1] ?? '' } : null
}

/** Reads the replies that match what was typed, filled in for this conversation. */
export function useCannedReplies(conversationId: string, q: string, enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'canned', 'search', conversationId, q],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/canned-replies', { params: { query: { limit: 8, q: q || undefined, conversation_id: conversationId } } })).then((envelope) => envelope.data),
    enabled,
    placeholderData: (previous) => previous,
  })
}

/** Fills the reply's placeholders from this conversation. */
export function useRenderCanned(conversationId: string) {
  return useMutation({
    mutationFn: (id: string) =>
      ask(api.POST('/api/crm/v1/canned-replies/{id}/render', { params: { path: { id } }, body: { conversation_id: conversationId } })).then(
        (envelope) => envelope.data,
      ),
  })
}

export function useMacros(enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'macros', 'choices'],
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/macros', { params: { query } }))),
    staleTime: 300_000,
    enabled,
  })
}

/** Reads a macro with its texts filled in for this conversation. */
export function useMacroFor(conversationId: string, id: string) {
  return useQuery({
    queryKey: ['crm', 'macros', 'preview', id, conversationId],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/macros/{id}', { params: { path: { id }, query: { conversation_id: conversationId } } })).then((envelope) => envelope.data),
  })
}

/** Runs a macro; its answers are sent a moment later, so that they can be taken back. */
export function useApplyMacro(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (macroId: string) => ask(api.POST('/api/crm/v1/conversations/{id}/macros/{macroId}', { params: { path: { id, macroId }, query: { delay_s: undoSeconds } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm', 'conversations'] }),
  })
}
