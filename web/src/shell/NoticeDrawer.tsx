import { Link } from '@tanstack/react-router'
import { AtSign, BellOff, CheckCheck, MessageSquareText, Webhook } from 'lucide-react'
import { useState } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { Ago } from '@/ui/Ago'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { EmptyState } from '@/ui/EmptyState'
import type { Notice } from './notice'
import { useNotices, useReadAll } from './notices'

const looks = {
  message: { icon: MessageSquareText, label: 'notices.message' },
  mention: { icon: AtSign, label: 'notices.mention' },
  webhook: { icon: Webhook, label: 'notices.webhook' },
} as const satisfies Record<Notice['kind'], { icon: typeof Webhook; label: PlainKey }>

export function NoticeDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const notices = useNotices()
  const readAll = useReadAll()
  const [busy, setBusy] = useState(false)
  const readable = notices.filter((notice) => notice.read)

  function onReadAll() {
    setBusy(true)
    void readAll(readable).finally(() => setBusy(false))
  }

  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={t('notices.title')}
      description={t('notices.lead')}
      footer={
        readable.length > 0 && (
          <Button icon={CheckCheck} busy={busy} onClick={onReadAll}>
            {t('notices.readAll')}
          </Button>
        )
      }
    >
      {notices.length === 0 ? (
        <EmptyState icon={BellOff} title={t('notices.empty.title')}>
          {t('notices.empty.text')}
        </EmptyState>
      ) : (
        <ul className="-mx-2 flex flex-col">
          {notices.map((notice) => {
            const { icon: Icon, label } = looks[notice.kind]
            return (
              <li key={notice.id}>
                <Link to={notice.to} search={notice.search} onClick={onClose} className="flex gap-3 rounded-md px-2 py-2.5 text-sm hover:bg-sunken">
                  <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0 text-ink-3" strokeWidth={1.9} />
                  <span className="min-w-0 flex-1">
                    <span className="block text-sm text-ink-2">{t(label)}</span>
                    <span className="block truncate font-semibold">{notice.name}</span>
                    <span className="block truncate text-ink-2">{notice.detail}</span>
                  </span>
                  <Ago at={notice.at} className="shrink-0 text-xs text-ink-2" />
                </Link>
              </li>
            )
          })}
        </ul>
      )}
    </Drawer>
  )
}
