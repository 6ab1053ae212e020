import type { PlainKey } from '@/i18n'

/** Why a mailbox needs attention, and what to do about it. */
export const mailboxReasons: Record<string, PlainKey> = {
  mailbox_unreachable: 'mailboxes.attention.mailboxUnreachable',
  mail_server_unreachable: 'mailboxes.attention.mailServerUnreachable',
  sending_quota_reached: 'mailboxes.attention.sendingQuota',
  polls_stopped: 'mailboxes.attention.pollsStopped',
  sign_in_failed: 'mailboxes.attention.signInFailed',
  storage_full: 'mailboxes.attention.storageFull',
}
