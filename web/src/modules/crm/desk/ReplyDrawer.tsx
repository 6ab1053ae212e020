import { useState } from 'react'
import { fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Checkbox, Field, Input } from '@/ui/Field'
import { FormDrawer } from '@/ui/FormLayer'
import { toast } from '@/ui/Toast'
import { PlaceholderText } from './PlaceholderText'
import { useSaveReply, type CannedReply } from './replies'

interface ReplyDrawerProps {
  reply: CannedReply | null
  /** Whether the person may write replies for the whole workspace. */
  canShare: boolean
  onClose: () => void
}

export function ReplyDrawer({ reply, canShare, onClose }: ReplyDrawerProps) {
  const { t } = useI18n()
  const save = useSaveReply(reply?.id ?? null)
  const [body, setBody] = useState(reply?.body ?? '')
  const [shared, setShared] = useState(reply?.shared ?? false)
  const hasAssistant = meets(useMe(), { licence: 'ai' })
  const unfit = fieldText(save.error, 'assistant', { has_placeholder: 'replies.assistantPlaceholder' })

  function submit(data: FormData) {
    const shortcut = textOf(data, 'shortcut')
    save.mutate(
      { shortcut, title: textOf(data, 'title') || undefined, body: body.trim(), shared, assistant: shared && (hasAssistant ? data.has('assistant') : reply?.assistant) },
      {
        onSuccess: () => {
          toast('ok', t('replies.saved', { shortcut: shortcut.replace(/^\//, '') }))
          onClose()
        },
      },
    )
  }

  return (
    <FormDrawer
      title={reply ? t('replies.change') : t('replies.add')}
      description={t('replies.drawerLead')}
      busy={save.isPending}
      error={save.error}
      fields={['shortcut', 'title', 'body', 'assistant']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('replies.shortcut')}
        hint={t('replies.shortcutHint')}
        error={fieldText(save.error, 'shortcut', { taken: 'replies.taken', invalid_format: 'replies.shortcutInvalid' })}
      >
        <Input name="shortcut" autoComplete="off" spellCheck={false} maxLength={41} defaultValue={reply?.shortcut} required className="font-mono" />
      </Field>
      <Field label={t('replies.name')} hint={t('replies.nameHint')} optional error={fieldText(save.error, 'title')}>
        <Input name="title" autoComplete="off" maxLength={200} defaultValue={reply?.title} />
      </Field>
      <PlaceholderText label={t('macros.text')} rows={7} value={body} error={fieldText(save.error, 'body', { unknown_placeholder: 'placeholders.unknown' })} onChange={setBody} />
      {canShare ? (
        <Checkbox label={t('replies.shared')} detail={t('replies.sharedHint')} checked={shared} onChange={(event) => setShared(event.target.checked)} />
      ) : (
        <p className="text-sm text-ink-3">{t('replies.ownOnly')}</p>
      )}
      {shared && hasAssistant && (
        <div>
          <Checkbox name="assistant" label={t('replies.assistant')} detail={t('replies.assistantHint')} defaultChecked={reply?.assistant} />
          {unfit && (
            <p role="alert" className="mt-1 text-sm text-danger-ink">
              {unfit}
            </p>
          )}
        </div>
      )}
    </FormDrawer>
  )
}
