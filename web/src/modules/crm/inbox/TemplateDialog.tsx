import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { fieldNames, noValues, toSend } from '@/modules/channels/templates/fill'
import { TemplatePicker } from '@/modules/channels/templates/TemplatePicker'
import type { Template } from '@/modules/channels/templates/templates'
import { FormDialog } from '@/ui/FormLayer'
import { Notice } from '@/ui/Notice'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useChatTemplates, useSendTemplate } from './chatTemplates'
import { failureText } from './failures'

/** Sends an approved template into the conversation and shows the actual result. */
export function TemplateDialog({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.templates.view' })
  const chat = useChatTemplates(conversationId)
  const send = useSendTemplate(conversationId)
  const [chosen, setChosen] = useState<Template | null>(null)
  const [values, setValues] = useState(noValues)
  const failed = send.data?.delivery === 'failed' || send.data?.delivery === 'none' ? send.data : null

  function submit() {
    if (!chosen) return
    send.mutate(toSend(chosen, values), {
      onSuccess: (answer) => {
        if (answer && answer.delivery !== 'sent' && answer.delivery !== 'queued') return
        toast('ok', t(!answer ? 'inbox.begun.before' : answer.delivery === 'sent' ? 'templates.sent' : 'templates.queued'))
        onClose()
      },
    })
  }

  return (
    <FormDialog
      title={t('templates.choose')}
      description={t('templates.chooseText')}
      action={t('inbox.send')}
      busy={send.isPending}
      disabled={!chosen}
      error={send.error}
      fields={chosen ? fieldNames(chosen) : []}
      onSubmit={submit}
      onClose={onClose}
    >
      {failed && (
        <Notice tone="danger">
          {t('templates.notSent')} {failureText(failed.delivery_error)}
        </Notice>
      )}
      <QueryState isPending={chat.isPending} error={chat.error} isEmpty={false} empty={null} retry={() => void chat.refetch()}>
        <TemplatePicker
          templates={chat.data?.templates ?? []}
          chosen={chosen}
          values={values}
          error={send.error}
          onChoose={(template) => {
            send.reset()
            setValues(noValues)
            setChosen(template)
          }}
          onChange={setValues}
        />
      </QueryState>
      {!chosen && canManage && (
        <p className="text-sm">
          <Link to="/crm/templates" className="text-accent-ink underline underline-offset-3">
            {t('templates.manage')}
          </Link>
        </p>
      )}
    </FormDialog>
  )
}
