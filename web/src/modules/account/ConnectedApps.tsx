import { Plug } from 'lucide-react'
import { useState } from 'react'
import { formatDateTime, useI18n } from '@/i18n'
import { Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { EmptyState } from '@/ui/EmptyState'
import { QueryState } from '@/ui/QueryState'
import { useGrants, useRevokeGrant, type Grant } from './profile'

export function ConnectedApps() {
  const { t } = useI18n()
  const list = useGrants()
  const [doomed, setDoomed] = useState<Grant | null>(null)
  return (
    <>
      <QueryState
        {...list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState icon={Plug} title={t('grants.empty.title')}>
            {t('grants.empty.text')}
          </EmptyState>
        }
      >
        <ul aria-label={t('profile.apps')} className="divide-y divide-line rounded-lg border border-line bg-surface shadow-1">
          {list.rows.map((row) => (
            <li key={row.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-0 flex-1 basis-64 text-sm">
                <p className="font-medium">{row.app.name}</p>
                <p className="text-sm text-ink-3">
                  {row.app.publisher} · {t('grants.since', { date: formatDateTime(row.updated_at) })}
                </p>
                {row.resource && <p className="text-sm text-ink-2">{t('grants.toolsOnly')}</p>}
                <p className="mt-1.5 flex flex-wrap gap-1.5">
                  {row.scopes.map((scope) => (
                    <Code key={scope}>{scope}</Code>
                  ))}
                </p>
              </div>
              <Button size="sm" onClick={() => setDoomed(row)} aria-label={t('grants.revokeOne', { name: row.app.name })}>
                {t('grants.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      </QueryState>
      {doomed && <RevokeConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

function RevokeConfirm({ row, onClose }: { row: Grant; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useRevokeGrant()}
      on={row.id}
      title={t('grants.revokeTitle')}
      action={t('grants.revoke')}
      done={t('grants.revoked', { name: row.app.name })}
      onClose={onClose}
    >
      {t('grants.revokeText', { name: row.app.name })}
    </ConfirmAct>
  )
}
