import { linkParts } from '../src/modules/crm/inbox/linkify'
import { el } from './element'

/** A message's text, with its web pages, mailboxes and telephones as links that open beside the page. */
export function linked(text: string): (Node | string)[] {
  return linkParts(text).map((part) => (part.href ? el('a', { href: part.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, part.text) : part.text))
}
