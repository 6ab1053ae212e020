/** What a contact's fields may be at fault for, beyond the common words. */
export const contactTexts = { taken: 'contacts.taken', invalid_phone: 'contacts.phoneInvalid', invalid_address: 'field.email' } as const
