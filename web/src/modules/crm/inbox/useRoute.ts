import { useMemo, useState } from 'react'
import { useReplyChannels, type ReplyChannel } from './conversations'
import { keyOf } from './RouteChoice'
import type { TakenBack } from './scheduled'

/**
 * Returns each route once, by its destination. An e-mail goes to a single address of the customer,
 * the server's default: other addresses are not separate routes.
 */
export function trueRoutes(routes: readonly ReplyChannel[]): ReplyChannel[] {
  const mail = routes.find((entry) => entry.kind === 'default' && entry.available)?.address
  const led = routes.filter((entry) => entry.kind !== 'email' || !mail || entry.address.toLowerCase() === mail.toLowerCase())
  return led.filter((entry, at) => entry.channel !== 'email' || !entry.address || led.findIndex((other) => isSameWay(other, entry)) === at)
}

const isSameWay = (a: ReplyChannel, b: ReplyChannel) =>
  a.channel === b.channel && a.address.toLowerCase() === b.address.toLowerCase() && isSameAccount(a.channel_account_id, b.channel_account_id)

/**
 * Reports whether two routes use the same account; a route without one uses the server's choice.
 */
const isSameAccount = (a: string | null | undefined, b: string | null | undefined) => !a || !b || a === b

/**
 * The route of a reply: the channels that reach the customer, the chosen one, and whether an e-mail
 * omits the signature.
 */
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
    /**
     * Chooses the route that a reply had before it was taken back; the channels may not be loaded
     * yet.
     */
    restore: ({ channel, channel_account_id: account, format, signature }: TakenBack) => {
      setChosen({ is: (entry) => (channel ? entry.channel === channel && (entry.channel_account_id === account || (channel === 'email' && isSameAccount(entry.channel_account_id, account))) : entry.kind === 'conversation') })
      if (format === 'markdown') setUnsigned(!signature)
    },
  }
}
