const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const platforms = [
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

function find(agent: string, marks: readonly (readonly [string, string])[]): string {
  return marks.find(([mark]) => agent.includes(mark))?.[1] ?? ''
}

/** The two things that a person recognises of a browser; the most particular name comes first. */
export function deviceOf(agent: string): { name: string; platform: string } {
  return { name: find(agent, browsers), platform: find(agent, platforms) }
}
