import { Laptop, LogOut, Plug, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useRevokeOthers, useRevokeSession, useSessions, type OwnSession } from './profile'

const icons = { panel: Laptop, app: Plug, mobile: Smartphone } as const

export function Devices() {
  const { t, tCount } = useI18n()
  const list = useSessions()
  const revoke = useRevokeSession()
  const others = useRevokeOthers()
  const [asking, setAsking] = useState(false)

  function end(row: OwnSession) {
    revoke.mutate(row.id, {
      onSuccess: () => toast('ok', t('devices.ended', { name: row.device_name || t('devices.unnamed') })),
      onError: (error) => toast('danger', t('devices.endFailed'), errorText(error)),
    })
  }

  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-72 text-sm text-ink-2">{t('devices.text')}</p>
        {list.rows.length > 1 && (
          <Button icon={LogOut} onClick={() => setAsking(true)}>
            {t('devices.endOthers')}
          </Button>
        )}
      </div>
      <QueryState {...list} isEmpty={list.rows.length === 0} empty={null}>
        <ul aria-label={t('profile.devices')} className="divide-y divide-line rounded-lg border border-line bg-surface shadow-1">
          {list.rows.map((row) => {
            const Icon = icons[row.kind]
            return (
              <li key={row.id} className="flex items-center gap-4 px-4 py-3">
                <span className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent-ink">
                  <Icon aria-hidden className="size-4.5" />
                </span>
                <div className="min-w-0 flex-1 text-sm">
                  <p className="flex flex-wrap items-center gap-2 font-medium">
                    <span className="break-words">{row.device_name || t('devices.unnamed')}</span>
                    {row.current && <Badge tone="ok">{t('devices.current')}</Badge>}
                  </p>
                  <p className="text-sm text-ink-3">
                    {row.workspace.name} · <span className="font-mono text-xs">{row.ip}</span> ·{' '}
                    <Ago at={row.last_seen_at} className="" />
                  </p>
                </div>
                {!row.current && (
                  <Button
                    size="sm"
                    busy={revoke.isPending && revoke.variables === row.id}
                    onClick={() => end(row)}
                    aria-label={t('devices.endOne', { name: row.device_name || t('devices.unnamed') })}
                  >
                    {t('devices.end')}
                  </Button>
                )}
              </li>
            )
          })}
        </ul>
        {list.more && (
          <Button size="sm" className="mt-3" busy={list.more.loading} onClick={list.more.load}>
            {t('table.more')}
          </Button>
        )}
      </QueryState>
      {asking && (
        <ConfirmAct
          act={others}
          on={undefined}
          title={t('devices.endOthersTitle')}
          action={t('devices.endOthers')}
          onDone={(count) => toast('ok', tCount('devices.othersEnded', count))}
          onClose={() => setAsking(false)}
        >
          {t('devices.endOthersText')}
        </ConfirmAct>
      )}
    </>
  )
}
