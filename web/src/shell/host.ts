const modules = ['crm', 'mail', 'erp', 'musavir']

/** Reports whether a host is a workspace's own, {slug}.{module}.domain, and not the shared one. */
export function isHostOf(slug: string, hostname: string): boolean {
  const [first, second, ...rest] = hostname.split('.')
  return first === slug && modules.includes(second ?? '') && rest.length > 0
}

/**
 * Returns the address of the same page at another workspace's host. The code comes after #, where
 * no log records it.
 */
export function handoverAddress(here: Pick<Location, 'protocol' | 'host'>, from: string, to: string, code: string): string {
  return `${here.protocol}//${to}${here.host.slice(from.length)}/enter#token=${encodeURIComponent(code)}`
}
