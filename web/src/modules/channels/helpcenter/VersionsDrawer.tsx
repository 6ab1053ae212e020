import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Drawer } from '@/ui/Dialog'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useRestore, useVersions, type Language } from './helpcenter'

interface VersionsDrawerProps {
  id: string
  language: Language
  /** The number of the newest version. */
  newest: number
  canWrite: boolean
  onClose: () => void
}

export function VersionsDrawer({ id, language, newest, canWrite, onClose }: VersionsDrawerProps) {
  const { t } = useI18n()
  const list = useVersions(id, language)
  const restore = useRestore(id, language)
  return (
    <Drawer open onOpenChange={(open) => !open && onClose()} title={t('helpcenter.versions')} description={t('helpcenter.versionsLead')}>
      <QueryState isPending={list.isPending} error={list.error} retry={() => void list.refetch()} isEmpty={false} empty={null}>
        <ol className="divide-y divide-line">
          {list.data?.map((version) => (
            <li key={version.number} className="py-3">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{t('helpcenter.versionNumber', { number: version.number })}</span>
                {version.published && <Badge tone="ok">{t('helpcenter.state.published')}</Badge>}
                <span className="text-sm text-ink-2">
                  <Ago at={version.saved_at} />
                </span>
              </p>
              <p className="mt-1 break-words">{version.title}</p>
              <p className="line-clamp-3 text-sm break-words text-ink-2">{version.body}</p>
              {canWrite && version.number !== newest && (
                <Button
                  className="mt-2"
                  size="sm"
                  busy={restore.isPending && restore.variables === version.number}
                  aria-label={t('helpcenter.restoreNumber', { number: version.number })}
                  onClick={() =>
                    restore.mutate(version.number, {
                      onSuccess: () => {
                        toast('ok', t('helpcenter.restored'))
                        onClose()
                      },
                      onError: (error) => toast('danger', t('helpcenter.failed'), errorText(error)),
                    })
                  }
                >
                  {t('helpcenter.restore')}
                </Button>
              )}
            </li>
          ))}
        </ol>
      </QueryState>
    </Drawer>
  )
}
