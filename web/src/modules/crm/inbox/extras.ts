import { language } from '@/i18n'
import type { Item } from './conversations'

interface OrderLine {
  product: string
  quantity: number
  price: number
  currency: string
}

export interface Order {
  text: string
  lines: OrderLine[]
}

export interface Referral {
  kind: 'ad' | 'post'
  headline: string
  /** Null where it is no address of the web. */
  url: string | null
}

/** What a channel says of a message besides its words. */
export interface Extras {
  /** The message that it answers: its id here, or null where it is not one of ours. Undefined where it answers none. */
  quotedId: string | null | undefined
  forwarded: boolean
  order: Order | null
  referral: Referral | null
  /** The product of a catalogue that the customer asks about. */
  product: string
  /** The customer's answer to the question whether they may be called. */
  calls: 'allowed' | 'refused' | null
}

type Fields = Record<string, unknown>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function webAddress(value: unknown): string | null {
  return /^https?:\/\//i.test(text(value)) ? text(value) : null
}

function readOrder(value: unknown): Order | null {
  const { text: note, product_items: items } = fieldsOf(value)
  if (!Array.isArray(items)) return null
  return {
    text: text(note),
    lines: items.map(fieldsOf).map((line) => ({
      product: text(line.product_retailer_id),
      quantity: Number(line.quantity),
      price: Number(line.item_price),
      currency: text(line.currency),
    })),
  }
}

function readReferral(value: unknown): Referral | null {
  if (value === undefined) return null
  const { type, headline, body, url } = fieldsOf(value)
  return { kind: type === 'post' ? 'post' : 'ad', headline: text(headline) || text(body), url: webAddress(url) }
}

/** Reads the detail of a message. What it does not know, or what has another form, is left out. */
export function readExtras(detail: Item['detail']): Extras {
  return {
    quotedId: detail.quoted === undefined ? undefined : text(detail.quoted_item_id) || null,
    forwarded: detail.forwarded === true,
    order: readOrder(detail.order),
    referral: readReferral(detail.referral),
    product: text(fieldsOf(detail.product).product_id),
    calls: detail.calls === 'allowed' || detail.calls === 'refused' ? detail.calls : null,
  }
}

/** Returns what an order costs, or null where its lines have several currencies or a price that is no number. */
export function totalOf({ lines }: Order): { sum: number; currency: string } | null {
  const sum = lines.reduce((all, line) => all + line.quantity * line.price, 0)
  const currency = lines[0]?.currency ?? ''
  return Number.isFinite(sum) && lines.every((line) => line.currency === currency) ? { sum, currency } : null
}

/** Writes a price in the person's language; a currency that nobody knows is written behind the number. */
export function priceText(price: number, currency: string): string {
  if (!Number.isFinite(price)) return ''
  try {
    return new Intl.NumberFormat(language(), { style: 'currency', currency }).format(price)
  } catch {
    return `${new Intl.NumberFormat(language()).format(price)} ${currency}`.trim()
  }
}
