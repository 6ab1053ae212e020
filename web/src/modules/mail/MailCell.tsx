import { useI18n } from '@/i18n'

/** A mail in a table: its subject, and its sender, which reports do not have. */
export function MailCell({ subject, sender }: { subject: string; sender: string }) {
  const { t } = useI18n()
  return (
    <>
      <span className="font-medium break-words">{subject || t('mailQueue.noSubject')}</span>
      <span className="block text-sm break-all text-ink-3">{sender || t('mailQueue.report')}</span>
    </>
  )
}
