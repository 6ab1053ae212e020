import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button, buttonClass } from '@/ui/Button'
import { TilePattern } from '@/ui/TilePattern'

interface FirstConversationProps {
  onNew: (() => void) | null
  className: string
}

/**
 * An inbox that has never received anything: where conversations come from, and how to start one.
 */
export function FirstConversation({ onNew, className }: FirstConversationProps) {
  const { t } = useI18n()
  const canConnect = meets(useMe(), { permission: 'crm.channels.manage' })
  return (
    <div className={cx('relative isolate flex max-w-96 flex-col items-start gap-3 overflow-hidden px-5 py-8', className)}>
      <TilePattern className="absolute inset-0 -z-1 mask-l-from-10% text-line" />
      <span className="flex size-12 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
        <Inbox aria-hidden className="size-6" strokeWidth={1.8} />
      </span>
      <h2 className="text-lg font-semibold">{t('first.title')}</h2>
      <p className="text-sm text-ink-2">{t('first.text')}</p>
      <p className="text-sm text-ink-2">{canConnect ? t('first.connectText') : t('first.askText')}</p>
      <div className="mt-1.5 flex flex-wrap gap-2">
        {canConnect && (
          <Link to="/crm/channels" className={buttonClass('primary')}>
            {t('first.connect')}
          </Link>
        )}
        {onNew && (
          <Button look={canConnect ? 'secondary' : 'primary'} onClick={onNew}>
            {t('inbox.new')}
          </Button>
        )}
      </div>
    </div>
  )
}
