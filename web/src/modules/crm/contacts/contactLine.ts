import type { Contact } from './contacts'

/** Returns the line that distinguishes a contact from a namesake. */
export function contactLine(contact: Contact): string {
  return [contact.emails[0]?.address, contact.phones[0]?.e164, contact.company].filter(Boolean).join(' · ')
}
