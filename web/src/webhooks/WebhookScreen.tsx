import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowLeft, Ellipsis, History, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Badge, Code } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { CopyButton } from '@/ui/CodeBlock'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Fact } from '@/ui/Fact'
import { Menu, MenuItem, MenuRule } from '@/ui/Menu'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { SecretOnce } from '@/ui/SecretOnce'
import { toast } from '@/ui/Toast'
import { Deliveries } from './Deliveries'
import { DeliveryDrawer } from './DeliveryDrawer'
import { DeliveryFilterBar } from './DeliveryFilterBar'
import { RotateDialog } from './RotateDialog'
import { useSource, type DeliveryFilter, type Webhook } from './source'
import { WebhookForm } from './WebhookForm'
import { Statistics, WebhookNotices } from './WebhookState'
import {
  useDeleteWebhook,
  useDeliveries,
  useLastRecovery,
  useTestWebhook,
  useWebhook,
  useWebhookStatus,
  watchInterval,
  webhookLooks,
} from './webhooks'

const RecoverDialog = lazy(() => import('./RecoverDialog').then((m) => ({ default: m.RecoverDialog })))

interface WebhookScreenProps {
  webhookId: string
  deliveryId: string | null
}

export function WebhookScreen({ webhookId, deliveryId }: WebhookScreenProps) {
  const deliveries = useDeliveries(webhookId)
  const query = useWebhook(webhookId, watchInterval(deliveries.rows) !== false)
  const missing = asApiError(query.error)?.status === 404
  return (
    <QueryState
      isPending={query.isPending}
      error={missing ? null : query.error}
      retry={() => void query.refetch()}
      isEmpty={missing || !query.data}
      empty={<NotFoundPage />}
    >
      {query.data && <WebhookDetails webhook={query.data} deliveries={deliveries} deliveryId={deliveryId} />}
    </QueryState>
  )
}

type Layer = 'edit' | 'rotate' | 'recover' | 'delete'

interface WebhookDetailsProps {
  webhook: Webhook
  deliveries: ReturnType<typeof useDeliveries>
  deliveryId: string | null
}

function WebhookDetails({ webhook, deliveries, deliveryId }: WebhookDetailsProps) {
  const { t } = useI18n()
  const source = useSource()
  const navigate = useNavigate()
  const canManage = meets(useMe(), { permission: source.manage })
  const [layer, setLayer] = useState<Layer | null>(null)
  const [filter, setFilter] = useState<DeliveryFilter>({})
  const listed = useDeliveries(webhook.id, filter)
  const narrowed = filter.status !== undefined || filter.event_type !== undefined
  const names = [...new Set([...webhook.events, ...deliveries.rows.map((row) => row.event_type)])].sort()
  const [secret, setSecret] = useState<string | null>(null)
  const lastRecovery = useLastRecovery(webhook.id).data ?? null
  const [started, setStarted] = useState<string | null>(null)
  const [closed, setClosed] = useState<string | null>(null)
  // A running recovery is shown to everybody; a finished one only to the person who started it.
  const recovery =
    lastRecovery && lastRecovery.id !== closed && (lastRecovery.status === 'running' || lastRecovery.id === started) ? lastRecovery : null
  const test = useTestWebhook()
  const status = useWebhookStatus(webhook.id)

  function sendTest() {
    test.mutate(webhook.id, {
      onSuccess: () => toast('ok', t('webhooks.test.queued')),
      onError: (error) => toast('danger', t('webhooks.test.failed'), errorText(error)),
    })
  }

  function close() {
    setLayer(null)
  }

  function setStatus(next: 'active' | 'paused') {
    status.mutate(next, {
      onSuccess: () => toast('ok', next === 'active' ? t('webhooks.resumed') : t('webhooks.pausedDone')),
      onError: (error) => toast('danger', t('webhooks.statusFailed'), errorText(error)),
    })
  }

  return (
    <>
      <PageHeader
        back={
          <Link
            to={source.listPath}
            className="inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-ink-2 hover:text-ink"
          >
            <ArrowLeft aria-hidden className="size-4" />
            {t(source.id === 'erp' ? 'webhooks.title' : 'webhooks.mail.title')}
          </Link>
        }
        title={webhook.address}
        lead={webhook.description || undefined}
        actions={
          canManage && (
            <>
              <Button icon={Send} busy={test.isPending} onClick={sendTest}>
                {t('webhooks.test.send')}
              </Button>
              <Button icon={Pencil} onClick={() => setLayer('edit')}>
                {t('common.edit')}
              </Button>
              <Menu trigger={<IconButton icon={Ellipsis} label={t('common.more')} className="border border-edge bg-surface" />}>
                {webhook.status === 'active' ? (
                  <MenuItem icon={Pause} onSelect={() => setStatus('paused')}>
                    {t('webhooks.pause')}
                  </MenuItem>
                ) : (
                  <MenuItem icon={Play} onSelect={() => setStatus('active')}>
                    {t('webhooks.resume')}
                  </MenuItem>
                )}
                <MenuItem icon={History} onSelect={() => setLayer('recover')}>
                  {t('webhooks.recover')}
                </MenuItem>
                <MenuItem icon={KeyRound} onSelect={() => setLayer('rotate')}>
                  {t('webhooks.rotate')}
                </MenuItem>
                <MenuRule />
                <MenuItem icon={Trash2} onSelect={() => setLayer('delete')}>
                  {t('common.delete')}
                </MenuItem>
              </Menu>
            </>
          )
        }
      />
      <WebhookNotices
        webhook={webhook}
        rows={deliveries.rows}
        recovery={recovery}
        onRecoverySeen={() => setClosed(recovery?.id ?? null)}
        onResume={canManage ? () => setStatus('active') : null}
        resuming={status.isPending}
      />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0">
          <Statistics webhook={webhook} rows={deliveries.rows} complete={deliveries.more === null} />
          <section aria-labelledby="deliveries-title">
            <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <h2 id="deliveries-title" className="text-base font-semibold">
                {t('deliveries.title')}
              </h2>
              {(deliveries.rows.length > 0 || narrowed) && <DeliveryFilterBar filter={filter} events={names} onChange={setFilter} />}
            </div>
            <Deliveries webhookId={webhook.id} list={listed} canManage={canManage} narrowed={narrowed} />
          </section>
        </div>
        <Settings webhook={webhook} />
      </div>
      {deliveryId && (
        <DeliveryDrawer
          id={deliveryId}
          canManage={canManage}
          onClose={() => void navigate({ to: source.onePath, params: { webhookId: webhook.id }, search: {}, resetScroll: false })}
        />
      )}
      {layer === 'edit' && (
        <WebhookForm
          webhook={webhook}
          onClose={close}
          onSaved={() => {
            toast('ok', t('webhooks.saved'))
            close()
          }}
        />
      )}
      {layer === 'rotate' && (
        <RotateDialog
          webhook={webhook}
          onClose={close}
          onRotated={(value) => {
            close()
            setSecret(value)
          }}
        />
      )}
      <Suspense>
        {layer === 'recover' && (
          <RecoverDialog
            webhook={webhook}
            onClose={close}
            onStarted={({ id }) => {
              close()
              setStarted(id)
            }}
          />
        )}
      </Suspense>
      {layer === 'delete' && <DeleteConfirm webhook={webhook} onClose={close} />}
      {secret !== null && (
        <SecretOnce
          title={t('webhooks.secret.new')}
          description={t('webhooks.secret.text')}
          secret={secret}
          onSaved={() => setSecret(null)}
        />
      )}
    </>
  )
}

function Settings({ webhook }: { webhook: Webhook }) {
  const { t } = useI18n()
  const look = webhookLooks[webhook.status]
  return (
    <Card>
      <dl className="flex flex-col gap-4 text-sm">
        <Fact label={t('common.status')}>
          <Badge dot tone={look.tone}>
            {t(look.label)}
          </Badge>
        </Fact>
        <Fact label={t('webhooks.events')}>
          <ul className="flex flex-wrap gap-1.5">
            {webhook.events.map((name) => (
              <li key={name}>
                <Code>{name}</Code>
              </li>
            ))}
          </ul>
        </Fact>
        <Fact label={t('webhooks.secret.label')}>
          <span className="font-mono text-sm">whsec_••••{webhook.secret_last4}</span>
          {webhook.old_secret_ends_at && (
            <span className="mt-1 block text-sm text-ink-2">
              {t('webhooks.secret.old', { when: formatDateTime(webhook.old_secret_ends_at) })}
            </span>
          )}
        </Fact>
        {webhook.keyless_id && (
          <Fact label={t('webhooks.keylessId')}>
            <span className="flex items-center justify-between gap-2">
              <span className="font-mono text-sm">••••{webhook.keyless_id.slice(-4)}</span>
              <CopyButton text={webhook.keyless_id} />
            </span>
            <span className="mt-1 block text-sm text-ink-2">{t('webhooks.keylessIdHint')}</span>
          </Fact>
        )}
        <Fact label={t('webhooks.order')}>{webhook.strict_order ? t('webhooks.order.strict') : t('webhooks.order.free')}</Fact>
        <Fact label={t('webhooks.rate')}>{webhook.rate_limit ?? t('webhooks.rate.none')}</Fact>
        <Fact label={t('common.created')}>{formatDateTime(webhook.created_at)}</Fact>
      </dl>
    </Card>
  )
}

function DeleteConfirm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { t } = useI18n()
  const source = useSource()
  const navigate = useNavigate()
  return (
    <ConfirmAct
      act={useDeleteWebhook()}
      on={webhook.id}
      title={t('webhooks.delete.title')}
      action={t('webhooks.delete.action')}
      done={t('webhooks.delete.done')}
      onDone={() => void navigate({ to: source.listPath })}
      onClose={onClose}
    >
      {t('webhooks.delete.text', { address: webhook.address })}
    </ConfirmAct>
  )
}
