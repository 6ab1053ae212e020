import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { errorText, fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { Select } from '@/ui/Select'
import { Skeleton } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { expiryOf, lifetimes, useAddKey, useChangeKey, type ApiKey, type Lifetime, type ShownKey } from './apiKeys'
import { rolesQuery } from './catalog'
import { CheckList } from './CheckList'

const lifetimeLabels = {
  month: 'keys.life.month',
  quarter: 'keys.life.quarter',
  year: 'keys.life.year',
  never: 'keys.life.never',
} as const satisfies Record<Lifetime, PlainKey>

export function AddKeyDrawer({ onClose, onCreated }: { onClose: () => void; onCreated: (key: ShownKey) => void }) {
  const { t } = useI18n()
  const [environment, setEnvironment] = useState<ApiKey['environment']>('test')
  const add = useAddKey()
  return (
    <KeyForm
      title={t('keys.add')}
      lead={t('keys.addLead')}
      action={t('keys.addAction')}
      error={add.error}
      busy={add.isPending}
      onClose={onClose}
      onSubmit={(name, scopes, data) =>
        add.mutate(
          { name, scopes, environment, expires_at: expiryOf(textOf(data, 'lifetime') as Lifetime) },
          { onSuccess: onCreated },
        )
      }
    >
      <div>
        <p aria-hidden className="mb-1.5 text-sm font-semibold">
          {t('keys.environment')}
        </p>
        <Segmented
          label={t('keys.environment')}
          value={environment}
          options={[
            { value: 'test', label: t('keys.test') },
            { value: 'live', label: t('keys.live') },
          ]}
          onChange={setEnvironment}
        />
        <p className="mt-1.5 text-sm text-ink-3">{environment === 'live' ? t('keys.liveHint') : t('keys.testHint')}</p>
      </div>
      <Field label={t('keys.lifetime')} error={fieldText(add.error, 'expires_at')}>
        <Select name="lifetime" defaultValue="quarter">
          {(Object.keys(lifetimes) as Lifetime[]).map((life) => (
            <option key={life} value={life}>
              {t(lifetimeLabels[life])}
            </option>
          ))}
        </Select>
      </Field>
    </KeyForm>
  )
}

export function ChangeKeyDrawer({ row, onClose }: { row: ApiKey; onClose: () => void }) {
  const { t } = useI18n()
  const change = useChangeKey(row.id)
  return (
    <KeyForm
      title={t('keys.change')}
      lead={t('keys.changeLead')}
      action={t('common.save')}
      start={row}
      error={change.error}
      busy={change.isPending}
      onClose={onClose}
      onSubmit={(name, scopes) =>
        change.mutate(
          { name, scopes },
          {
            onSuccess: () => {
              toast('ok', t('keys.changed', { name }))
              onClose()
            },
          },
        )
      }
    />
  )
}

interface KeyFormProps {
  title: string
  lead: string
  action: string
  start?: ApiKey
  error: unknown
  busy: boolean
  onClose: () => void
  onSubmit: (name: string, scopes: string[], data: FormData) => void
  children?: ReactNode
}

function KeyForm({ title, lead, action, start, error, busy, onClose, onSubmit, children }: KeyFormProps) {
  const { t } = useI18n()
  const catalog = useQuery(rolesQuery)
  const [scopes, setScopes] = useState<readonly string[]>(start?.scopes ?? [])
  const [noneChosen, setNoneChosen] = useState(false)

  function submit(data: FormData) {
    setNoneChosen(scopes.length === 0)
    if (scopes.length === 0) return
    onSubmit(textOf(data, 'name'), [...scopes], data)
  }

  const scopesError = noneChosen && scopes.length === 0 ? t('rights.pickOne') : fieldText(error, 'scopes')
  return (
    <FormDrawer
      title={title}
      description={lead}
      action={action}
      busy={busy}
      error={error}
      fields={['name', 'scopes', 'expires_at']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('keys.name')} hint={t('keys.nameHint')} error={fieldText(error, 'name')}>
        <Input name="name" autoComplete="off" defaultValue={start?.name} required />
      </Field>
      {children}
      {catalog.error && <Notice tone="danger">{errorText(catalog.error)}</Notice>}
      {catalog.isPending && <Skeleton className="h-40 w-full" />}
      {catalog.data && (
        <CheckList
          label={t('keys.scopes')}
          entries={withSingles(catalog.data, start?.scopes ?? [])}
          chosen={scopes}
          onChange={setScopes}
          error={scopesError}
        />
      )}
    </FormDrawer>
  )
}

/** Returns the named sets, and the single permissions that an existing key already has. */
function withSingles(
  catalog: { scopes: { name: string; module: string; en: string; tr: string }[]; permissions: { name: string; module: string; en: string; tr: string }[] },
  held: readonly string[],
) {
  return [...catalog.scopes, ...catalog.permissions.filter((entry) => held.includes(entry.name))]
}
