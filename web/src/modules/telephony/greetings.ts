import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'

export type Greeting = Schemas['GreetingSlot']
export type Voice = Greeting['voice']

const key = ['crm', 'greetings'] as const

export function useGreetings() {
  return useQuery({ queryKey: key, queryFn: () => ask(api.GET('/api/crm/v1/telephony/greeting')).then((envelope) => envelope.data.slots) })
}

function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: key })
}

export function useSetGreeting() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (slot: Schemas['GreetingChange']) => ask(api.PUT('/api/crm/v1/telephony/greeting', { body: { slots: [slot] } })),
    onSuccess: refresh,
  })
}

export function useUploadGreeting() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ slot, file }: { slot: Greeting['slot']; file: File }) =>
      ask(
        api.POST('/api/crm/v1/telephony/greeting/audio/{slot}', {
          params: { path: { slot }, query: { name: file.name } },
          body: file as unknown as string,
          bodySerializer: (body: unknown) => body as BodyInit,
          headers: { 'Content-Type': 'application/octet-stream' },
        }),
      ),
    onSuccess: refresh,
  })
}

/** Speaks a text as callers will hear it, which costs credit. */
export function usePreview() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { text: string; voice: Voice }) => ask(api.POST('/api/crm/v1/telephony/greeting/preview', { body })).then((envelope) => envelope.data),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['crm', 'wallet'] }),
  })
}

/** Returns the address from which an uploaded file is played. */
export function greetingAddress(greeting: Greeting): string {
  return `/api/crm/v1/telephony/greeting/audio/${greeting.slot}?${greeting.sha256}`
}

/** Returns an address from which the browser plays sound that was sent as base64. */
export function soundAddress(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }))
}
