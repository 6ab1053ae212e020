import { useState } from 'react'
import { useReplyChannels, type ReplyChannel } from './conversations'
import { keyOf } from './RouteChoice'
import type { TakenBack } from './scheduled'

/** The way of a reply: the channels that reach the customer, which of them is chosen, and whether an e-mail goes without the signature. */
export function useRoute(conversationId: string) {
  const [chosen, setChosen] = useState<{ is: (route: ReplyChannel) => boolean } | null>(null)
  const [unsigned, setUnsigned] = useState(false)
  const routes = useReplyChannels(conversationId, true).data ?? []
  return {
    routes,
    route: (chosen && routes.find(chosen.is)) ?? routes.find((entry) => entry.available) ?? null,
    choose: (key: string) => setChosen({ is: (entry) => keyOf(entry) === key }),
    unsigned,
    setUnsigned,
    /** Chooses the way that a reply had before it was taken back; the channels may not be known yet. */
    restore: ({ channel, channel_account_id: account, format, signature }: TakenBack) => {
      setChosen({ is: (entry) => (channel ? entry.channel === channel && entry.channel_account_id === account : entry.kind === 'conversation') })
      if (format === 'markdown') setUnsigned(!signature)
    },
  }
}
