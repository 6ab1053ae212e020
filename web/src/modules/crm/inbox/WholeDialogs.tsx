import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { formatAgo, useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { useSettled } from '@/lib/settled'
import { Badge } from '@/ui/Badge'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { SkeletonRows } from '@/ui/Skeleton'
import { toast } from '@/ui/Toast'
import { channelName } from './channels'
import type { Conversation } from './conversations'
import type { PrepareToLeave } from './departure'
import { useDelete, useMerge, useMergeChoices, useRestore } from './whole'

interface WholeDialogProps {
  conversation: Conversation
  onClose: () => void
}

/** Merges two threads about one matter: this conversation goes into the chosen one. */
export function MergeDialog({ conversation, onClose }: WholeDialogProps) {
  const { t } = useI18n()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [missing, setMissing] = useState(false)
  const q = useSettled(text).trim()
  const choices = useMergeChoices(conversation, q)
  const merge = useMerge(conversation.id)
  const rows = choices.data?.rows ?? []
  const alone = choices.data !== undefined && rows.length === 0
  const merged = asApiError(merge.error)?.reason === 'merged'

  function submit(data: FormData) {
    const into = textOf(data, 'into')
    setMissing(!into)
    if (!into) return
    merge.mutateAsync(into).then(
      () => {
        toast('ok', t('merge.done'))
        onClose()
        void navigate({ to: '/inbox', search: (old) => ({ ...old, c: into, at: undefined }) })
      },
      () => undefined,
    )
  }

  return (
    <FormDialog
      title={t('merge.title')}
      description={t('merge.text', { name: conversation.contact_name })}
      action={t('merge.action')}
      busy={merge.isPending}
      disabled={rows.length === 0}
      error={merge.error ?? choices.error}
      said={merged}
      fields={[]}
      onSubmit={submit}
      onClose={onClose}
    >
      {merged && <Notice tone="danger">{t('merge.already')}</Notice>}
      {(!alone || text !== '') && (
        <Field label={t('merge.search')}>
          <Input type="search" autoComplete="off" maxLength={200} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
      )}
      {choices.isPending && <SkeletonRows rows={3} />}
      {alone && <p className="text-sm text-ink-2">{q ? t('merge.noneFound') : t('merge.none', { name: conversation.contact_name })}</p>}
      {rows.length > 0 && (
        <fieldset aria-describedby={missing ? 'merge-missing' : undefined}>
          <legend className="mb-1.5 text-sm font-semibold">{t('merge.into')}</legend>
          <div className="max-h-64 divide-y divide-line overflow-y-auto rounded-md border border-line">
            {rows.map((row) => (
              <label key={row.id} className="flex cursor-pointer items-start gap-2.5 px-3 py-2 text-sm hover:bg-sunken has-checked:bg-accent-soft">
                <input type="radio" name="into" value={row.id} onChange={() => setMissing(false)} className="mt-0.5 size-4.5 shrink-0 accent-accent" />
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{row.subject || row.preview || channelName(row.channel)}</span>
                  <span className="flex flex-wrap items-center gap-x-2 text-sm text-ink-2">
                    {channelName(row.channel)} · {formatAgo(row.last_activity_at)}
                    {row.state === 'closed' && <Badge>{t('inbox.state.closed')}</Badge>}
                  </span>
                </span>
              </label>
            ))}
          </div>
          {choices.data?.more && <p className="mt-1.5 text-sm text-ink-2">{t('merge.more')}</p>}
          <p id="merge-missing" role="alert" className="mt-1.5 text-sm text-danger-ink empty:hidden">
            {missing && t('merge.missing')}
          </p>
        </fieldset>
      )}
    </FormDialog>
  )
}

interface DeleteDialogProps extends WholeDialogProps {
  onLeave: PrepareToLeave
}

export function DeleteDialog({ conversation, onLeave, onClose }: DeleteDialogProps) {
  const { t } = useI18n()
  const restore = useRestore()
  const remove = useDelete()
  // Called before the deletion: the list may have lost the row when the answer arrives.
  const [leave] = useState(() => onLeave(conversation.id))
  return (
    <ConfirmAct
      act={remove}
      on={conversation.id}
      title={t('whole.delete.title')}
      action={t('whole.delete.action')}
      onDone={() => leave({ said: t('whole.delete.done'), undo: () => restore.mutateAsync(conversation.id) })}
      onClose={onClose}
    >
      {t('whole.delete.text', { name: conversation.contact_name })}
    </ConfirmAct>
  )
}
