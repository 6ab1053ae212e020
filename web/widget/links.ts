import { linkParts } from '../src/modules/crm/inbox/linkify'
import { el } from './element'

/**
 * Returns a message's text, with its web, mail and telephone addresses as links that open in
 * another tab.
 */
export function linked(text: string): (Node | string)[] {
  return linkParts(text).map((part) => (part.href ? el('a', { href: part.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, part.text) : part.text))
}
