import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Badge, Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { Confirm } from '@/ui/Confirm'
import { Fact } from '@/ui/Fact'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { Deliveries } from './Deliveries'
import { useDeleteWebhook, useTestWebhook, useWebhooks, webhookLooks, type Webhook } from './webhooks'

/** There is no route for one endpoint: a workspace has few, and the list is at hand. */
export function WebhookScreen() {
  const { webhookId } = useParams({ from: '/shell/erp/webhooks/$webhookId' })
  const list = useWebhooks()
  const webhook = list.rows.find((row) => row.id === webhookId)
  return (
    <QueryState {...list} isEmpty={!webhook} empty={<NotFoundPage />}>
      {webhook && <WebhookDetails webhook={webhook} />}
    </QueryState>
  )
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'erp.settings.manage' })
  const [deleting, setDeleting] = useState(false)
  const test = useTestWebhook()
  const look = webhookLooks[webhook.status]

  function sendTest() {
    test.mutate(webhook.id, {
      onSuccess: () => toast('ok', t('webhooks.test.queued')),
      onError: (error) => toast('danger', t('webhooks.test.failed'), errorText(error)),
    })
  }

  return (
    <>
      <PageHeader
        back={
          <Link
            to="/erp/webhooks"
            className="inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-ink-2 hover:text-ink"
          >
            <ArrowLeft aria-hidden className="size-4" />
            {t('webhooks.title')}
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
              <Button icon={Trash2} onClick={() => setDeleting(true)}>
                {t('common.delete')}
              </Button>
            </>
          )
        }
      />
      {webhook.status === 'disabled' && (
        <Notice tone="danger" title={t('webhooks.disabled.title')} className="mb-5">
          {webhook.disabled_reason || t('webhooks.disabled.text')}
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_17rem]">
        <section aria-labelledby="deliveries-title" className="min-w-0">
          <h2 id="deliveries-title" className="mb-3 text-base font-semibold">
            {t('deliveries.title')}
          </h2>
          <Deliveries webhookId={webhook.id} />
        </section>
        <Card className="order-first lg:order-none">
          <dl className="flex flex-col gap-4 text-sm">
            <Fact label={t('common.status')}>
              <Badge dot tone={look.tone}>
                {t(look.label)}
              </Badge>
            </Fact>
            <Fact label={t('webhooks.secret.label')}>
              <span className="font-mono text-[13px]">whsec_••••{webhook.secret_last4}</span>
            </Fact>
            <Fact label={t('common.created')}>{formatDateTime(webhook.created_at)}</Fact>
            <Fact label={t('webhooks.events')}>
              <ul className="flex flex-wrap gap-1.5">
                {webhook.events.map((name) => (
                  <li key={name}>
                    <Code>{name}</Code>
                  </li>
                ))}
              </ul>
            </Fact>
          </dl>
        </Card>
      </div>
      {deleting && <DeleteConfirm webhook={webhook} onClose={() => setDeleting(false)} />}
    </>
  )
}

function DeleteConfirm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { t } = useI18n()
  const navigate = useNavigate()
  const remove = useDeleteWebhook()

  // The list may lose the row, and with it this component, before the answer is here:
  // callbacks of a mutation end with their component, a promise does not.
  function confirm() {
    remove.mutateAsync(webhook.id).then(
      () => {
        toast('ok', t('webhooks.delete.done'))
        void navigate({ to: '/erp/webhooks' })
      },
      () => undefined,
    )
  }

  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('webhooks.delete.title')}
      action={t('webhooks.delete.action')}
      busy={remove.isPending}
      error={remove.error && errorText(remove.error)}
      onConfirm={confirm}
    >
      {t('webhooks.delete.text', { address: webhook.address })}
    </Confirm>
  )
}
