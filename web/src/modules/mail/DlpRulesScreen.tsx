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
import { FormDrawer } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { actions, patternText, patternTypes, placeText, ruleFields, severities, useAddRule, useDeleteRule, useEnableRule, useRules, useTestText, withPattern, type Rule } from './dlpRules'

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
          <Narrowing options={row.options} />
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
      <TestBox rules={list.rows} />
      {adding && <AddRuleDialog onClose={() => setAdding(false)} />}
      {doomed && <DeleteConfirm row={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

/** Shows a rule's conditions besides its pattern; nothing if there are none. */
function Narrowing({ options }: { options: Rule['options'] }) {
  const { t } = useI18n()
  const words = options.proximity_words ?? []
  const fields = options.fields ?? []
  const parts = [
    options.min_count > 1 && t('dlpRules.minCountShown', { count: formatNumber(options.min_count) }),
    words.length > 0 && t('dlpRules.wordsShown', { words: words.join(', ') }),
    options.scope === 'external' && t('dlpRules.scope.external'),
    fields.length > 0 && t('dlpRules.fieldsShown', { fields: fields.map((field) => t(ruleFields[field])).join(', ') }),
  ].filter(Boolean)
  return parts.length > 0 && <span className="block text-sm break-words text-ink-3">{parts.join(' · ')}</span>
}

/** Shows what the enabled rules find in a text; the text is not stored. */
function TestBox({ rules }: { rules: Rule[] }) {
  const { t } = useI18n()
  const test = useTestText()
  const found = test.data
  return (
    <Card title={t('dlpRules.test.title')} className="mt-6">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          test.mutate({ subject: textOf(data, 'subject') || undefined, text: textOf(data, 'text') })
        }}
      >
        <Field label={t('dlpRules.test.subject')} optional>
          <Input name="subject" autoComplete="off" maxLength={1000} />
        </Field>
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
            <p key={`${match.rule_id} ${match.where}`}>
              <span className="font-medium">{rules.find((rule) => rule.id === match.rule_id)?.name ?? patternText(match.pattern_type)}</span> ({placeText(match.where)}):{' '}
              <span className="font-mono text-xs break-all">{match.samples_masked.join(', ')}</span>
            </p>
          ))}
        </Notice>
      )}
    </Card>
  )
}

/** Reads a rule's further conditions from the form. */
function optionsOf(data: FormData): Rule['options'] {
  return {
    min_count: Number(textOf(data, 'min_count') || 1),
    proximity_words: linesOf(textOf(data, 'proximity_words')),
    scope: textOf(data, 'scope') as Rule['options']['scope'],
    fields: data.getAll('fields') as Rule['options']['fields'],
  }
}

const linesOf = (text: string) => text.split(/[\n,]/).map((line) => line.trim()).filter(Boolean)

function AddRuleDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddRule()
  const [type, setType] = useState<Rule['pattern_type']>('credit_card')

  function submit(data: FormData) {
    const name = textOf(data, 'name')
    const enabled = data.has('enabled')
    add.mutate(
      {
        name,
        pattern_type: type,
        pattern: withPattern.includes(type) ? textOf(data, 'pattern') : undefined,
        action: textOf(data, 'action') as Rule['action'],
        severity: textOf(data, 'severity') as Rule['severity'],
        options: optionsOf(data),
        enabled,
      },
      {
        onSuccess: () => {
          toast('ok', t(enabled ? 'dlpRules.added' : 'dlpRules.addedOff', { name }))
          onClose()
        },
      },
    )
  }

  const taken = asApiError(add.error)?.code === 'conflict' ? t('dlpRules.taken') : null
  return (
    <FormDrawer
      title={t('dlpRules.add')}
      description={t('dlpRules.addLead')}
      busy={add.isPending}
      error={add.error}
      fields={['name', 'pattern', 'options.min_count', 'options.proximity_words']}
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
      <Field label={t('dlpRules.scope')}>
        <Select name="scope" defaultValue="any">
          <option value="any">{t('dlpRules.scope.any')}</option>
          <option value="external">{t('dlpRules.scope.external')}</option>
        </Select>
      </Field>
      <Field label={t('dlpRules.minCount')} hint={t('dlpRules.minCountHint')} error={fieldText(add.error, 'options.min_count')}>
        <Input name="min_count" type="number" min={1} max={1000} defaultValue={1} />
      </Field>
      <Field label={t('dlpRules.words')} hint={t('dlpRules.wordsHint')} error={fieldText(add.error, 'options.proximity_words')} optional>
        <Textarea name="proximity_words" rows={2} />
      </Field>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1.5 text-sm font-semibold">{t('dlpRules.fields')}</legend>
        {Object.entries(ruleFields).map(([value, label]) => (
          <Checkbox key={value} name="fields" value={value} label={t(label)} />
        ))}
        <p className="text-sm text-ink-3">{t('dlpRules.fieldsHint')}</p>
      </fieldset>
      <Checkbox name="enabled" label={t('dlpRules.enableNow')} defaultChecked />
    </FormDrawer>
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
