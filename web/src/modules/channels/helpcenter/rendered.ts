import { createElement, type ReactNode } from 'react'

const allowed = new Set([
  'p', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'strong', 'em', 'del', 'a', 'code', 'pre', 'blockquote', 'hr', 'br', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img',
])

function attributesOf(node: Element): Record<string, string> {
  const tag = node.localName
  const link = node.getAttribute(tag === 'img' ? 'src' : 'href') ?? ''
  if (tag === 'a' && /^(https?:|mailto:|tel:)/i.test(link)) return { href: link, rel: 'noreferrer', target: '_blank' }
  // The panel does not load images from other sites: their description is shown instead.
  if (tag === 'img') return { alt: node.getAttribute('alt') ?? '' }
  return {}
}

/**
 * Builds elements from HTML that the server rendered: only those allowed in an article, and without
 * their attributes except safe links.
 */
export function renderedNodes(html: string): ReactNode[] {
  const walk = (parent: Node): ReactNode[] =>
    [...parent.childNodes].map((node, at) => {
      if (node.nodeType === Node.TEXT_NODE) return node.textContent
      if (!(node instanceof Element) || !allowed.has(node.localName)) return null
      if (node.localName === 'img') return createElement('em', { key: at }, attributesOf(node)['alt'])
      const children = walk(node)
      return createElement(node.localName, { key: at, ...attributesOf(node) }, ...(children.length > 0 ? children : []))
    })
  return walk(new DOMParser().parseFromString(html, 'text/html').body)
}
