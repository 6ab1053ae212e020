import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox, Field, Input, Select, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Segmented } from '@/ui/Segmented'
import { splitList } from '../contacts/splitList'
import type { BulkAction, Outcome } from './bulk'
import { channelName } from './channels'
import { useAgentChoices, useGroups, type Conversation } from './conversations'

/** Stands for no owner at all, which is not the same as no choice. */
const nobody = 'nobody'

type What = 'group' | 'owner' | 'tags'

interface BulkDialogProps {
  count: number
  rows: Conversation[]
  busy: boolean
  error: unknown
  onChange: (action: BulkAction) => void
  onClose: () => void
}

/** Changes group, owner or tags of everything selected, each for people who are allowed to. */
export function BulkDialog({ count, rows, busy, error, onChange, onClose }: BulkDialogProps) {
  const { t, tCount } = useI18n()
  const me = useMe()
  const canAssign = meets(me, { permission: 'crm.conversations.assign' })
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const [what, setWhat] = useState<What>(canAssign ? 'group' : 'tags')
  const [missing, setMissing] = useState(false)
  const [owner, setOwner] = useState('')
  const options: { value: What; label: string }[] = []
  if (canAssign) options.push({ value: 'group', label: t('inbox.group') }, { value: 'owner', label: t('inbox.owner') })
  if (canManage) options.push({ value: 'tags', label: t('inbox.tags') })

  function actionOf(data: FormData): BulkAction | null {
    if (what === 'owner') return owner ? { do: 'assign', owner: owner === nobody ? null : owner } : null
    if (what === 'group') {
      const group = textOf(data, 'group')
      return group ? { do: 'transfer', group, note: textOf(data, 'note') } : null
    }
    const add = splitList(textOf(data, 'add'))
    const remove = data.getAll('remove').filter((tag) => typeof tag === 'string')
    return add.length + remove.length > 0 ? { do: 'tags', add, remove } : null
  }

  function submit(data: FormData) {
    const action = actionOf(data)
    setMissing(action === null)
    if (action) onChange(action)
  }

  return (
    <FormDialog
      title={t('inbox.bulk.change')}
      description={tCount('bulk.text', count)}
      action={what === 'group' ? t('bulk.transfer') : what === 'owner' ? t('bulk.assign') : t('bulk.retag')}
      busy={busy}
      disabled={what === 'owner' && !owner}
      error={error}
      fields={['group_id', 'owner_id', 'note', 'tags']}
      onSubmit={submit}
      onClose={onClose}
    >
      {options.length > 1 && (
        <div>
          <Segmented
            label={t('bulk.what')}
            value={what}
            options={options}
            onChange={(next) => {
              setMissing(false)
              setWhat(next)
            }}
          />
        </div>
      )}
      {what === 'group' && <GroupFields error={error} missing={missing} />}
      {what === 'owner' && <OwnerField error={error} owner={owner} onChoose={setOwner} />}
      {what === 'tags' && <TagFields rows={rows} error={error} missing={missing} />}
    </FormDialog>
  )
}

interface PartProps {
  error: unknown
  missing: boolean
}

function GroupFields({ error, missing }: PartProps) {
  const { t } = useI18n()
  const groups = useGroups().data
  const canWrite = meets(useMe(), { permission: 'crm.conversations.reply' })
  return (
    <>
      <Field
        label={t('inbox.group')}
        hint={groups?.length === 0 ? t('bulk.noGroup') : undefined}
        error={missing ? t('bulk.groupMissing') : fieldText(error, 'group_id', { unknown_group: 'bulk.groupGone' })}
      >
        <Select name="group" defaultValue="" required>
          <option value="">{t('bulk.choose')}</option>
          {groups?.map((group) => (
            <option key={group.id} value={group.id}>
              {group.name}
            </option>
          ))}
        </Select>
      </Field>
      {canWrite && (
        <Field label={t('bulk.note')} hint={t('bulk.noteHint')} optional error={fieldText(error, 'note')}>
          <Textarea name="note" maxLength={10_000} />
        </Field>
      )}
    </>
  )
}

function OwnerField({ error, owner, onChoose }: { error: unknown; owner: string; onChoose: (owner: string) => void }) {
  const { t } = useI18n()
  const me = useMe()
  const others = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data?.filter((agent) => agent.id !== me.membership.id) ?? []
  return (
    <Field label={t('inbox.owner')} error={fieldText(error, 'owner_id', { unknown_agent: 'bulk.agentGone' })}>
      <Select name="owner" value={owner} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{t('bulk.chooseOwner')}</option>
        <option value={me.membership.id}>{t('inbox.me', { name: me.user.name })}</option>
        {others.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.name || agent.email}
          </option>
        ))}
        <option value={nobody}>{t('inbox.owner.none')}</option>
      </Select>
    </Field>
  )
}

function TagFields({ rows, error, missing }: PartProps & { rows: Conversation[] }) {
  const { t } = useI18n()
  const tags = [...new Set(rows.flatMap((row) => row.tags))].sort((one, other) => one.localeCompare(other))
  return (
    <>
      <Field label={t('bulk.add')} hint={t('bulk.addHint')} error={missing ? t('bulk.tagMissing') : fieldText(error, 'tags')}>
        <Input name="add" autoComplete="off" />
      </Field>
      {tags.length > 0 && (
        <fieldset>
          <legend className="mb-1.5 text-sm font-semibold">{t('bulk.remove')}</legend>
          <div className="flex max-h-40 flex-col gap-1.5 overflow-y-auto p-0.5">
            {tags.map((tag) => (
              <Checkbox key={tag} name="remove" value={tag} label={tag} className="break-words" />
            ))}
          </div>
        </fieldset>
      )}
    </>
  )
}

interface OutcomeDialogProps {
  outcomes: Outcome[]
  rows: Conversation[]
  onClose: () => void
}

/** Shown when not everything was changed: what was, what was not, and why. */
export function OutcomeDialog({ outcomes, rows, onClose }: OutcomeDialogProps) {
  const { t, tCount } = useI18n()
  const failed = outcomes.filter(({ why }) => why !== null)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={tCount('bulk.failed', failed.length)}
      description={tCount('inbox.bulk.done', outcomes.length - failed.length)}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <ul aria-label={tCount('bulk.failed', failed.length)} className="divide-y divide-line text-sm">
        {failed.map(({ id, why }) => {
          const row = rows.find((one) => one.id === id)
          return (
            <li key={id} className="py-2">
              <p className="truncate font-medium">{row ? `${row.contact_name} · ${row.subject || channelName(row.channel)}` : id}</p>
              <p className="text-danger-ink">{why}</p>
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}
