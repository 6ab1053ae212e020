import { describe, expect, it } from 'vitest'
import { linkParts } from './linkify'

const links = (text: string) => linkParts(text).flatMap(({ text, href }) => (href === null ? [] : [[text, href]]))

describe('linkParts', () => {
  it('finds pages, mailboxes and telephones and leaves the rest as it is', () => {
    const text = 'Bkz. https://example.com/a?b=1, www.example.org. Yazın: elif@example.com, arayın: +90 532 111 22 33 ya da 0(212) 555 44 33!'
    expect(links(text)).toEqual([
      ['https://example.com/a?b=1', 'https://example.com/a?b=1'],
      ['www.example.org', 'https://www.example.org/'],
      ['elif@example.com', 'mailto:elif@example.com'],
      ['+90 532 111 22 33', 'tel:+905321112233'],
      ['0(212) 555 44 33', 'tel:02125554433'],
    ])
    expect(links('0532-111-20-26, 0212.555.20.26')).toHaveLength(2)
    expect(links('0 (212) 555 01 02, 0 532 123 45 67, (0212) 555 01 02, +44 (0)20 7946 0958')).toEqual([
      ['0 (212) 555 01 02', 'tel:02125550102'],
      ['0 532 123 45 67', 'tel:05321234567'],
      ['(0212) 555 01 02', 'tel:02125550102'],
      ['+44 (0)20 7946 0958', 'tel:+442079460958'],
    ])
    expect(linkParts(text).map((part) => part.text).join('')).toBe(text)
  })

  it('keeps a bracket that belongs to the address, and not one around it', () => {
    expect(links('(https://en.wikipedia.org/wiki/Konak_(district))')[0]?.[0]).toBe('https://en.wikipedia.org/wiki/Konak_(district)')
    expect(links('(https://example.com)')[0]?.[0]).toBe('https://example.com')
  })

  it('makes no link of anything else', () => {
    for (const text of ['javascript:alert(1)', 'data:text/html,x', 'https://', 'www.', 'Order 4711 of 2026-11-15 09:30', '01.02.2026 10:30', 'no. 0048213-2026-11', '05-11-2026 12.45', 'TR330006100519786457841326', '0532', 'file:///etc/passwd', 'http://bank.example@evil.example/']) {
      expect(links(text), text).toEqual([])
    }
  })

  it('never leads elsewhere than it says', () => {
    const [[text, href] = []] = links('see http://example.com:8080/x#y now')
    expect(text).toBe('http://example.com:8080/x#y')
    expect(href).toBe('http://example.com:8080/x#y')
  })
})
