import type { Contact } from './contacts'

/** The claims that wait for somebody: those that lead to a known customer first. */
export function openClaims({ claims }: Pick<Contact, 'claims'>): Contact['claims'] {
  const open = claims.filter((claim) => !claim.proof)
  return [...open.filter((claim) => claim.match), ...open.filter((claim) => !claim.match)]
}
