import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { presenceLooks, usePresence } from './presence'

/** A dot next to a colleague's name, with its meaning in words. */
export function PresenceMark({ agentId, className }: { agentId: string; className?: string }) {
  const { t } = useI18n()
  const presence = usePresence().get(agentId)?.presence
  if (!presence) return null
  const { label, tone } = presenceLooks[presence]
  return (
    <span data-tip={t(label)} className={cx('inline-flex shrink-0', className)}>
      <span aria-hidden className={cx('size-2.5 rounded-full', tone)} />
      <span className="sr-only">{t(label)}</span>
    </span>
  )
}
