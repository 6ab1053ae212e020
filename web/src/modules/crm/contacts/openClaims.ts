import type { Contact } from './contacts'

/** Returns the unconfirmed claims, those that match a known customer first. */
export function openClaims({ claims }: Pick<Contact, 'claims'>): Contact['claims'] {
  const open = claims.filter((claim) => !claim.proof)
  return [...open.filter((claim) => claim.match), ...open.filter((claim) => !claim.match)]
}
