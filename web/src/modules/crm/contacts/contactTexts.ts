/** Errors of a contact's fields, beyond the common texts. */
export const contactTexts = { taken: 'contacts.taken', invalid_phone: 'contacts.phoneInvalid', invalid_address: 'field.email' } as const
