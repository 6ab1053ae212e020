import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { ListPage } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Field, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Segmented } from '@/ui/Segmented'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { toast } from '@/ui/Toast'
import { actions, incidentStates, patternText, placeText, severities, useIncidents, useReview, type Incident, type Review } from './dlpRules'

export function DlpIncidentsScreen() {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'mail.dlp.manage' })
  const [status, setStatus] = useState<'open' | ''>('open')
  const list = useIncidents(status)
  const [reviewed, setReviewed] = useState<Incident | null>(null)

  const columns: Column<Incident>[] = [
    {
      id: 'mail',
      header: t('incidents.mail'),
      cell: (row) => (
        <>
          <span className="font-medium break-words">{row.subject_masked || t('incidents.noSubject')}</span>
          <Parties incident={row} />
        </>
      ),
    },
    { id: 'found', header: t('incidents.found'), wide: true, cell: (row) => <Found incident={row} /> },
    {
      id: 'action',
      header: t('dlpRules.action'),
      cell: (row) => (
        <span className="flex flex-wrap gap-1">
          <Badge tone={actions[row.action_taken].tone}>{t(actions[row.action_taken].label)}</Badge>
          <Badge tone={incidentStates[row.status].tone}>{t(incidentStates[row.status].label)}</Badge>
          <Badge tone={row.severity === 'high' ? 'danger' : 'neutral'}>{t('incidents.severity', { severity: t(severities[row.severity]) })}</Badge>
        </span>
      ),
    },
    { id: 'at', header: t('incidents.at'), wide: true, cell: (row) => <Ago at={row.at} /> },
  ]

  return (
    <>
      <ListPage
        title={t('incidents.title')}
        lead={t('incidents.lead')}
        list={list}
        columns={columns}
        aside={
          <Segmented
            label={t('incidents.show')}
            value={status}
            onChange={setStatus}
            options={[
              { value: 'open', label: t('incidents.status.open') },
              { value: '', label: t('incidents.all') },
            ]}
          />
        }
        rowActions={
          canManage &&
          ((row: Incident) =>
            row.status === 'open' && (
              <Button size="sm" onClick={() => setReviewed(row)}>
                {t('incidents.review')}
              </Button>
            ))
        }
        empty={{ icon: Inbox, title: t('incidents.empty.title'), text: t('incidents.empty.text') }}
      />
      {reviewed && <ReviewDialog incident={reviewed} onClose={() => setReviewed(null)} />}
    </>
  )
}

/** The sender and the recipients of the mail. */
function Parties({ incident }: { incident: Incident }) {
  const { t } = useI18n()
  return (
    <>
      {incident.sender && <span className="block text-sm break-all text-ink-3">{t('incidents.from', { sender: incident.sender })}</span>}
      <span className="block text-sm break-all text-ink-3">{t('incidents.to', { recipients: incident.recipients.join(', ') })}</span>
    </>
  )
}

function Found({ incident }: { incident: Incident }) {
  const { t } = useI18n()
  return (
    <ul className="text-sm">
      {incident.matches.map((match) => (
        <li key={`${match.rule_id} ${match.where}`}>
          {patternText(match.pattern_type)} <span className="text-ink-3">({placeText(match.where)})</span> <span className="font-mono text-xs break-all text-ink-3">{match.samples_masked.join(', ')}</span>
        </li>
      ))}
      {incident.unscanned.map((part) => (
        <li key={part.where}>{t('incidents.unscanned', { where: part.where })}</li>
      ))}
    </ul>
  )
}

function ReviewDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { t } = useI18n()
  const review = useReview()

  function submit(data: FormData) {
    review.mutate(
      { id: incident.id, review: textOf(data, 'review') as Review, note: textOf(data, 'note') || undefined },
      {
        onSuccess: () => {
          toast('ok', t('incidents.reviewed'))
          onClose()
        },
      },
    )
  }

  return (
    <FormDialog
      title={t('incidents.review')}
      description={incident.subject_masked || t('incidents.noSubject')}
      action={t('incidents.decide')}
      busy={review.isPending}
      error={review.error}
      fields={[]}
      onSubmit={submit}
      onClose={onClose}
      before={
        <>
          <p className="mb-3">
            <Parties incident={incident} />
          </p>
          <Found incident={incident} />
        </>
      }
    >
      <Field label={t('incidents.decision')} className="mt-4">
        <Select name="review" defaultValue="release">
          <option value="release">{t('incidents.release')}</option>
          <option value="false_positive">{t('incidents.falsePositive')}</option>
          <option value="reject">{t('incidents.reject')}</option>
        </Select>
      </Field>
      <Field label={t('incidents.note')} optional>
        <Textarea name="note" rows={2} maxLength={500} />
      </Field>
    </FormDialog>
  )
}
