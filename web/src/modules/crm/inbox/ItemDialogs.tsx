import { useState } from 'react'
import { errorText, fieldText } from '@/api/message'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { buttonClass } from '@/ui/Button'
import { Confirm } from '@/ui/Confirm'
import { Dialog } from '@/ui/Dialog'
import { Fact } from '@/ui/Fact'
import { Field, Textarea } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { SkeletonRows } from '@/ui/Skeleton'
import { ForwardDialog } from './ForwardDialog'
import { useItemAction } from './itemActions'
import { useEditions, useEditPolicy, useEmail, type ItemLayer, type LayerProps } from './itemLayers'
import { SplitDialog } from './SplitDialog'
import { useMentions } from './useMentions'

interface ItemDialogProps extends LayerProps {
  layer: ItemLayer
}

export function ItemDialog({ layer, ...rest }: ItemDialogProps) {
  switch (layer) {
    case 'email':
      return <EmailDialog {...rest} />
    case 'edit':
      return <EditDialog {...rest} />
    case 'editions':
      return <EditionsDialog {...rest} />
    case 'delete':
      return <DeleteDialog {...rest} />
    case 'forward':
      return <ForwardDialog {...rest} />
    case 'split':
      return <SplitDialog {...rest} />
  }
}

const reasons: Record<string, PlainKey> = {
  customer_message: 'inbox.policy.customer',
  already_sent: 'inbox.policy.sent',
  sending: 'inbox.policy.sending',
  too_old: 'inbox.policy.old',
  merged: 'inbox.policy.merged',
  other_author: 'inbox.policy.other',
}

function EditDialog({ item, onClose }: LayerProps) {
  const { t } = useI18n()
  const policy = useEditPolicy(item, true)
  const act = useItemAction(item)
  const refused = policy.data && !policy.data.can_edit ? (reasons[policy.data.edit_reason ?? ''] ?? 'inbox.policy.no') : null

  const [text, setText] = useState(item.body)
  const note = item.kind === 'note'
  const mention = useMentions({ conversationId: item.conversation_id, text, change: setText, enabled: note, picked: item.mentions })

  function submit() {
    const mentions = note ? mention.called.map((one) => one.agent_id) : undefined
    act.mutate({ do: 'edit', body: text.trim(), mentions }, { onSuccess: onClose })
  }

  return (
    <FormDialog
      title={t('inbox.edit.title')}
      busy={act.isPending}
      disabled={!policy.data?.can_edit}
      error={act.error}
      fields={['body']}
      onSubmit={submit}
      onClose={onClose}
      before={
        refused && (
          <Notice tone="warn" className="mb-4">
            {t(refused)}
          </Notice>
        )
      }
    >
      <div className="relative">
        {mention.list}
        <Field label={t('inbox.message')} error={fieldText(act.error, 'body')}>
          <Textarea
            name="body"
            rows={5}
            value={text}
            readOnly={refused !== null}
            onChange={(event) => {
              setText(event.target.value)
              mention.onMove(event.target)
            }}
            onKeyDown={mention.onKeyDown}
            onBlur={mention.close}
            {...mention.wiring}
          />
        </Field>
      </div>
    </FormDialog>
  )
}

function DeleteDialog({ item, onClose }: LayerProps) {
  const { t } = useI18n()
  const act = useItemAction(item)
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('inbox.delete.title')}
      action={t('common.delete')}
      busy={act.isPending}
      error={act.error && errorText(act.error)}
      onConfirm={() => act.mutate({ do: 'delete' }, { onSuccess: onClose })}
    >
      {t('inbox.delete.text')}
    </Confirm>
  )
}

/**
 * Shows the versions of a message before its edits, so that it is clear what a customer answered
 * to.
 */
function EditionsDialog({ item, onClose }: LayerProps) {
  const { t } = useI18n()
  const editions = useEditions(item)
  return (
    <Dialog open onOpenChange={onClose} title={t('inbox.editions')}>
      {editions.isPending && <SkeletonRows rows={2} />}
      {editions.error && <Notice tone="danger">{errorText(editions.error)}</Notice>}
      <ol className="flex flex-col gap-3">
        {editions.data?.map((edition) => (
          <li key={edition.id} className="rounded-md border border-line p-3 text-sm">
            <p className="whitespace-pre-wrap">{edition.body}</p>
            <p className="mt-1.5 text-sm text-ink-2">{t('editions.until', { when: formatDateTime(edition.edited_at) })}</p>
          </li>
        ))}
      </ol>
    </Dialog>
  )
}

/**
 * The original e-mail. Its markup is not rendered here: the text is shown, and the file can be
 * downloaded.
 */
function EmailDialog({ item, onClose }: LayerProps) {
  const { t } = useI18n()
  const email = useEmail(item)
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={email.data?.subject || t('inbox.email.show')}
      footer={
        email.data &&
        email.data.raw_size > 0 && (
          <a href={`/api/crm/v1/conversations/${item.conversation_id}/items/${item.id}/email/raw`} download className={buttonClass('secondary')}>
            {t('inbox.email.raw')}
          </a>
        )
      }
    >
      {email.isPending && <SkeletonRows rows={3} />}
      {email.error && <Notice tone="danger">{errorText(email.error)}</Notice>}
      {email.data && (
        <>
          <dl className="mb-4 grid gap-3 sm:grid-cols-2">
            <Fact label={t('inbox.email.from')}>{email.data.from}</Fact>
            <Fact label={t('inbox.email.to')}>{email.data.to.join(', ')}</Fact>
            {email.data.cc.length > 0 && <Fact label={t('inbox.email.cc')}>{email.data.cc.join(', ')}</Fact>}
            {email.data.date && <Fact label={t('inbox.email.date')}>{formatDateTime(email.data.date)}</Fact>}
          </dl>
          <pre className="max-h-[50vh] overflow-auto rounded-md border border-line bg-sunken p-4 font-sans text-sm whitespace-pre-wrap">{email.data.text}</pre>
        </>
      )}
    </Dialog>
  )
}
