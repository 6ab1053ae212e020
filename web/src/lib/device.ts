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

/**
 * Returns the two things by which a person recognises a browser, its name and its platform; more
 * specific names are tried first.
 */
export function deviceOf(agent: string): { name: string; platform: string } {
  return { name: find(agent, browsers), platform: find(agent, platforms) }
}
