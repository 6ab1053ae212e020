import { useQuery } from '@tanstack/react-query'
import { api, ask } from '@/api/client'
import { useI18n } from '@/i18n'
import { bytesText } from '@/lib/bytes'
import { Card } from '@/ui/Card'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'

/** The share of its quota from which a pool is called nearly full. */
const nearlyFull = 0.9

/** The space that the workspace's files use, and its limits. */
export function StorageScreen() {
  const { t } = useI18n()
  const query = useQuery({ queryKey: ['identity', 'storage'], queryFn: () => ask(api.GET('/api/v1/workspace/storage')).then((envelope) => envelope.data) })
  const use = query.data
  return (
    <>
      <PageHeader title={t('storage.title')} lead={t('storage.lead')} />
      <QueryState isPending={query.isPending} error={query.error} isEmpty={!use} empty={null} retry={() => void query.refetch()}>
        {use && (
          <div className="grid gap-4 md:grid-cols-2">
            <Pool title={t('storage.own')} about={t('storage.ownAbout')} used={use.used_bytes} quota={use.quota_bytes} full={t('storage.ownFull')} />
            <Pool
              title={t('storage.visitors')}
              about={t('storage.visitorsAbout')}
              used={use.visitor_used_bytes}
              quota={use.visitor_quota_bytes}
              full={t('storage.visitorsFull')}
            />
          </div>
        )}
      </QueryState>
    </>
  )
}

interface PoolProps {
  title: string
  about: string
  used: number
  quota: number
  /** What happens when nothing more fits. */
  full: string
}

function Pool({ title, about, used, quota, full }: PoolProps) {
  const { t } = useI18n()
  const sizes = { used: bytesText(used), quota: bytesText(quota) }
  return (
    <Card title={title}>
      <p className="mb-1 text-lg font-semibold tabular-nums">{t('storage.usedOf', sizes)}</p>
      <meter className="mb-3 w-full" min={0} max={quota} high={quota * nearlyFull} value={Math.min(used, quota)} aria-label={title} />
      <p className="text-sm text-ink-2">{about}</p>
      {used >= quota * nearlyFull && (
        <Notice tone={used >= quota ? 'danger' : 'warn'} className="mt-3" title={used >= quota ? t('storage.isFull') : t('storage.nearlyFull')}>
          {full}
        </Notice>
      )}
    </Card>
  )
}
