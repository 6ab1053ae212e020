import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '@/api/client'
import { splitList } from '../contacts/splitList'

/**
 * Who gets a copy of the conversation's e-mail answers. What is being typed is
 * not one of them yet: whoever sends asks settle() first.
 */
export function useCopies(id: string, enabled: boolean) {
  const client = useQueryClient()
  const queryKey = ['crm', 'conversations', 'copies', id]
  const params = { path: { id } }
  const [text, setText] = useState('')
  const list =
    useQuery({
      queryKey,
      queryFn: () => ask(api.GET('/api/crm/v1/conversations/{id}/email-cc', { params })).then((envelope) => envelope.data.email_cc),
      enabled,
    }).data ?? []
  const save = useMutation({
    mutationFn: (next: string[]) =>
      ask(api.PUT('/api/crm/v1/conversations/{id}/email-cc', { params, body: { email_cc: next } })).then((envelope) => envelope.data.email_cc),
    onSuccess: (next) => client.setQueryData(queryKey, next),
  })

  /** Takes over what was typed; false where it is no address, which the field then says. */
  async function settle(): Promise<boolean> {
    const typed = splitList(text)
    if (!enabled || typed.length === 0) return true
    try {
      await save.mutateAsync([...list, ...typed])
      setText('')
      return true
    } catch {
      return false
    }
  }

  return {
    list,
    text,
    change: (next: string) => {
      setText(next)
      if (save.error) save.reset()
    },
    settle,
    remove: (address: string) => save.mutate(list.filter((other) => other !== address)),
    error: save.error,
  }
}

export type Copies = ReturnType<typeof useCopies>
