import { useMemo, useState } from 'react'
import { useReplyChannels, type ReplyChannel } from './conversations'
import { keyOf } from './RouteChoice'
import type { TakenBack } from './scheduled'

/**
 * Every way once, by where it leads. An e-mail goes to one address of the customer, which the server's
 * default names: the others are no ways of their own.
 */
export function trueRoutes(routes: readonly ReplyChannel[]): ReplyChannel[] {
  const mail = routes.find((entry) => entry.kind === 'default' && entry.available)?.address
  const led = routes.filter((entry) => entry.kind !== 'email' || !mail || entry.address.toLowerCase() === mail.toLowerCase())
  const place = ({ channel, address }: ReplyChannel) => `${channel} ${address.toLowerCase()}`
  return led.filter((entry, at) => entry.channel !== 'email' || !entry.address || led.findIndex((other) => place(other) === place(entry)) === at)
}

/** The way of a reply: the channels that reach the customer, which of them is chosen, and whether an e-mail goes without the signature. */
export function useRoute(conversationId: string) {
  const [chosen, setChosen] = useState<{ is: (route: ReplyChannel) => boolean } | null>(null)
  const [unsigned, setUnsigned] = useState(false)
  const all = useReplyChannels(conversationId, true).data
  const routes = useMemo(() => trueRoutes(all ?? []), [all])
  return {
    routes,
    route: (chosen && routes.find(chosen.is)) ?? routes.find((entry) => entry.available) ?? null,
    choose: (key: string) => setChosen({ is: (entry) => keyOf(entry) === key }),
    unsigned,
    setUnsigned,
    /** Chooses the way that a reply had before it was taken back; the channels may not be known yet. */
    restore: ({ channel, channel_account_id: account, format, signature }: TakenBack) => {
      setChosen({ is: (entry) => (channel ? entry.channel === channel && (channel === 'email' || entry.channel_account_id === account) : entry.kind === 'conversation') })
      if (format === 'markdown') setUnsigned(!signature)
    },
  }
}
