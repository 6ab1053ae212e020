import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Field, Input } from '@/ui/Field'
import { FormDialog } from '@/ui/FormLayer'
import { enterWorkspace } from './enterWorkspace'
import { slugFrom } from './slug'

export function AddWorkspaceDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const me = useMe()
  const [slug, setSlug] = useState('')
  const add = useMutation({
    mutationFn: async (body: { name: string; slug: string }) => {
      const { data } = await ask(api.POST('/api/v1/auth/workspaces', { body }))
      await enterWorkspace(me.workspace.slug, data.workspace.id)
    },
  })

  const taken = asApiError(add.error)?.code === 'conflict' ? t('workspaces.taken') : null
  return (
    <FormDialog
      title={t('workspaces.add')}
      description={t('workspaces.addLead')}
      action={t('workspaces.addAction')}
      busy={add.isPending || add.isSuccess}
      error={add.error}
      fields={['name', 'slug']}
      said={taken !== null}
      onSubmit={(data) => add.mutate({ name: textOf(data, 'name'), slug })}
      onClose={onClose}
    >
      <Field label={t('signUp.workspace')} error={fieldText(add.error, 'name')}>
        <Input name="name" autoComplete="organization" required onChange={(event) => setSlug(slugFrom(event.target.value))} />
      </Field>
      <Field label={t('workspaces.slug')} hint={t('workspaces.slugHint')} error={taken ?? fieldText(add.error, 'slug', { reserved: 'workspaces.reserved' })}>
        <Input name="slug" autoComplete="off" spellCheck={false} value={slug} onChange={(event) => setSlug(event.target.value)} className="font-mono" />
      </Field>
    </FormDialog>
  )
}
