import { BookOpen, Pencil, Plus, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/error'
import { meets, useMe } from '@/api/session'
import { formatDateTime, formatNumber, useI18n } from '@/i18n'
import { Button, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Drawer } from '@/ui/Dialog'
import { Fact } from '@/ui/Fact'
import { Notice } from '@/ui/Notice'
import { QueryState } from '@/ui/QueryState'
import { useConfigurations, useDeleteConfiguration, type Configuration } from './assistant'
import { ConfigurationDrawer } from './ConfigurationDrawer'
import { modelFailure } from './modelFailure'
import { SourcesDrawer } from './SourcesDrawer'

type Layer = { kind: 'sources' } | { kind: 'edit'; configuration: Configuration | null } | { kind: 'delete'; configuration: Configuration }

/**
 * Lists the assistant's configurations: what each spent today, why its server failed, and how to
 * change and delete it.
 */
export function ConfigurationsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.assistant.manage' })
  const list = useConfigurations()
  const [layer, setLayer] = useState<Layer | null>(null)
  const back = () => setLayer(null)
  if (layer?.kind === 'sources') return <SourcesDrawer onClose={back} />
  if (layer?.kind === 'edit') return <ConfigurationDrawer configuration={layer.configuration} onClose={back} />
  if (layer?.kind === 'delete') return <DeleteConfirm configuration={layer.configuration} onClose={back} />
  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={t('assistant.configurations')}
      description={t('assistant.lead')}
      footer={
        <>
          <Button icon={BookOpen} onClick={() => setLayer({ kind: 'sources' })}>
            {t('sources.open')}
          </Button>
          {canManage && (
            <Button look="primary" icon={Plus} onClick={() => setLayer({ kind: 'edit', configuration: null })}>
              {t('channels.assistant.add')}
            </Button>
          )}
        </>
      }
    >
      <QueryState
        isPending={list.isPending}
        error={list.error}
        isEmpty={list.data?.length === 0}
        empty={<p className="text-sm text-ink-2">{t('assistant.none')}</p>}
        retry={() => void list.refetch()}
      >
        <ul aria-label={t('assistant.configurations')} className="flex flex-col gap-3">
          {list.data?.map((one) => (
            <li key={one.id} aria-label={one.name} className="rounded-lg border border-line p-4 text-sm">
              <div className="flex items-start gap-1">
                <h3 className="min-w-0 flex-1 text-base font-semibold break-words">{one.name}</h3>
                {canManage && (
                  <>
                    <IconButton icon={Pencil} label={`${t('common.edit')}: ${one.name}`} onClick={() => setLayer({ kind: 'edit', configuration: one })} />
                    <IconButton icon={Trash2} label={`${t('common.delete')}: ${one.name}`} onClick={() => setLayer({ kind: 'delete', configuration: one })} />
                  </>
                )}
              </div>
              {one.model ? <ModelFacts model={one.model} /> : <p className="text-ink-2">{t('assistant.embedded')}</p>}
            </li>
          ))}
        </ul>
      </QueryState>
    </Drawer>
  )
}

/** Shows the language model's address, what it spent today, and its last failure. */
function ModelFacts({ model }: { model: NonNullable<Configuration['model']> }) {
  const { t } = useI18n()
  const number = (value: number) => formatNumber(value)
  const { spent } = model
  return (
    <>
      <p className="break-words text-ink-2">{t('assistant.byModel', { model: model.model, address: model.address })}</p>
      <dl className="mt-3 flex flex-col gap-3">
        <Fact label={t('assistant.spent')}>
          <ul className="tabular-nums">
            <li>{t('assistant.tokens', { used: number(spent.tokens), limit: number(model.daily_tokens) })}</li>
            <li>{t('assistant.seconds', { used: number(spent.seconds), limit: number(model.daily_seconds) })}</li>
            <li>{t('assistant.money', { used: number(spent.money), limit: model.daily_money > 0 ? number(model.daily_money) : t('assistant.noLimit') })}</li>
          </ul>
        </Fact>
        {model.failure && (
          <Fact label={t('assistant.failure')}>
            <span className="break-words text-danger-ink">{modelFailure(model.failure)}</span>
          </Fact>
        )}
      </dl>
      {model.paused_until && <Paused key={model.paused_until} until={model.paused_until} />}
    </>
  )
}

/** Says that the server is not called for a while; shows nothing once that time is over. */
export function Paused({ until }: { until: string }) {
  const { t } = useI18n()
  const [over, setOver] = useState(() => Date.parse(until) <= Date.now())
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Date.parse(until) - Date.now())
    return () => clearTimeout(timer)
  }, [until])
  if (over) return null
  return (
    <Notice tone="warn" className="mt-3">
      {t('assistant.paused', { time: formatDateTime(until) })}
    </Notice>
  )
}

function DeleteConfirm({ configuration, onClose }: { configuration: Configuration; onClose: () => void }) {
  const { t } = useI18n()
  const { name } = configuration
  const act = useDeleteConfiguration()
  // The catalogue's message does not say what to do about it.
  const used = asApiError(act.error)?.reason === 'in_use'
  return (
    <ConfirmAct
      act={used ? { ...act, error: null } : act}
      on={configuration.id}
      title={t('assistant.delete.title')}
      action={t('common.delete')}
      done={t('assistant.delete.done', { name })}
      onClose={onClose}
    >
      {t('assistant.delete.text', { name })}
      {used && (
        <Notice tone="danger" className="mt-4">
          {t('assistant.delete.used', { name })}
        </Notice>
      )}
    </ConfirmAct>
  )
}
