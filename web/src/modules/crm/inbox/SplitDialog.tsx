import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { toast } from '@/ui/Toast'
import { useConversation, useSources, useSplit, useTimeline } from './conversations'
import type { LayerProps } from './itemLayers'

/**
 * Splits a thread about two matters into two conversations, from this message on or only with it.
 */
export function SplitDialog({ item, onClose }: LayerProps) {
  const { t, tCount } = useI18n()
  const navigate = useNavigate()
  const [reach, setReach] = useState<'rest' | 'one'>('rest')
  const conversation = useConversation(item.conversation_id).data
  const { rows, newer } = useTimeline(item.conversation_id, item.id)
  // A messaging channel has a single thread with each person.
  const single = useSources().data?.find((source) => source.key === conversation?.channel)?.messaging === true
  const split = useSplit(item.conversation_id)
  const { error } = split
  const moving = rows.filter((row) => row.kind !== 'event' && (reach === 'one' ? row.id === item.id : row.created_at >= item.created_at))
  const rest = rows.some((row) => row.kind === 'message' && !moving.includes(row))

  // Everything after the message moves with it, so all of it is loaded.
  useEffect(() => {
    if (newer && !newer.loading) newer.load()
  }, [newer])

  function submit(data: FormData) {
    split.mutate(
      { item_ids: moving.map((row) => row.id), subject: textOf(data, 'subject') },
      {
        onSuccess: (made) => {
          toast('ok', t('split.done'))
          onClose()
          void navigate({ to: '/inbox', search: (old) => ({ ...old, c: made.id, at: undefined }) })
        },
      },
    )
  }

  return (
    <FormDialog
      title={t('split.title')}
      description={t('split.text')}
      action={t('split.action')}
      busy={split.isPending}
      disabled={single || !rest || newer !== null}
      error={error}
      fields={['subject']}
      onSubmit={submit}
      onClose={onClose}
    >
      {single && <Notice tone="warn">{t('split.single')}</Notice>}
      {!single && !rest && rows.length > 0 && <Notice tone="warn">{t('split.nothingStays')}</Notice>}
      <div>
        <Segmented
          label={t('split.reach')}
          value={reach}
          options={[
            { value: 'rest', label: t('split.rest') },
            { value: 'one', label: t('split.one') },
          ]}
          onChange={setReach}
        />
      </div>
      <p className="text-sm text-ink-2">{tCount('split.count', moving.length)}</p>
      <Field label={t('inbox.subject')} error={fieldText(error, 'subject')}>
        <Input name="subject" maxLength={300} autoComplete="off" defaultValue={conversation?.subject} />
      </Field>
    </FormDialog>
  )
}
