import { useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import type { TypedWord } from './wordPicker'

export type Mention = Schemas['ConversationMention']

/**
 * Returns the name after an @ that is being typed at the caret: a first name, possibly with more
 * after it.
 */
export function atWord(text: string, caret: number): TypedWord | null {
  const match = /(?:^|[\s(])@([\p{L}\p{N}.’'-]*(?: [\p{L}\p{N}.’'-]+)?)$/u.exec(text.slice(0, caret))
  const word = match?.[1]
  return word === undefined ? null : { from: caret - word.length - 1, word }
}

/** Returns those of the picked agents whose names are still in the text. */
export function calledIn(text: string, picked: readonly Mention[]): Mention[] {
  const names = new Set(partsOf(text, picked).flatMap((part) => (part.called ? [part.text] : [])))
  return picked.filter((mention) => names.has(`@${mention.name}`))
}

export interface BodyPart {
  text: string
  called: boolean
}

/** Splits a note's text into pieces, so that the mentioned names can be highlighted. */
export function partsOf(body: string, mentions: readonly Mention[]): BodyPart[] {
  // Longest first: "@Can Öz" must not be cut at "@Can".
  const names = mentions.map((mention) => `@${mention.name}`).sort((a, b) => b.length - a.length)
  const parts: BodyPart[] = []
  let plain = ''
  for (let at = 0; at < body.length; ) {
    const name = names.find((one) => body.startsWith(one, at))
    if (name) {
      if (plain) parts.push({ text: plain, called: false })
      parts.push({ text: name, called: true })
      plain = ''
    } else plain += body.charAt(at)
    at += name?.length ?? 1
  }
  if (plain) parts.push({ text: plain, called: false })
  return parts
}

export function useMentionable(conversationId: string, q: string, enabled: boolean) {
  return useQuery({
    queryKey: ['crm', 'mentionable', conversationId, q],
    queryFn: () =>
      ask(api.GET('/api/crm/v1/conversations/{id}/mentionable', { params: { path: { id: conversationId }, query: { q: q || undefined } } })).then(
        (envelope) => envelope.data ?? [],
      ),
    enabled,
    staleTime: 60_000,
    placeholderData: (previous) => previous,
  })
}
