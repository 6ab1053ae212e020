import { api, ask } from '@/api/client'
import type { WebhookSource } from '@/webhooks/source'

const pageSize = 50

export const mailWebhooks: WebhookSource = {
  id: 'mail',
  listPath: '/mail/webhooks',
  onePath: '/mail/webhooks/$webhookId',
  manage: 'mail.webhooks.manage',
  hasSettings: false,
  list: (cursor) => ask(api.GET('/api/mail/v1/webhooks', { params: { query: { limit: pageSize, cursor } } })),
  one: (id) => ask(api.GET('/api/mail/v1/webhooks/{id}', { params: { path: { id } } })).then((envelope) => envelope.data),
  catalog: () => ask(api.GET('/api/mail/v1/webhooks/catalog')).then((envelope) => envelope.data ?? []),
  create: ({ rate_limit, ...rest }) =>
    ask(api.POST('/api/mail/v1/webhooks', { body: { ...rest, rate_limit: rate_limit || undefined } })).then((envelope) => envelope.data),
  change: (id, body) => ask(api.PATCH('/api/mail/v1/webhooks/{id}', { params: { path: { id } }, body })),
  remove: (id) => ask(api.DELETE('/api/mail/v1/webhooks/{id}', { params: { path: { id } } })),
  test: (id) => ask(api.POST('/api/mail/v1/webhooks/{id}/test', { params: { path: { id } } })),
  rotate: (id, graceSeconds) =>
    ask(
      api.POST('/api/mail/v1/webhooks/{id}/rotate-secret', {
        params: { path: { id } },
        body: { grace_seconds: graceSeconds },
      }),
    ).then((envelope) => envelope.data),
  setStatus: (id, status) => ask(api.POST('/api/mail/v1/webhooks/{id}/status', { params: { path: { id } }, body: { status } })),
  // One answer with the newest hundred: there are no further pages.
  deliveries: (id, filter) =>
    ask(api.GET('/api/mail/v1/webhooks/{id}/deliveries', { params: { path: { id }, query: filter } })).then((envelope) => ({ data: envelope.data ?? [] })),
  hours: (id) => ask(api.GET('/api/mail/v1/webhooks/{id}/hours', { params: { path: { id } } })).then((envelope) => envelope.data ?? []),
  delivery: (id) => ask(api.GET('/api/mail/v1/webhooks/deliveries/{id}', { params: { path: { id } } })).then((envelope) => envelope.data),
  resend: (id) => ask(api.POST('/api/mail/v1/webhooks/deliveries/{id}/resend', { params: { path: { id } } })),
  recover: (id, body) =>
    ask(api.POST('/api/mail/v1/webhooks/{id}/recover', { params: { path: { id } }, body })).then((envelope) => envelope.data),
  lastRecovery: (id) =>
    ask(api.GET('/api/mail/v1/webhooks/{id}/recoveries', { params: { path: { id }, query: { limit: 1 } } })).then(
      (envelope) => envelope.data?.[0] ?? null,
    ),
}
