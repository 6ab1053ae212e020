import { PhoneOutgoing } from 'lucide-react'
import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Badge, type Tone } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { EmptyState } from '@/ui/EmptyState'
import { Fact } from '@/ui/Fact'
import { Field, Input, Select } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useDropLine, useLine, useSaveLine, type Line } from './line'

const states = {
  none: { label: 'phoneLine.state.none', tone: 'neutral' },
  unknown: { label: 'phoneLine.state.unknown', tone: 'neutral' },
  needs_password: { label: 'phoneLine.state.needsPassword', tone: 'warn' },
  registering: { label: 'phoneLine.state.registering', tone: 'accent' },
  registered: { label: 'phoneLine.state.registered', tone: 'ok' },
  ready: { label: 'phoneLine.state.registered', tone: 'ok' },
  failed: { label: 'phoneLine.state.failed', tone: 'danger' },
} as const satisfies Record<Line['status'], { label: PlainKey; tone: Tone }>

const encryptions = {
  off: 'phoneLine.encryption.off',
  optional: 'phoneLine.encryption.optional',
  required: 'phoneLine.encryption.required',
} as const satisfies Record<Line['media_encryption'], PlainKey>

const faults: Partial<Record<string, PlainKey>> = {
  needs_password: 'phoneLine.fault.needs_password',
  wrong_password: 'phoneLine.fault.wrong_password',
  unsupported: 'phoneLine.fault.unsupported',
  no_address: 'phoneLine.fault.no_address',
  refused_address: 'phoneLine.fault.refused_address',
  unreachable: 'phoneLine.fault.unreachable',
  connection_lost: 'phoneLine.fault.connection_lost',
  no_tls: 'phoneLine.fault.no_tls',
  certificate: 'phoneLine.fault.certificate',
  refused: 'phoneLine.fault.refused',
}

/** The exchange sends a code and a sentence; we have texts for the codes. */
function useFault(error: string) {
  const { t } = useI18n()
  const key = faults[error.split(':', 1)[0] ?? '']
  return key ? t(key) : error
}

/** The workspace's own SIP line and its state. */
export function LineScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.telephony.manage' })
  const query = useLine()
  const drop = useDropLine()
  const [layer, setLayer] = useState<'edit' | 'drop' | null>(null)
  const line = query.data
  const fault = useFault(line?.last_error ?? '')
  const connect = canManage && (
    <Button look="primary" onClick={() => setLayer('edit')}>
      {t('phoneLine.connect')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('phoneLine.title')} lead={t('phoneLine.lead')} />
      <QueryState
        isPending={query.isPending}
        error={query.error}
        isEmpty={line?.status === 'none'}
        empty={
          <EmptyState icon={PhoneOutgoing} title={t('phoneLine.empty.title')} action={connect}>
            {t('phoneLine.empty.text')}
          </EmptyState>
        }
        retry={() => void query.refetch()}
      >
        {line && (
          <Card
            title={line.e164 || line.username}
            action={
              canManage && (
                <div className="flex gap-2">
                  <Button onClick={() => setLayer('edit')}>{t('common.edit')}</Button>
                  <Button onClick={() => setLayer('drop')}>{t('phoneLine.drop')}</Button>
                </div>
              )
            }
          >
            <dl className="grid gap-2">
              <Fact label={t('common.status')}>
                <Badge dot tone={states[line.status].tone}>
                  {t(states[line.status].label)}
                </Badge>
              </Fact>
              {line.last_error && <Fact label={t('phoneLine.lastError')}>{fault}</Fact>}
              <Fact label={t('phones.server')}>{line.server}</Fact>
              <Fact label={t('phoneLine.transport')}>{line.transport.toUpperCase()}</Fact>
              {line.transport === 'tls' && <Fact label={t('phoneLine.encryption')}>{t(encryptions[line.media_encryption])}</Fact>}
              <Fact label={t('phones.username')}>{line.username}</Fact>
            </dl>
          </Card>
        )}
      </QueryState>
      {layer === 'edit' && line && <LineDrawer line={line} onClose={() => setLayer(null)} />}
      {layer === 'drop' && (
        <ConfirmAct act={drop} on={undefined} title={t('phoneLine.dropTitle')} action={t('phoneLine.drop')} done={t('phoneLine.dropped')} onClose={() => setLayer(null)}>
          {t('phoneLine.dropText')}
        </ConfirmAct>
      )}
    </>
  )
}

function LineDrawer({ line, onClose }: { line: Line; onClose: () => void }) {
  const { t } = useI18n()
  const save = useSaveLine()
  const [transport, setTransport] = useState(line.transport)
  const [encryption, setEncryption] = useState(line.media_encryption)

  function submit(data: FormData) {
    save.mutate(
      {
        server: textOf(data, 'server'),
        transport,
        media_encryption: transport === 'tls' ? encryption : 'off',
        username: textOf(data, 'username'),
        auth_user: textOf(data, 'auth_user') || undefined,
        password: textOf(data, 'password') || undefined,
        register: line.status === 'none' ? undefined : line.register,
        e164: textOf(data, 'e164') || undefined,
      },
      {
        onSuccess: () => {
          toast('ok', t('phoneLine.saved'))
          onClose()
        },
      },
    )
  }

  const text = (name: 'server' | 'username' | 'auth_user' | 'e164', label: PlainKey, optional?: boolean) => (
    <Field label={t(label)} optional={optional} error={fieldText(save.error, name, { invalid_host: 'phoneLine.invalidHost', refused_address: 'phoneLine.fault.refused_address', invalid_user: 'phoneLine.invalidUser', invalid_phone: 'calls.invalidPhone' })}>
      <Input name={name} autoComplete="off" spellCheck={false} maxLength={260} defaultValue={line[name]} required={!optional} />
    </Field>
  )

  return (
    <FormDrawer
      title={t('phoneLine.connect')}
      description={t('phoneLine.drawerLead')}
      busy={save.isPending}
      error={save.error}
      fields={['server', 'media_encryption', 'username', 'auth_user', 'password', 'e164']}
      onSubmit={submit}
      onClose={onClose}
    >
      {text('server', 'phones.server')}
      <Field label={t('phoneLine.transport')} hint={transport === 'tls' ? t('phoneLine.tlsHint') : undefined}>
        <Select value={transport} onChange={(event) => setTransport(event.target.value as Line['transport'])}>
          <option value="udp">UDP</option>
          <option value="tcp">TCP</option>
          <option value="tls">TLS</option>
        </Select>
      </Field>
      {transport === 'tls' && (
        <Field label={t('phoneLine.encryption')} hint={t('phoneLine.encryptionHint')} error={fieldText(save.error, 'media_encryption')}>
          <Select value={encryption} onChange={(event) => setEncryption(event.target.value as Line['media_encryption'])}>
            {(Object.keys(encryptions) as Line['media_encryption'][]).map((key) => (
              <option key={key} value={key}>
                {t(encryptions[key])}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {text('username', 'phones.username')}
      {text('auth_user', 'phoneLine.authUser', true)}
      <Field label={t('phoneLine.password')} hint={t('phoneLine.passwordHint')} optional={line.status !== 'none'} error={fieldText(save.error, 'password')}>
        <Input name="password" type="password" autoComplete="off" maxLength={200} />
      </Field>
      {text('e164', 'phoneLine.number', true)}
    </FormDrawer>
  )
}
