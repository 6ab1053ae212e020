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
  /** Null if it is not a web address. */
  url: string | null
}

/** The channel's extras of a message besides its text. */
export interface Extras {
  /**
   * The message that it answers: its id here, or null if it is not one of ours. Undefined if it
   * answers none.
   */
  quotedId: string | null | undefined
  forwarded: boolean
  order: Order | null
  referral: Referral | null
  /** The catalogue product that the customer asks about. */
  product: string
  /** The customer's answer to whether they may be called. */
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

/** Reads the detail of a message. Unknown or malformed parts are omitted. */
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

/**
 * Returns the total of an order, or null if its lines have several currencies or a price that is
 * not a number.
 */
export function totalOf({ lines }: Order): { sum: number; currency: string } | null {
  const sum = lines.reduce((all, line) => all + line.quantity * line.price, 0)
  const currency = lines[0]?.currency ?? ''
  return Number.isFinite(sum) && lines.every((line) => line.currency === currency) ? { sum, currency } : null
}

/** Formats a price in the person's language; an unknown currency is written after the number. */
export function priceText(price: number, currency: string): string {
  if (!Number.isFinite(price)) return ''
  try {
    return new Intl.NumberFormat(language(), { style: 'currency', currency }).format(price)
  } catch {
    return `${new Intl.NumberFormat(language()).format(price)} ${currency}`.trim()
  }
}
