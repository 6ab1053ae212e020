const modules = ['crm', 'mail', 'erp', 'musavir']

/** Whether a host is a workspace's own, {slug}.{module}.domain, and not the one that all share. */
export function isHostOf(slug: string, hostname: string): boolean {
  const [first, second, ...rest] = hostname.split('.')
  return first === slug && modules.includes(second ?? '') && rest.length > 0
}

/** The same page's host of another workspace. The code stands behind #, where no log sees it. */
export function handoverAddress(here: Pick<Location, 'protocol' | 'host'>, from: string, to: string, code: string): string {
  return `${here.protocol}//${to}${here.host.slice(from.length)}/enter#token=${encodeURIComponent(code)}`
}
