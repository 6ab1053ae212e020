import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { enterWorkspace } from './enterWorkspace'
import { slugFrom } from './slug'

export function AddWorkspaceDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const me = useMe()
  const formId = useId()
  const [slug, setSlug] = useState('')
  const add = useMutation({
    mutationFn: async (body: { name: string; slug: string }) => {
      const { data } = await ask(api.POST('/api/v1/auth/workspaces', { body }))
      await enterWorkspace(me.workspace.slug, data.workspace.id)
    },
  })
  const form = useFocusOnError(add.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    add.mutate({ name: textOf(new FormData(event.currentTarget), 'name'), slug })
  }

  const taken = asApiError(add.error)?.code === 'conflict' ? t('workspaces.taken') : null
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('workspaces.add')}
      description={t('workspaces.addLead')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={add.isPending || add.isSuccess}>
            {t('workspaces.addAction')}
          </Button>
        </>
      }
    >
      {add.error && !taken && !isAboutFields(add.error, ['name', 'slug']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(add.error)}
        </Notice>
      )}
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label={t('signUp.workspace')} error={fieldText(add.error, 'name')}>
          <Input name="name" autoComplete="organization" required onChange={(event) => setSlug(slugFrom(event.target.value))} />
        </Field>
        <Field label={t('workspaces.slug')} hint={t('workspaces.slugHint')} error={taken ?? fieldText(add.error, 'slug')}>
          <Input name="slug" autoComplete="off" spellCheck={false} value={slug} onChange={(event) => setSlug(event.target.value)} className="font-mono" />
        </Field>
      </form>
    </Dialog>
  )
}
