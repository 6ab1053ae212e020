import type { Schemas } from '@/api/client'
import { language, type PlainKey } from '@/i18n'

/** Formats an amount in the person's language; the server sends minor units. */
export function moneyText({ amount, currency }: Schemas['ConversationMoney']): string {
  return new Intl.NumberFormat(language(), { style: 'currency', currency }).format(amount / 100)
}

export const orderStates: Record<string, PlainKey> = {
  pending: 'order.pending',
  paid: 'order.paid',
  preparing: 'order.preparing',
  shipped: 'order.shipped',
  delivered: 'order.delivered',
  cancelled: 'order.cancelled',
  refunded: 'order.refunded',
}
