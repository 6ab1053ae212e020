import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { splitList } from '../contacts/splitList'

const none: Schemas['ConversationEmailCC'] = { email_cc: [], proposed: [] }

/**
 * The recipients of copies of the conversation's e-mail answers. A recipient being typed is not
 * included yet: the sender calls settle() first.
 */
export function useCopies(id: string, enabled: boolean) {
  const client = useQueryClient()
  const queryKey = ['crm', 'conversations', 'copies', id]
  const params = { path: { id } }
  const [text, setText] = useState('')
  const saved = useQuery({
    queryKey,
    queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/email-cc', { params })).then((envelope) => envelope.data),
    enabled,
  })
  const { email_cc: list, proposed } = saved.data ?? none
  const save = useMutation({
    mutationFn: (body: { email_cc: string[]; proposed?: string[] }) =>
      ask(api.PUT('/api/crm/v1/conversations/{id}/email-cc', { params, body })).then((envelope) => envelope.data),
    onSuccess: (next) => client.setQueryData(queryKey, next),
  })

  /** Adds the typed addresses; false if one is invalid, which the field then shows. */
  async function settle(): Promise<boolean> {
    const typed = splitList(text)
    if (!enabled || typed.length === 0) return true
    try {
      // The whole list is written, so the present one is needed; it is read first if that has not
      // happened.
      const { email_cc: now } = saved.data ?? (await saved.refetch({ throwOnError: true })).data ?? none
      await save.mutateAsync({ email_cc: [...now, ...typed] })
      setText('')
      return true
    } catch {
      return false
    }
  }

  return {
    list,
    proposed,
    text,
    change: (next: string) => {
      setText(next)
      if (save.error) save.reset()
    },
    settle,
    remove: (address: string) => save.mutate({ email_cc: list.filter((other) => other !== address) }),
    /** Adds a proposed address. */
    accept: (address: string) => save.mutate({ email_cc: [...list, address] }),
    /** Removes a proposal. */
    dismiss: (address: string) => save.mutate({ email_cc: list, proposed: proposed.filter((other) => other !== address) }),
    saving: save.isPending,
    error: save.error,
  }
}

export type Copies = ReturnType<typeof useCopies>
