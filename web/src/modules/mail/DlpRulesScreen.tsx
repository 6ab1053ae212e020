import { ScanSearch, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListPage, useAdd } from '@/shell/ListPage'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { Card } from '@/ui/Card'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { FailureText } from '@/ui/FailureText'
import { Checkbox, Field, Input, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { actions, patternTypes, severities, useAddRule, useDeleteRule, useEnableRule, useRules, useTestText, withPattern, type Rule } from './dlpRules'

export function DlpRulesScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.dlp.manage' })
  const list = useRules()
  const enable = useEnableRule()
  const [adding, setAdding] = useState(false)
  const [doomed, setDoomed] = useState<Rule | null>(null)
  const add = useAdd('dlpRules.add', canManage, () => setAdding(true))

  const columns: Column<Rule>[] = [
    {
      id: 'name',
      header: t('dlpRules.name'),
      cell: (row) => (
        <>
          <span className="font-medium break-words">{row.name}</span>
          <span className="block text-sm text-ink-3">{t(patternTypes[row.pattern_type])}</span>
        </>
      ),
    },
    { id: 'action', header: t('dlpRules.action'), cell: (row) => <Badge tone={actions[row.action].tone}>{t(actions[row.action].label)}</Badge> },
    { id: 'hits', header: t('dlpRules.hits'), wide: true, cell: (row) => formatNumber(row.hits_30d) },
    {
      id: 'enabled',
      header: t('dlpRules.enabled'),
      cell: (row) => (
        <Checkbox
          label={<span className="sr-only">{t('dlpRules.enableOne', { name: row.name })}</span>}
          checked={row.enabled}
          disabled={!canManage}
          busy={enable.isPending}
          onChange={(event) =>
            enable.mutate({ id: row.id, enabled: event.target.checked }, { onError: (error) => toast('danger', t('dlpRules.enableFailed'), errorText(error)) })
          }
        />
      ),
    },
  ]

  return (
    <>
      <ListPage
        title={t('dlpRules.title')}
        lead={t('dlpRules.lead')}
        list={list}
        columns={columns}
        add={add}
        rowActions={canManage && ((row: Rule) => <IconButton icon={Trash2} tone="danger" label={t('dlpRules.deleteOne', { name: row.name })} onClick={() => setDoomed(row)} />)}
        empty={{ icon: ScanSearch, title: t('dlpRules.empty.title'), text: t('dlpRules.empty.text') }}
      />
      <TestBox />
      {adding && <AddRuleDialog onClose={() => setAdding(false)} />}
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

/** Says what the enabled rules find in a text; nothing is kept of it. */
function TestBox() {
  const { t } = useI18n()
  const test = useTestText()
  const found = test.data
  return (
    <Card title={t('dlpRules.test.title')} className="mt-6">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          test.mutate(textOf(new FormData(event.currentTarget), 'text'))
        }}
      >
        <Field label={t('dlpRules.test.text')} hint={t('dlpRules.test.hint')}>
          <Textarea name="text" rows={4} maxLength={100_000} />
        </Field>
        <div>
          <Button type="submit" busy={test.isPending}>
            {t('dlpRules.test.run')}
          </Button>
        </div>
      </form>
      {test.error != null && (
        <Notice tone="danger" className="mt-4">
          <FailureText error={test.error} />
        </Notice>
      )}
      {found && (
        <Notice tone={found.matches.length === 0 ? 'ok' : 'warn'} className="mt-4" title={found.action === 'pass' ? t('dlpRules.test.pass') : t(actions[found.action].label)}>
          {found.matches.map((match) => (
            <p key={`${match.rule_id} ${match.where}`} className="font-mono text-xs break-all">
              {match.samples_masked.join(', ')}
            </p>
          ))}
        </Notice>
      )}
    </Card>
  )
}

function AddRuleDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddRule()
  const [type, setType] = useState<Rule['pattern_type']>('credit_card')

  function submit(data: FormData) {
    const name = textOf(data, 'name')
    add.mutate(
      { name, pattern_type: type, pattern: withPattern.includes(type) ? textOf(data, 'pattern') : undefined, action: textOf(data, 'action') as Rule['action'], severity: textOf(data, 'severity') as Rule['severity'] },
      {
        onSuccess: () => {
          toast('ok', t('dlpRules.added', { name }))
          onClose()
        },
      },
    )
  }

  const taken = asApiError(add.error)?.code === 'conflict' ? t('dlpRules.taken') : null
  return (
    <FormDialog
      title={t('dlpRules.add')}
      description={t('dlpRules.addLead')}
      busy={add.isPending}
      error={add.error}
      fields={['name', 'pattern']}
      said={taken !== null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('dlpRules.name')} error={taken ?? fieldText(add.error, 'name')}>
        <Input name="name" autoComplete="off" maxLength={200} required />
      </Field>
      <Field label={t('dlpRules.type')}>
        <Select value={type} onChange={(event) => setType(event.target.value as Rule['pattern_type'])}>
          {Object.entries(patternTypes).map(([value, label]) => (
            <option key={value} value={value}>
              {t(label)}
            </option>
          ))}
        </Select>
      </Field>
      {withPattern.includes(type) && (
        <Field label={t('dlpRules.pattern')} hint={t('dlpRules.patternHint')} error={fieldText(add.error, 'pattern', { invalid_pattern: 'dlpRules.patternInvalid' })}>
          <Textarea name="pattern" rows={3} spellCheck={false} />
        </Field>
      )}
      <Field label={t('dlpRules.action')} hint={t('dlpRules.actionHint')}>
        <Select name="action" defaultValue="quarantine">
          {Object.entries(actions).map(([value, { label }]) => (
            <option key={value} value={value}>
              {t(label)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('dlpRules.severity')} hint={t('dlpRules.severityHint')}>
        <Select name="severity" defaultValue="medium">
          {Object.entries(severities).map(([value, label]) => (
            <option key={value} value={value}>
              {t(label)}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  )
}

function DeleteConfirm({ row, onClose }: { row: Rule; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ConfirmAct
      act={useDeleteRule()}
      on={row.id}
      title={t('dlpRules.delete.title')}
      action={t('dlpRules.delete.action')}
      done={t('dlpRules.delete.done', { name: row.name })}
      onClose={onClose}
    >
      {t('dlpRules.delete.text', { name: row.name })}
    </ConfirmAct>
  )
}
