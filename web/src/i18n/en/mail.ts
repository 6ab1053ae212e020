export const mail = {
  'dlp.add': 'Add an exception',
  'dlp.addLead': 'Mail to this address is no longer checked by the rules.',
  'dlp.addAction': 'Add',
  'dlp.added': '{email} is now an exception',
  'dlp.duplicate': 'This address is already an exception.',
  'dlp.email': 'E-mail address',
  'dlp.emailExample': 'name@example.com',
  'dlp.note': 'Note',
  'dlp.noteHint': 'Why it is an exception; whoever reviews the list will be glad of it.',
  'dlp.deleteOne': 'Delete the exception {email}',
  'dlp.delete.title': 'Delete this exception?',
  'dlp.delete.text': 'From now on mail to {email} is checked by the rules again.',
  'dlp.delete.action': 'Delete the exception',
  'dlp.delete.done': 'The exception {email} is deleted',
  'dlp.empty.title': 'No exceptions: every message is checked',
  'dlp.empty.text':
    'The rules look at every outgoing message for card numbers, identity numbers and your own patterns. If a partner legitimately receives such data, your accountant for example, add their address here.',
} as const
