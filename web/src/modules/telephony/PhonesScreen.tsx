import { Bell, BellOff, KeyRound, Voicemail } from 'lucide-react'
import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { useAgents } from '@/modules/agents/agents'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Fact } from '@/ui/Fact'
import { Field, Input, Select } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { SecretOnce } from '@/ui/SecretOnce'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { useGivePhone, useMakePhone, usePhoneTeam, useRings, type PhoneCredentials, type PhoneRow } from './phones'

export function PhonesScreen() {
  const { t } = useI18n()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.telephony.manage' })
  const canCall = meets(me, { permission: 'crm.calls.make' })
  const list = usePhoneTeam()
  const rings = useRings()
  const [adding, setAdding] = useState(false)
  const add = useAdd('phones.add', canManage, () => setAdding(true))
  const mine = list.rows.some((row) => row.agent_id === me.membership.id)

  const columns: Column<PhoneRow>[] = [
    { id: 'name', header: t('phones.name'), cell: (row) => <span className="font-medium">{row.name}</span> },
    { id: 'extension', header: t('phones.extension'), cell: (row) => <span className="tabular-nums">{row.extension}</span> },
    {
      id: 'state',
      header: t('common.status'),
      cell: (row) => (
        <Badge dot tone={row.in_call ? 'accent' : row.registered ? 'ok' : 'neutral'}>
          {row.in_call ? t('phones.inCall') : row.registered ? t('phones.signedIn') : t('phones.signedOut')}
        </Badge>
      ),
    },
    { id: 'rings', header: t('phones.rings'), wide: true, cell: (row) => (row.rings ? t('phones.ringsYes') : t('phones.ringsNo')) },
  ]

  return (
    <>
      <ListPage
        title={t('phones.title')}
        lead={t('phones.lead')}
        list={list}
        columns={columns}
        add={add}
        aside={mine && canCall && <OwnPhone />}
        rowActions={(row) =>
          (canManage || (canCall && row.agent_id === me.membership.id)) && (
            <IconButton
              icon={row.rings ? BellOff : Bell}
              label={t(row.rings ? 'phones.stopRinging' : 'phones.letRing', { name: row.name })}
              onClick={() => rings.mutate({ agentId: row.agent_id, rings: !row.rings }, { onError: (error) => toast('danger', t('phones.failed'), errorText(error)) })}
            />
          )
        }
        empty={{ icon: Voicemail, title: t('phones.empty.title'), text: t('phones.empty.text') }}
      />
      {adding && <GivePhoneDialog onClose={() => setAdding(false)} />}
    </>
  )
}

/** Creates credentials for the person's own phone, and shows them once. */
function OwnPhone() {
  const { t } = useI18n()
  const make = useMakePhone()
  const [made, setMade] = useState<PhoneCredentials | null>(null)
  return (
    <>
      <Button icon={KeyRound} busy={make.isPending} onClick={() => make.mutate(undefined, { onSuccess: setMade, onError: (error) => toast('danger', t('phones.failed'), errorText(error)) })}>
        {t('phones.credentials')}
      </Button>
      {made && (
        <SecretOnce title={t('phones.credentialsTitle')} description={t('phones.credentialsText')} secret={made.password} onSaved={() => setMade(null)}>
          <dl className="mt-4 grid gap-2">
            <Fact label={t('phones.username')}>{made.username}</Fact>
            <Fact label={t('phones.server')}>{made.server}</Fact>
            <Fact label={t('phones.extension')}>{made.extension}</Fact>
          </dl>
        </SecretOnce>
      )}
    </>
  )
}

function GivePhoneDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const give = useGivePhone()
  const agents = useAgents()

  function submit(data: FormData) {
    give.mutate(
      { user_id: textOf(data, 'agent'), extension: textOf(data, 'extension') || undefined },
      {
        onSuccess: () => {
          toast('ok', t('phones.given'))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog title={t('phones.add')} description={t('phones.addLead')} busy={give.isPending} error={give.error} fields={['user_id', 'extension']} onSubmit={submit} onClose={onClose}>
      <Field label={t('phones.name')} error={fieldText(give.error, 'user_id', { taken: 'phones.hasOne', may_not_call: 'phones.mayNotCall' })}>
        <Select name="agent" required>
          {agents.rows
            .filter((agent) => agent.state === 'active')
            .map((agent) => (
              <option key={agent.id} value={agent.id}>
                {agent.name || agent.email}
              </option>
            ))}
        </Select>
      </Field>
      <Field label={t('phones.extension')} hint={t('phones.extensionHint')} optional error={fieldText(give.error, 'extension', { taken: 'phones.extensionTaken', invalid_extension: 'phones.extensionInvalid' })}>
        <Input name="extension" inputMode="numeric" autoComplete="off" maxLength={6} />
      </Field>
    </FormDialog>
  )
}
