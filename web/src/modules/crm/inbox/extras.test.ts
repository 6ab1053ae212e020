import { describe, expect, it } from 'vitest'
import { priceText, readExtras, totalOf } from './extras'

describe('what a channel says of a message besides its words', () => {
  it('names the message that it answers', () => {
    expect(readExtras({ quoted: 'wamid.1', quoted_item_id: 'a', forwarded: true })).toMatchObject({ quotedId: 'a', forwarded: true })
    expect(readExtras({ quoted: 'wamid.1' }).quotedId).toBeNull()
    expect(readExtras({}).quotedId).toBeUndefined()
  })

  it('has the lines of an order and what it costs', () => {
    const line = { product_retailer_id: 'chair', quantity: 2, item_price: 1500.5, currency: 'TRY' }
    const { order } = readExtras({ order: { catalog_id: '7', text: 'Soon', product_items: [line, { ...line, quantity: '1', item_price: '10' }] } })
    expect(order).toMatchObject({ text: 'Soon', lines: [{ product: 'chair', quantity: 2, price: 1500.5, currency: 'TRY' }, { quantity: 1, price: 10 }] })
    expect(order && totalOf(order)).toEqual({ sum: 3011, currency: 'TRY' })
  })

  it('has no total over several currencies or without a price', () => {
    const line = { product: 'a', quantity: 1, price: 1, currency: 'TRY' }
    expect(totalOf({ text: '', lines: [line, { ...line, currency: 'EUR' }] })).toBeNull()
    expect(totalOf({ text: '', lines: [{ ...line, price: NaN }] })).toBeNull()
  })

  it('links an ad by an address of the web only', () => {
    expect(readExtras({ referral: { url: 'https://fb.me/x', type: 'ad', headline: 'Sale' } }).referral).toEqual({ kind: 'ad', headline: 'Sale', url: 'https://fb.me/x' })
    expect(readExtras({ referral: { url: 'javascript:alert(1)', type: 'post', body: 'Sale' } }).referral).toEqual({ kind: 'post', headline: 'Sale', url: null })
  })

  it('knows what a customer says of calls, and nothing else', () => {
    expect(readExtras({ calls: 'allowed' }).calls).toBe('allowed')
    expect(readExtras({ calls: 'refused' }).calls).toBe('refused')
    expect(readExtras({ calls: 'perhaps' }).calls).toBeNull()
  })

  it('survives what has another form', () => {
    expect(readExtras({ order: 'x', referral: null, product: 3 })).toMatchObject({ order: null, referral: { headline: '', url: null }, product: '' })
  })
})

describe('a price', () => {
  it('has its currency, known or not', () => {
    expect(priceText(1500.5, 'TRY')).toBe('₺1.500,50')
    expect(priceText(2, 'no currency')).toBe('2 no currency')
    expect(priceText(NaN, 'TRY')).toBe('')
  })
})
